# Links by the linker of LLVM 16 (Debian: lld-16), as old as zig's clang: zig's knows no list of exports, exports whatever has a name, and so
# drops nothing; LLVM 14's loses how functions are unwound. zig brings the C++ library, which it compiles where that was not done before, and
# the names of the system's library.
set(nothing "${PROJECT_BINARY_DIR}/nothing.cpp")
file(WRITE "${nothing}" "")
execute_process(COMMAND ${CMAKE_COMMAND} -E env ZIG_VERBOSE_LINK=1 "$ENV{SLUICE_ZIG}" c++ -target ${target} -g0 -shared -o "${nothing}.dylib" "${nothing}"
  ERROR_VARIABLE linking COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^ ]+\\.a" archives "${linking}")
list(JOIN archives " " archives)
get_filename_component(zig "$ENV{SLUICE_ZIG}" DIRECTORY)
set(CMAKE_CXX_CREATE_SHARED_MODULE
  "lld-16 -flavor darwin -bundle -arch ${CMAKE_SYSTEM_PROCESSOR} -platform_version macos ${oldest} ${oldest} -dead_strip -S -x -adhoc_codesign -undefined dynamic_lookup -exported_symbols_list ${PROJECT_BINARY_DIR}/sluice_node.exports -o <TARGET> <OBJECTS> <LINK_LIBRARIES> ${archives} ${zig}/lib/libc/darwin/libSystem.11.tbd")
