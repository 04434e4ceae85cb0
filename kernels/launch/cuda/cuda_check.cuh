// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime.h>

#include "kernels/launch/device.hpp"

namespace bellwether::cuda {

/// Throws std::runtime_error with what was tried, the device, and CUDA's name and text of the
/// error; where the error is a kernel's, which any later call may report, also with the kernels
/// launched last.
void check(cudaError_t status, const char* what);

/// For destructors and releases, which cannot throw: the next call that is checked reports it.
void note(cudaError_t status, const char* what);

/// The same as check() of a launch, with the status that the launch itself returned. The kernel's
/// name, a literal, is kept for check().
void check_launch(cudaError_t status, const char* kernel);

/// Multiprocessors of the process' device.
[[nodiscard]] int multiprocessors();

/// The queue behind a Stream that the CUDA device made.
[[nodiscard]] cudaStream_t queue_of(Stream& stream);

}  // namespace bellwether::cuda
