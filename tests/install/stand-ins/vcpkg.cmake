# Stands in for vcpkg: the functions that a port calls, with what vcpkg does by them for one kind of build. Given: PORT, PREFIX, SCRATCH,
# LINKAGE, GENERATOR, SIMDJSON.
set(CURRENT_PORT_DIR "${PORT}")
set(CURRENT_PACKAGES_DIR "${PREFIX}")
set(VCPKG_LIBRARY_LINKAGE "${LINKAGE}")

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
endfunction()

function(vcpkg_cmake_configure)
  cmake_parse_arguments(arg "" "SOURCE_PATH" "OPTIONS" ${ARGN})
  run(${CMAKE_COMMAND} -S ${arg_SOURCE_PATH} -B ${SCRATCH} -G ${GENERATOR} -DCMAKE_BUILD_TYPE=Debug -DCMAKE_INSTALL_PREFIX=${PREFIX}
    -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_PREFIX_PATH=${SIMDJSON} -DFETCHCONTENT_FULLY_DISCONNECTED=ON ${arg_OPTIONS})
endfunction()

function(vcpkg_cmake_install)
  if(NOT CONFIGURE_ONLY)
    run(${CMAKE_COMMAND} --build ${SCRATCH} --parallel)
    run(${CMAKE_COMMAND} --install ${SCRATCH})
  endif()
endfunction()

function(vcpkg_cmake_config_fixup)
  cmake_parse_arguments(arg "" "CONFIG_PATH" "" ${ARGN})
  if(NOT CONFIGURE_ONLY)
    # vcpkg moves the files and mends the prefix that they count back to.
    file(GLOB files "${PREFIX}/${arg_CONFIG_PATH}/*.cmake")
    if(NOT files)
      message(FATAL_ERROR "there is nothing in ${arg_CONFIG_PATH}")
    endif()
    file(COPY ${files} DESTINATION "${PREFIX}/share/sluice")
    file(REMOVE_RECURSE "${PREFIX}/${arg_CONFIG_PATH}")
    file(GLOB files "${PREFIX}/share/sluice/*.cmake")
    foreach(file IN LISTS files)
      file(READ "${file}" text)
      string(REPLACE "\${CMAKE_CURRENT_LIST_DIR}/../../../" "\${CMAKE_CURRENT_LIST_DIR}/../../" text "${text}")
      string(REGEX REPLACE "get_filename_component\\(_IMPORT_PREFIX \"\\$\\{CMAKE_CURRENT_LIST_FILE\\}\" PATH\\)(\nget_filename_component\\(_IMPORT_PREFIX \"\\$\\{_IMPORT_PREFIX\\}\" PATH\\))+"
        "get_filename_component(_IMPORT_PREFIX \"\${CMAKE_CURRENT_LIST_FILE}\" PATH)\nget_filename_component(_IMPORT_PREFIX \"\${_IMPORT_PREFIX}\" PATH)\nget_filename_component(_IMPORT_PREFIX \"\${_IMPORT_PREFIX}\" PATH)" text "${text}")
      file(WRITE "${file}" "${text}")
    endforeach()
  endif()
endfunction()

function(vcpkg_fixup_pkgconfig)
  if(NOT CONFIGURE_ONLY AND NOT EXISTS "${PREFIX}/lib/pkgconfig/sluice.pc")
    message(FATAL_ERROR "there is no sluice.pc")
  endif()
endfunction()

function(vcpkg_copy_pdbs)
endfunction()

function(vcpkg_install_copyright)
  cmake_parse_arguments(arg "" "" "FILE_LIST" ${ARGN})
  file(COPY_FILE ${arg_FILE_LIST} "${PREFIX}/copyright")
endfunction()

include("${PORT}/portfile.cmake")
