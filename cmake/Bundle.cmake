# The target `bundle`: a relocatable tree of the program and all it needs but glibc, in
# <build>/bundle/, and a test (label bundle) that builds it and runs it somewhere else. The target
# `gpu-session`: the same with all that run/lab/gpu-session takes to a machine with a GPU.

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

# bellwether_gpu_session(EXECUTABLE): after all tests. Names their programs in <build>/gpu_tests.txt,
# which run/lab/gpu-session reads in a build folder, and bundles them.
function(bellwether_gpu_session executable)
  if(NOT BELLWETHER_TESTS OR NOT BELLWETHER_WITH_CUDA)
    return()
  endif()
  get_property(tests GLOBAL PROPERTY BELLWETHER_GPU_TESTS)
  set(lines)
  set(programs ${executable})
  foreach(test IN LISTS tests)
    separate_arguments(words UNIX_COMMAND "${test}")
    list(POP_FRONT words name)
    list(APPEND programs ${name})
    list(JOIN words " " ranks)
    string(APPEND lines
      "$<PATH:RELATIVE_PATH,$<TARGET_FILE:${name}>,${PROJECT_BINARY_DIR}> ${ranks}\n")
  endforeach()
  file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/gpu_tests.txt CONTENT "${lines}")
  if(NOT BELLWETHER_KERNEL_VARIANTS OR NOT CMAKE_CUDA_COMPILER)
    return()
  endif()
  set(scripts ${PROJECT_SOURCE_DIR}/run/bundle)
  set(directory ${PROJECT_BINARY_DIR}/bundle)
  add_custom_target(gpu-session
    COMMAND ${scripts}/bundle.sh $<TARGET_FILE:${executable}> ${PROJECT_VERSION}
            ${MPIEXEC_EXECUTABLE} ${directory} ${PROJECT_BINARY_DIR}/gpu_tests.txt
    DEPENDS ${programs}
    COMMENT "Gathering what a session on a machine with a GPU needs" VERBATIM)
  add_test(NAME bundle.gpu_session_build
    COMMAND ${CMAKE_COMMAND} --build ${PROJECT_BINARY_DIR}
            --target gpu-session bellwether_cuda_on_host bellwether_cublas_on_host)
  add_test(NAME bundle.gpu_session_run COMMAND ${scripts}/gpu_session_test.sh
    ${directory}/gpu-session-${PROJECT_VERSION}-${CMAKE_SYSTEM_PROCESSOR}.tar.gz
    ${BELLWETHER_HOST_GPU})
  set_tests_properties(bundle.gpu_session_build PROPERTIES FIXTURES_SETUP gpu_session)
  set_tests_properties(bundle.gpu_session_run PROPERTIES FIXTURES_REQUIRED gpu_session PROCESSORS 2)
  set_tests_properties(bundle.gpu_session_build bundle.gpu_session_run PROPERTIES
    LABELS bundle TIMEOUT 600)
endfunction()
