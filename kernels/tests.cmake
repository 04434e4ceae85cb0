# The tests of the kernels, optimized as the kernels are: the launchers' templates are compiled into
# them, and they compare bits. A program of backend tests skips the backends that cannot be used. Where
# nvcc compiled the CUDA backend it has two more entries, which run that backend's tests and skip none:
# NAME.cuda with the label gpu, and NAME.host_gpu on the GPU made of CPU.

# bellwether_backend_test(NAME SOURCES...)
function(bellwether_backend_test name)
  bellwether_test(${name} OPTIMIZED CUDA SOURCES ${ARGN} LINK bellwether::kernels)
  if(NOT BELLWETHER_TESTS OR NOT CMAKE_CUDA_COMPILER OR NOT BELLWETHER_WITH_CUDA)
    return()
  endif()
  add_test(NAME ${name}.cuda COMMAND ${name} --gtest_filter=*cuda*)
  set_tests_properties(${name}.cuda PROPERTIES
    LABELS gpu TIMEOUT 120 ENVIRONMENT BELLWETHER_REQUIRE_CUDA=1)
  add_test(NAME ${name}.host_gpu COMMAND ${name} --gtest_filter=*cuda*)
  set_tests_properties(${name}.host_gpu PROPERTIES
    LABELS unit TIMEOUT 300 ENVIRONMENT
    "BELLWETHER_REQUIRE_CUDA=1;LD_LIBRARY_PATH=${BELLWETHER_HOST_GPU};HOST_GPU_SEED=1")
endfunction()

bellwether_test(grid_test OPTIMIZED SOURCES launch/grid_test.cpp LINK bellwether::kernels)
bellwether_test(cuda_failure_test SOURCES launch/cuda/cuda_failure_test.cpp LINK bellwether::kernels)
bellwether_test(process_limits_test
  SOURCES launch/cpu/process_limits_test.cpp
  LINK bellwether::kernels)
bellwether_test(tiling_test OPTIMIZED SOURCES launch/tiling_test.cpp LINK bellwether::kernels)
bellwether_test(store_row_test OPTIMIZED
  SOURCES launch/cpu/store_row_test.cpp
  LINK bellwether::kernels)
if(TARGET store_row_test)
  target_compile_options(store_row_test PRIVATE -fopenmp-simd)
endif()
bellwether_test(lane_records_test OPTIMIZED
  SOURCES launch/cpu/lane_records_test.cpp
  LINK bellwether::kernels)
if(NOT BELLWETHER_KOKKOS_ON_GPU)
  bellwether_test(kokkos_launcher_test OPTIMIZED
    SOURCES launch/kokkos/kokkos_launcher_test.cpp
    LINK bellwether::kernels Kokkos::kokkos)
  if(TARGET kokkos_launcher_test)
    target_compile_options(kokkos_launcher_test PRIVATE -fopenmp-simd -ffp-contract=off)
  endif()
endif()
bellwether_backend_test(airfoil_test airfoil/airfoil_test.cpp airfoil/airfoil_body_test.cpp
  airfoil/airfoil_checks_test.cpp airfoil/airfoil_gather_test.cpp
  airfoil/airfoil_iteration_test.cpp airfoil/airfoil_update_test.cpp)
find_package(Threads REQUIRED)
bellwether_test(hpl_panel_test OPTIMIZED SOURCES hpl/hpl_panel_test.cpp hpl/spinning_team_test.cpp
  LINK bellwether::kernels Threads::Threads)
bellwether_backend_test(device_test launch/device_test.cpp launch/gather_test.cpp
  launch/pack_test.cpp)
bellwether_backend_test(stream_test stream/stream_test.cpp)
bellwether_backend_test(dense_test dense/dense_test.cpp dense/host_blas_test.cpp)
# cuBLAS' places and loading, on libraries that stand for it: with CUDA and without.
bellwether_test(cublas_test
  SOURCES dense/cublas_test.cpp dense/cublas.cpp dense/cublas_places.cpp dense/cuda_library.cpp
  LINK ${CMAKE_DL_LIBS})
if(TARGET cublas_test)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/fake_cublas)
  foreach(kind good broken)
    add_library(fake_cublas_${kind} SHARED dense/fake_cublas_test.cpp)
    bellwether_settings(fake_cublas_${kind})
    set_target_properties(fake_cublas_${kind} PROPERTIES
      OUTPUT_NAME cublas LIBRARY_OUTPUT_DIRECTORY ${folder}/${kind})
    add_dependencies(cublas_test fake_cublas_${kind})
  endforeach()
  target_compile_definitions(fake_cublas_broken PRIVATE FAKE_CUBLAS_STATUS=1)
  target_compile_definitions(cublas_test PRIVATE FAKE_CUBLAS_FOLDER="${folder}")
endif()
bellwether_backend_test(diffusion_test diffusion/diffusion_test.cpp
  diffusion/diffusion_body_test.cpp diffusion/diffusion_checks_test.cpp)
bellwether_backend_test(cholesky_test cholesky/cholesky_test.cpp)
bellwether_backend_test(hpl_test hpl/hpl_test.cpp hpl/hpl_device_panel_test.cpp
  hpl/hpl_split_test.cpp)
bellwether_backend_test(lbm_test lbm/lbm_test.cpp lbm/lbm_body_test.cpp lbm/lbm_checks_test.cpp
  lbm/lbm_streaming_test.cpp lbm/lbm_sums_test.cpp)
# Fluxes and updates are compared to the bit there, as the kernels compute them.
set_source_files_properties(airfoil/airfoil_body_test.cpp cholesky/cholesky_test.cpp
  hpl/hpl_device_panel_test.cpp PROPERTIES COMPILE_OPTIONS
  "-ffp-contract=off")

# What GCC leaves of prefetches, stores past the cache and what it is told to inline, in the libraries as
# they are shipped. Clang inlines less of lattice Boltzmann than it is told to.
if(BELLWETHER_TESTS AND TARGET bellwether_kernels_v3 AND CMAKE_BUILD_TYPE STREQUAL "Release"
   AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  find_package(Python3 COMPONENTS Interpreter REQUIRED)
  add_test(NAME kernel_instructions
    COMMAND ${Python3_EXECUTABLE} -B instructions_test.py $<TARGET_FILE:bellwether_kernels>
            $<TARGET_FILE:bellwether_kernels_v3> $<TARGET_FILE:bellwether_kernels_v4>
    WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  set_tests_properties(kernel_instructions PROPERTIES LABELS unit TIMEOUT 120 SKIP_RETURN_CODE 77)
endif()
