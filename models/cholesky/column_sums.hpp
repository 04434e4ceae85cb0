// SPDX-License-Identifier: MIT
#pragma once

#include "models/machine/bound.hpp"
#include "models/machine/machine.hpp"

namespace bellwether {

/// Sums over the steps of the factorization at which 1 to `last` columns remain to be updated,
/// columns dealt out cyclically to `ranks`: values that the rank updates which owns the next
/// column, the slowest, and columns that it updates. In closed form, for any rank count.
double slowest_updated_values(double last, double ranks);
double slowest_updated_columns(double last, double ranks);

/// Sum over k = 1 to `longest` of the refined seconds of a message of k values.
double message_time_sum(const LinkTiming& timing, double value_bytes, double longest, Bound bound);

}  // namespace bellwether
