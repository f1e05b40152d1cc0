# Binds an addon to whatever program loads it; see host.c.in.
function(sluice_bind_to_host target)
  sluice_node_print("Object.values(require('node-api-headers').symbols.v8).flat().map((name) => '  X(' + name + ')').join(' \\\\\\n')" NODE_API_SYMBOLS)
  configure_file("${PROJECT_SOURCE_DIR}/bindings/node/windows/host.c.in" "${PROJECT_BINARY_DIR}/host.c" @ONLY)
  target_compile_definitions(${target} PRIVATE NAPI_EXTERN=__declspec\(dllimport\))
  target_sources(${target} PRIVATE "${PROJECT_BINARY_DIR}/host.c")
  if(MINGW)
    target_link_options(${target} PRIVATE -static)  # libgcc, libstdc++ and winpthread inside: no DLL beside it
  endif()
endfunction()
