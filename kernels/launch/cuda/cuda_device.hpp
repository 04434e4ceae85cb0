// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include "kernels/launch/device.hpp"

namespace bellwether {

/// Whether the native CUDA backend can be used in this process: a driver that is new enough, and,
/// in the device that make_cuda_device(local_rank) takes, one that this build has code for. Never
/// throws, and makes no context on a device.
[[nodiscard]] BackendInfo cuda_backend_info(int local_rank);

/// The device with number local_rank modulo those that the process sees. It belongs to the thread
/// that makes it. Throws std::runtime_error when CUDA fails.
[[nodiscard]] std::unique_ptr<Device> make_cuda_device(int local_rank);

/// Puts the process on that device; why it could not, empty if it could.
[[nodiscard]] std::string choose_cuda_device(int local_rank);

}  // namespace bellwether
