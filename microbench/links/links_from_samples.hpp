// SPDX-License-Identifier: MIT
#pragma once

#include "microbench/links/links_cases.hpp"

namespace bellwether {

/// Links and collectives, with warnings about residuals above 10 % and about what one rank or one
/// node cannot measure.
void links_from_samples(const LinksCases& cases, const SampleStore& store, Machine& machine);

}  // namespace bellwether
