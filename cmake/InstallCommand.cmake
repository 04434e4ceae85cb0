# `cmake --install`: the command with its libraries and what people read, edit and submit. The command
# itself needs none of the files: machines, suites and pages are built into it.
if(BELLWETHER_CUDA STREQUAL "HOST_GPU")
  return()  # a build for tests
endif()
include(GNUInstallDirs)

set(library_directory ${CMAKE_INSTALL_LIBDIR}/bellwether)
set(data_directory ${CMAKE_INSTALL_DATADIR}/bellwether)

# bellwether_run_path(TARGET folder...): in the build as when installed, for CMake pads a run path that it
# is to replace with empty elements. Libraries of modules or Spack are found where they were.
function(bellwether_run_path target)
  set_target_properties(${target} PROPERTIES
    INSTALL_RPATH "${ARGN}" INSTALL_RPATH_USE_LINK_PATH ON BUILD_WITH_INSTALL_RPATH ON)
endfunction()

# The libraries are the command's alone.
file(RELATIVE_PATH to_libraries /${CMAKE_INSTALL_BINDIR} /${library_directory})
bellwether_run_path(bellwether $ORIGIN/lib $ORIGIN/${to_libraries})
install(TARGETS bellwether RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT command)

function(bellwether_install_library target)
  install(TARGETS ${target} LIBRARY DESTINATION ${library_directory}${ARGN} COMPONENT command)
endfunction()
bellwether_run_path(bellwether_kernels $ORIGIN)
bellwether_install_library(bellwether_kernels)
foreach(level v3 v4)
  if(TARGET bellwether_kernels_${level})
    bellwether_run_path(bellwether_kernels_${level} $ORIGIN/../..)
    bellwether_install_library(bellwether_kernels_${level} /glibc-hwcaps/x86-64-${level})
  endif()
endforeach()
if(TARGET bellwether_cuda)
  bellwether_run_path(bellwether_cuda $ORIGIN ${CUDAToolkit_LIBRARY_DIR})  # cuBLAS, opened at run time
  bellwether_install_library(bellwether_cuda)
endif()

install(DIRECTORY ${PROJECT_SOURCE_DIR}/models/machines DESTINATION ${data_directory}
  COMPONENT command FILES_MATCHING PATTERN "*.json")
install(FILES ${PROJECT_SOURCE_DIR}/models/machine/machine.schema.json
  ${PROJECT_SOURCE_DIR}/results/acceptance/residuals.json
  ${PROJECT_SOURCE_DIR}/results/acceptance/verdict.schema.json
  ${PROJECT_SOURCE_DIR}/results/changes/comparison.schema.json
  ${PROJECT_SOURCE_DIR}/results/fleet/fleet.schema.json
  ${PROJECT_SOURCE_DIR}/results/record.schema.json
  ${PROJECT_SOURCE_DIR}/results/history/history.schema.json
  ${PROJECT_SOURCE_DIR}/results/history/schema.sql
  ${PROJECT_SOURCE_DIR}/results/study/study.schema.json
  DESTINATION ${data_directory} COMPONENT command)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/run/suites DESTINATION ${data_directory}
  COMPONENT command FILES_MATCHING PATTERN "*.json")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/run/batch DESTINATION ${data_directory}
  COMPONENT command USE_SOURCE_PERMISSIONS)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/run/reframe DESTINATION ${data_directory}
  COMPONENT command FILES_MATCHING PATTERN "*.py")
install(FILES ${PROJECT_SOURCE_DIR}/run/shell/completion.bash RENAME bellwether
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT command)
# With the prefix of the installation.
install(CODE "set(PROJECT_VERSION ${PROJECT_VERSION})
set(PROJECT_DESCRIPTION \"${PROJECT_DESCRIPTION}\")
configure_file(${PROJECT_SOURCE_DIR}/run/shell/modulefile.lua.in
  \$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${data_directory}/modulefile.lua @ONLY)" COMPONENT command)
find_program(HELP2MAN help2man)
if(HELP2MAN AND NOT CMAKE_CROSSCOMPILING)
  set(pages ${PROJECT_BINARY_DIR}/man1)
  add_custom_command(OUTPUT ${pages}/bellwether.1
    COMMAND ${PROJECT_SOURCE_DIR}/run/shell/man-pages.sh $<TARGET_FILE:bellwether> ${PROJECT_VERSION} ${pages}
    DEPENDS bellwether ${PROJECT_SOURCE_DIR}/run/shell/man-pages.sh COMMENT "Manual pages" VERBATIM)
  add_custom_target(man ALL DEPENDS ${pages}/bellwether.1)
  install(DIRECTORY ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT command)
else()
  message(STATUS "help2man was not found: no manual pages are installed")
endif()
# In the folders that they have here, so that they lead to one another.
file(GLOB_RECURSE documents RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/kernels/*.md ${PROJECT_SOURCE_DIR}/microbench/*.md
  ${PROJECT_SOURCE_DIR}/miniapps/*.md ${PROJECT_SOURCE_DIR}/models/*.md
  ${PROJECT_SOURCE_DIR}/results/*.md ${PROJECT_SOURCE_DIR}/run/*.md)
foreach(document IN LISTS documents ITEMS README.md LICENSE)
  cmake_path(GET document PARENT_PATH folder)
  install(FILES ${PROJECT_SOURCE_DIR}/${document} DESTINATION ${CMAKE_INSTALL_DOCDIR}/${folder}
    COMPONENT command)
endforeach()
