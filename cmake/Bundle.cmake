# The target `bundle`: a relocatable tree of the program and all it needs but glibc, in
# <build>/bundle/, and a test (label bundle) that builds it and runs it somewhere else.

# bellwether_bundle(EXECUTABLE): EXECUTABLE is the program's target.
function(bellwether_bundle executable)
  set(scripts ${PROJECT_SOURCE_DIR}/run/bundle)
  set(directory ${PROJECT_BINARY_DIR}/bundle)
  if(NOT BELLWETHER_KERNEL_VARIANTS)
    add_custom_target(bundle
      COMMAND ${CMAKE_COMMAND} -E echo
        "bundle: this build's kernels are for this processor alone, set BELLWETHER_KERNEL_VARIANTS=ON"
      COMMAND ${CMAKE_COMMAND} -E false VERBATIM)
    return()
  endif()
  add_custom_target(bundle
    COMMAND ${scripts}/bundle.sh $<TARGET_FILE:${executable}> ${PROJECT_VERSION}
            ${MPIEXEC_EXECUTABLE} ${directory}
    DEPENDS ${executable}
    COMMENT "Gathering the program and its libraries" VERBATIM)
  if(NOT BELLWETHER_TESTS)
    return()
  endif()
  add_test(NAME bundle.build
    COMMAND ${CMAKE_COMMAND} --build ${PROJECT_BINARY_DIR} --target bundle)
  add_test(NAME bundle.run COMMAND ${scripts}/bundle_test.sh
    ${directory}/bellwether-${PROJECT_VERSION}-${CMAKE_SYSTEM_PROCESSOR}.tar.gz)
  set_tests_properties(bundle.build PROPERTIES FIXTURES_SETUP bundle)
  set_tests_properties(bundle.run PROPERTIES FIXTURES_REQUIRED bundle PROCESSORS 2)
  set_tests_properties(bundle.build bundle.run PROPERTIES LABELS bundle TIMEOUT 600)
endfunction()
