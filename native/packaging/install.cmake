# What `cmake --install` puts where, as GNUInstallDirs has it. The components are those of a distribution: `runtime`, `development` and
# `static`; a package leaves out what it does not want.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(sluice_cmake "${CMAKE_INSTALL_LIBDIR}/cmake/sluice")
set(here "${CMAKE_CURRENT_LIST_DIR}")
file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/install")

# -- the libraries: one file of targets for each, so that either can be left out

if(SLUICE_SHARED)
  install(TARGETS sluice EXPORT sluiceShared
    RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT runtime
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT runtime NAMELINK_COMPONENT development
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT development
    INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
  install(EXPORT sluiceShared NAMESPACE sluice:: DESTINATION "${sluice_cmake}" COMPONENT development)
endif()
install(TARGETS sluice_core EXPORT sluiceStatic
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT static
  INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(EXPORT sluiceStatic NAMESPACE sluice:: DESTINATION "${sluice_cmake}" COMPONENT static)

# -- the headers and the manual

install(FILES native/include/sluice/sluice.h native/include/sluice/sluice.hpp
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/sluice" COMPONENT development)
install(FILES native/include/sluice/documents.md native/examples/note.c native/examples/turn.c native/examples/turn.cpp
  DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT development)
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT runtime)

# -- how other builds find it: find_package(sluice) and pkg-config. Neither names a folder of this machine.

set(needs_simdjson 0)
if(NOT simdjson_folder AND NOT SLUICE_SMALL)
  set(needs_simdjson 1)
endif()
configure_package_config_file("${here}/sluiceConfig.cmake.in" "${PROJECT_BINARY_DIR}/install/sluiceConfig.cmake"
  INSTALL_DESTINATION "${sluice_cmake}" NO_SET_AND_CHECK_MACRO)
# Before 1.0 a minor version may change what it likes.
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(compatible SameMinorVersion)
else()
  set(compatible SameMajorVersion)
endif()
write_basic_package_version_file("${PROJECT_BINARY_DIR}/install/sluiceConfigVersion.cmake" COMPATIBILITY ${compatible})
install(FILES "${PROJECT_BINARY_DIR}/install/sluiceConfig.cmake" "${PROJECT_BINARY_DIR}/install/sluiceConfigVersion.cmake"
  DESTINATION "${sluice_cmake}" COMPONENT development)

# What the compiler links into every C++ program, and a C program that takes the static library must be told.
set(runtime ${CMAKE_CXX_IMPLICIT_LINK_LIBRARIES})
list(REMOVE_DUPLICATES runtime)
list(FILTER runtime INCLUDE REGEX "^(std)?c\\+\\+|^m$")
list(TRANSFORM runtime PREPEND "-l")
list(JOIN runtime " " static_libs)
if(needs_simdjson)
  set(static_requires "Requires.private: simdjson >= 3.9")
endif()
if(SLUICE_SHARED)
  set(libs "Libs: -L\${libdir} -lsluice\nLibs.private: ${static_libs}")
else()
  set(libs "Libs: -L\${libdir} -lsluice ${static_libs}")
  string(REPLACE ".private" "" static_requires "${static_requires}")
endif()
set(pc_libdir "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
set(pc_includedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(pc_libdir "${CMAKE_INSTALL_LIBDIR}")
endif()
if(IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
  set(pc_includedir "${CMAKE_INSTALL_INCLUDEDIR}")
endif()
# From lib/pkgconfig back to the prefix: "lib/x86_64-linux-gnu" is two folders, "lib" is one.
file(RELATIVE_PATH up "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" up "${up}")
configure_file("${here}/sluice.pc.in" "${PROJECT_BINARY_DIR}/install/sluice.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/install/sluice.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT development)
