set(CMAKE_SYSTEM_NAME Darwin)
set(CMAKE_SYSTEM_PROCESSOR arm64)
set(oldest 11.0)
set(target aarch64-macos.${oldest})
include("${CMAKE_CURRENT_LIST_DIR}/zig.cmake")
string(APPEND CMAKE_CXX_FLAGS_INIT " -fno-omit-frame-pointer")  # the platform wants the register; zig's default takes it for other use
set(CMAKE_PROJECT_sluice_INCLUDE "${CMAKE_CURRENT_LIST_DIR}/darwin.cmake")
