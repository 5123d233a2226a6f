# What `make install` gives: the program, the public headers, a library with what they declare, and
# what CMake (find_package) and pkg-config need to find them.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# The headers alone, for plugins.
add_library(dissensus_plugin_headers INTERFACE)
add_library(dissensus::plugin ALIAS dissensus_plugin_headers)
set_target_properties(dissensus_plugin_headers PROPERTIES EXPORT_NAME plugin)
target_compile_features(dissensus_plugin_headers INTERFACE cxx_std_20)
target_include_directories(dissensus_plugin_headers INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)

# One archive of the rooms that the public headers speak of, for programs that use a system or a
# search without the program: tests of their own, for instance.
add_library(dissensus_library STATIC
  $<TARGET_OBJECTS:dissensus_core> $<TARGET_OBJECTS:dissensus_sim> $<TARGET_OBJECTS:dissensus_faults>)
add_library(dissensus::dissensus ALIAS dissensus_library)
set_target_properties(dissensus_library PROPERTIES
  OUTPUT_NAME dissensus EXPORT_NAME dissensus LINKER_LANGUAGE CXX)
target_link_libraries(dissensus_library
  PUBLIC dissensus_plugin_headers PRIVATE fmt::fmt tomlplusplus::tomlplusplus ZLIB::ZLIB)

set_target_properties(dissensus_whole PROPERTIES EXPORT_NAME program)
install(TARGETS dissensus_whole dissensus_library dissensus_plugin_headers EXPORT dissensus
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/dissensus DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY scenarios DESTINATION ${CMAKE_INSTALL_DATADIR}/dissensus)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/dissensus)
install(EXPORT dissensus NAMESPACE dissensus:: FILE dissensus-targets.cmake
  DESTINATION ${package_folder})
configure_package_config_file(cmake/dissensus-config.cmake.in
  ${CMAKE_BINARY_DIR}/package/dissensus-config.cmake INSTALL_DESTINATION ${package_folder})
# Before 1.0 every minor version may change the headers.
write_basic_package_version_file(${CMAKE_BINARY_DIR}/package/dissensus-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES cmake/plugin.cmake
  ${CMAKE_BINARY_DIR}/package/dissensus-config.cmake
  ${CMAKE_BINARY_DIR}/package/dissensus-config-version.cmake
  DESTINATION ${package_folder})

# The file finds its prefix by itself: `cmake --install --prefix` may choose another one.
file(RELATIVE_PATH PREFIX_FROM_PACKAGE /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/dissensus.pc.in ${CMAKE_BINARY_DIR}/package/dissensus.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/package/dissensus.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

include(cmake/plugin.cmake)
