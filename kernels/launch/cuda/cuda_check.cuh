// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime.h>

#include "kernels/launch/device.hpp"

namespace bellwether::cuda {

/// Throws std::runtime_error with what was tried, the device, and CUDA's name and text of the
/// error.
void check(cudaError_t status, const char* what);

/// Multiprocessors of the process' device.
[[nodiscard]] int multiprocessors();

/// The queue behind a Stream that the CUDA device made.
[[nodiscard]] cudaStream_t queue_of(Stream& stream);

}  // namespace bellwether::cuda
