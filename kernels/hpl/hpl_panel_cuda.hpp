// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "kernels/dense/cublas.hpp"
#include "kernels/hpl/hpl_device_panel.hpp"

namespace bellwether {

/// For panels of at most so many rows and columns on this stream; `device` and `cublas` outlive it.
/// Throws std::runtime_error where the library that is asked for cannot be loaded.
std::unique_ptr<HplDevicePanel> make_cuda_panel(Device& device, Cublas& cublas, DevicePanelBy by,
                                                long rows, int width, Stream& stream);

}  // namespace bellwether
