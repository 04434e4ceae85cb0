// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "microbench/driver/plan.hpp"

namespace bellwether {

/// A copy between a rank's host and device memory, or on a host backend between two host buffers,
/// by all ranks at once: that is how halos are staged.
struct CopySpec {
  std::string link;  ///< "staging", "host_to_device" or "device_to_host"
  bool pinned;       ///< host memory of Device::allocate_host, not of the heap
  std::size_t bytes;

  [[nodiscard]] std::string name() const;
};
std::vector<CopySpec> copy_specs(const Bench& bench);
BenchCase make_case(Bench& bench, const CopySpec& spec);

}  // namespace bellwether
