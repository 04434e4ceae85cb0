// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "models/machine/machine.hpp"
#include "models/stencil/stencil_curve.hpp"
#include "models/trace/trace.hpp"

namespace bellwether {

/// Time steps of a stencil application; the study's request is of one rank count and overlap mode.
/// The machine must outlive it.
std::unique_ptr<Trace> stencil_trace(const Machine& machine, const StencilKernel& kernel,
                                     const StencilStudy& study);

}  // namespace bellwether
