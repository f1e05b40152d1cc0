# The glibc that Node 20 itself asks for: the compiler of a distribution links against that distribution's, and what it builds runs on nothing older.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(target aarch64-linux-gnu.2.28)
include("${CMAKE_CURRENT_LIST_DIR}/zig.cmake")
