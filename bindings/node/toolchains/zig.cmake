# The cross compiler of zig ($SLUICE_ZIG) for `target`, with the system's headers and libraries of that platform. libc++ is linked statically.
set(CMAKE_C_COMPILER "$ENV{SLUICE_ZIG}" cc -target ${target})
set(CMAKE_CXX_COMPILER "$ENV{SLUICE_ZIG}" c++ -target ${target})
# zig describes all code for debuggers where nobody says otherwise: a third of the time, for what is dropped in the end.
set(CMAKE_C_FLAGS_INIT -g0)
set(CMAKE_CXX_FLAGS_INIT -g0)
# CMake identifies and tries the compiler without linking: for a program zig would compile its C++ library once more.
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_C_FLAGS -c)
set(CMAKE_CXX_FLAGS -c)
set(CMAKE_USER_MAKE_RULES_OVERRIDE "${CMAKE_CURRENT_LIST_DIR}/identified.cmake")
# Its own archiver: that of the system writes no index of another platform's names.
foreach(language C CXX)
  set(CMAKE_${language}_ARCHIVE_CREATE "\"$ENV{SLUICE_ZIG}\" ar qc <TARGET> <OBJECTS>")
  set(CMAKE_${language}_ARCHIVE_FINISH "\"$ENV{SLUICE_ZIG}\" ranlib <TARGET>")
endforeach()
