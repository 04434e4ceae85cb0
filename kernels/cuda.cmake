# The native CUDA backend: a shared library with the runtime linked in, which loads the driver when
# it is first used. So the program starts on a machine without one, and says that there is no device.
# For the tests the same sources are compiled for a GPU made of CPU (launch/host_gpu): with
# BELLWETHER_CUDA=HOST_GPU in its place, else beside it.

set(BELLWETHER_CUDA_SOURCES
  airfoil/airfoil_cuda.cu
  cholesky/cholesky_cuda.cu
  dense/cublas.cpp
  dense/cublas_places.cpp
  dense/cuda_library.cpp
  dense/cusolver.cpp
  dense/dense_cuda.cu
  diffusion/diffusion_cuda.cu
  hpl/hpl_cuda.cu
  hpl/hpl_panel_cuda.cu
  launch/cuda/cuda_check.cu
  launch/cuda/cuda_device.cu
  lbm/lbm_cuda.cu
  stream/stream_cuda.cu)

if(BELLWETHER_TESTS OR BELLWETHER_CUDA STREQUAL "HOST_GPU")
  add_subdirectory(launch/host_gpu)
endif()
if(BELLWETHER_CUDA STREQUAL "HOST_GPU")
  add_library(bellwether::cuda ALIAS bellwether_cuda_on_host)
  return()
endif()

add_library(bellwether_cuda SHARED ${BELLWETHER_CUDA_SOURCES})
add_library(bellwether::cuda ALIAS bellwether_cuda)
bellwether_settings(bellwether_cuda)
bellwether_cuda_settings(bellwether_cuda)
# No contraction of a * b + c: results are bitwise those of the CPU. A kernel that wants fma says so.
target_compile_options(bellwether_cuda PRIVATE
  "$<$<COMPILE_LANGUAGE:CUDA>:-fmad=false;-Xcompiler=-ffp-contract=off>")
set_target_properties(bellwether_cuda PROPERTIES
  CUDA_RUNTIME_LIBRARY Static)
target_link_libraries(bellwether_cuda PRIVATE ${CMAKE_DL_LIBS})
