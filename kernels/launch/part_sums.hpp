// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "kernels/launch/device.hpp"

namespace bellwether {

/// The sum, by Value::add and in their order, of the parts' sums in device memory: the same in
/// every run, whatever threads computed them. Blocks.
template <class Value>
Value total_of(Device& device, const Buffer<Value>& parts, Stream& stream) {
  std::vector<Value> sums(parts.size());
  device.copy(sums.data(), parts.data(), parts.bytes(), stream);
  device.fence(stream);
  Value total{};
  for (const Value& sum : sums) total.add(sum);
  return total;
}

}  // namespace bellwether
