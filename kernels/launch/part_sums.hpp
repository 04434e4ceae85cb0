// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kernels/launch/device.hpp"

namespace bellwether {

/// Adds up the sums of parts, in memory that it keeps: an application may ask in every step.
class PartSums {
 public:
  explicit PartSums(Device& device) : device_(device) {}

  /// The sum, by Value::add and in their order, of the parts' sums, which sum_parts(sums) has put
  /// into device memory: the same in every run, whatever threads computed them. Blocks.
  template <class Value, class SumParts>
  Value total_of(std::int64_t parts, Stream& stream, const SumParts& sum_parts) {
    static_assert(std::is_trivially_copyable_v<Value>);
    if (parts == 0) return {};
    const std::size_t bytes = static_cast<std::size_t>(parts) * sizeof(Value);
    if (bytes > on_device_.size()) {
      on_host_ = {device_, bytes, true};
      on_device_ = {device_, bytes};
    }
    sum_parts(reinterpret_cast<Value*>(on_device_.data()));
    device_.copy_and_wait(on_host_.data(), on_device_.data(), bytes, stream);
    const auto* const sums = reinterpret_cast<const Value*>(on_host_.data());
    Value total{};
    for (std::int64_t part = 0; part < parts; ++part) total.add(sums[part]);
    return total;
  }

 private:
  Device& device_;
  Buffer<std::byte> on_host_, on_device_;
};

}  // namespace bellwether
