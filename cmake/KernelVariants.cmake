# The CPU kernels as a shared library, once for every x86-64 level that their vector width knows. The
# dynamic loader (glibc 2.33 and later) picks the best that the processor runs from the folders
# glibc-hwcaps/x86-64-v3 and -v4 beside the plain one: one program, full speed on each machine, and
# no illegal instruction on another. Kernels that Kokkos compiles for a device have one variant.

# bellwether_kernel_library(SOURCES file... LINK target...): target bellwether_kernels, alias
# bellwether::kernels, and where they make sense bellwether_kernels_v3 and _v4.
function(bellwether_kernel_library)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
  bellwether_one_kernel_library(bellwether_kernels)
  add_library(bellwether::kernels ALIAS bellwether_kernels)
  if(BELLWETHER_KOKKOS_ON_GPU)
    return()
  endif()
  if(NOT BELLWETHER_KERNEL_VARIANTS)
    bellwether_native_if_supported(bellwether_kernels)
    return()
  endif()
  if(NOT CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64" OR NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
    bellwether_native_if_supported(bellwether_kernels)
    return()
  endif()
  foreach(level v3 v4)
    bellwether_one_kernel_library(bellwether_kernels_${level})
    set(options -march=x86-64-${level})
    if(level STREQUAL "v4")
      list(APPEND options -mprefer-vector-width=512)
    endif()
    target_compile_options(bellwether_kernels_${level} PRIVATE
      "$<$<COMPILE_LANGUAGE:CXX>:${options}>")
    set_target_properties(bellwether_kernels_${level} PROPERTIES
      LIBRARY_OUTPUT_NAME bellwether_kernels
      LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib/glibc-hwcaps/x86-64-${level})
    add_dependencies(bellwether_kernels bellwether_kernels_${level})
  endforeach()
endfunction()

function(bellwether_one_kernel_library target)
  add_library(${target} SHARED ${arg_SOURCES})
  bellwether_settings(${target})
  if(NOT BELLWETHER_KOKKOS_LANGUAGE STREQUAL "CXX")
    set_source_files_properties(${arg_SOURCES} PROPERTIES LANGUAGE ${BELLWETHER_KOKKOS_LANGUAGE})
  endif()
  if(BELLWETHER_KOKKOS_LANGUAGE STREQUAL "CUDA")
    bellwether_cuda_settings(${target})
    # 1675: a pragma for GCC, which nvcc does not need.
    target_compile_options(${target} PRIVATE
      "$<$<COMPILE_LANGUAGE:CUDA>:-extended-lambda;-diag-suppress=1675;-Xcompiler=-fopenmp-simd>")
    set_target_properties(${target} PROPERTIES CUDA_RUNTIME_LIBRARY Static)
    if(Kokkos_CUDA_ARCHITECTURES)
      set_target_properties(${target} PROPERTIES CUDA_ARCHITECTURES "${Kokkos_CUDA_ARCHITECTURES}")
    endif()
    # Kokkos calls libcuda.so.1, which comes with the driver: not every machine that builds has it.
    target_link_options(${target} INTERFACE LINKER:--allow-shlib-undefined)
  endif()
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fopenmp-simd>)
  target_link_libraries(${target} PUBLIC ${arg_LINK} PRIVATE Kokkos::kokkos BLAS::BLAS)
  target_compile_definitions(${target} PUBLIC
    BELLWETHER_WITH_CUDA=$<BOOL:${BELLWETHER_WITH_CUDA}>)
endfunction()

# The machine's own instruction set, for builds that stay on the machine (no levels to choose from).
function(bellwether_native_if_supported target)
  include(CheckCXXCompilerFlag)
  check_cxx_compiler_flag(-march=native BELLWETHER_HAS_MARCH_NATIVE)
  if(BELLWETHER_HAS_MARCH_NATIVE AND CMAKE_BUILD_TYPE STREQUAL "Release")
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-march=native>)
  endif()
endfunction()
