// SPDX-License-Identifier: MIT

// Preloaded with HOST_GPU_HOST_ACCESS=1, it makes any MPI one that takes device memory: device
// memory is then host memory that nothing guards, and here is what the program asks before it hands
// it over.
extern "C" {
int MPIX_Query_cuda_support();
int MPIX_Query_cuda_support() { return 1; }
}
