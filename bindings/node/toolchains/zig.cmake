# The cross compiler of zig ($SLUICE_ZIG) for `target`, with the system's headers and libraries of that platform. libc++ is linked statically.
set(CMAKE_C_COMPILER "$ENV{SLUICE_ZIG}" cc -target ${target})
set(CMAKE_CXX_COMPILER "$ENV{SLUICE_ZIG}" c++ -target ${target})
# Its own archiver: that of the system writes no index of another platform's names.
foreach(language C CXX)
  set(CMAKE_${language}_ARCHIVE_CREATE "\"$ENV{SLUICE_ZIG}\" ar qc <TARGET> <OBJECTS>")
  set(CMAKE_${language}_ARCHIVE_FINISH "\"$ENV{SLUICE_ZIG}\" ranlib <TARGET>")
endforeach()
