# WebAssembly by emscripten (Debian: emscripten), wherever its compiler is in the path.
find_program(SLUICE_EM_CONFIG em-config REQUIRED)
execute_process(COMMAND "${SLUICE_EM_CONFIG}" EMSCRIPTEN_ROOT
  OUTPUT_VARIABLE EMSCRIPTEN_ROOT_PATH OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
include("${EMSCRIPTEN_ROOT_PATH}/cmake/Modules/Platform/Emscripten.cmake")
