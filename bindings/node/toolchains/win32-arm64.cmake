set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR ARM64)
set(target aarch64-windows-gnu)
include("${CMAKE_CURRENT_LIST_DIR}/zig.cmake")
