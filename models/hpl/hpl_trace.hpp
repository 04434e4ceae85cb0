// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "models/hpl/hpl_curve.hpp"
#include "models/trace/trace.hpp"

namespace bellwether {

/// Factorizations with their solves; the study's request is of one rank count and overlap mode. The
/// schedule that factor_hpl simulates, each process with its own rows. The machine must outlive it.
std::unique_ptr<Trace> hpl_trace(const Machine& machine, const HplStudy& study);

}  // namespace bellwether
