// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "results/record.hpp"

namespace bellwether {

/// A record of hpl as netlib's HPL prints it, whole lines: T/V, N, NB, P, Q, time and Gflops of a
/// factorization that passed, and its residual; nothing of a matrix without a residual. T/V is W,
/// R (ranks along rows), 1 or 0 (look-ahead), the broadcast's digit, and what is always so of a
/// panel: R2 (right-looking by halves), R8 (right-looking in 8 columns).
std::string hpl_result_lines(const Record& record);

/// The rate over the last factorization, from the record's result.curve ([columns done, seconds]):
/// some 20 rows, evenly over the flops, and a heading. Nothing of one that failed.
std::string hpl_curve_lines(const Record& record);

}  // namespace bellwether
