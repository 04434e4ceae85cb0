// SPDX-License-Identifier: MIT
#pragma once

#include "microbench/memory/memory_cases.hpp"

namespace bellwether {

/// What a rank's memory does: curves, STREAM and the limit that rates are compared with.
void memory_from_samples(const MemoryCases& cases, const SampleStore& store, Machine& machine);

}  // namespace bellwether
