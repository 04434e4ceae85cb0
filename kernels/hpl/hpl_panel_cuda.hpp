// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "kernels/dense/cublas.hpp"
#include "kernels/hpl/hpl_device_panel.hpp"

namespace bellwether {

/// For panels of at most so many rows and columns on this stream; `device` and `cublas` outlive it.
std::unique_ptr<HplDevicePanel> make_cuda_panel(Device& device, Cublas& cublas, long rows,
                                                int width, Stream& stream);

}  // namespace bellwether
