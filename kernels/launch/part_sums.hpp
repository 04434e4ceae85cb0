// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/launch/device.hpp"

namespace bellwether {

/// The sum, by Value::add and in their order, of the parts' sums, which sum_parts(sums) has put
/// into device memory: the same in every run, whatever threads computed them. Blocks.
template <class Value, class SumParts>
Value total_of(Device& device, std::int64_t parts, Stream& stream, const SumParts& sum_parts) {
  if (parts == 0) return {};
  const Buffer<Value> on_device(device, static_cast<std::size_t>(parts));
  sum_parts(on_device.data());
  std::vector<Value> sums(on_device.size());
  device.copy(sums.data(), on_device.data(), on_device.bytes(), stream);
  device.fence(stream);
  Value total{};
  for (const Value& sum : sums) total.add(sum);
  return total;
}

}  // namespace bellwether
