# bellwether::models for other projects: the library, its headers and a CMake package that finds what
# it stands on. find_package(bellwether) then target_link_libraries(... bellwether::models).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/bellwether)
set_target_properties(bellwether_models PROPERTIES EXPORT_NAME models)
target_include_directories(bellwether_models INTERFACE
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/bellwether>)
install(TARGETS bellwether_models EXPORT bellwether_targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT models)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/models
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/bellwether COMPONENT models
  FILES_MATCHING PATTERN "*.hpp"
  PATTERN "*_test*" EXCLUDE PATTERN "test_*" EXCLUDE
  PATTERN "fuzz" EXCLUDE)
install(EXPORT bellwether_targets NAMESPACE bellwether:: DESTINATION ${package_directory}
  COMPONENT models)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/bellwetherConfig.cmake.in
  ${PROJECT_BINARY_DIR}/bellwetherConfig.cmake INSTALL_DESTINATION ${package_directory})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/bellwetherConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/bellwetherConfig.cmake
  ${PROJECT_BINARY_DIR}/bellwetherConfigVersion.cmake
  DESTINATION ${package_directory} COMPONENT models)
