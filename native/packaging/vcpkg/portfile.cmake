# A port for an overlay: it builds the checkout that it is in.
get_filename_component(SOURCE_PATH "${CURRENT_PORT_DIR}/../../.." ABSOLUTE)
string(COMPARE EQUAL "${VCPKG_LIBRARY_LINKAGE}" "dynamic" shared)

# No node_modules: simdjson is vcpkg's.
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS -DSLUICE_SHARED=${shared} -DSLUICE_ADDON=OFF -DSLUICE_NODE_MODULES=)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/sluice)
vcpkg_fixup_pkgconfig()
vcpkg_copy_pdbs()

set(unwanted "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
if(shared)  # a triplet has one kind of library
  file(GLOB static
    "${CURRENT_PACKAGES_DIR}/lib/*sluice_static.lib" "${CURRENT_PACKAGES_DIR}/debug/lib/*sluice_static.lib"
    "${CURRENT_PACKAGES_DIR}/lib/libsluice.a" "${CURRENT_PACKAGES_DIR}/debug/lib/libsluice.a"
    "${CURRENT_PACKAGES_DIR}/share/sluice/sluiceStatic*.cmake")
  list(APPEND unwanted ${static})
endif()
file(REMOVE_RECURSE ${unwanted})
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
