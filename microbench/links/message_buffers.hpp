// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "microbench/driver/bench.hpp"

namespace bellwether {

/// Two buffers to send from and two to receive into, taken in turn, in host memory as halos are;
/// and cold ones to receive into, as halos are after a step's sweep over the fields.
class MessageBuffers {
 public:
  MessageBuffers(Device& device, std::size_t largest_message);
  /// About what one takes.
  static std::size_t bytes_for(std::size_t largest_message) { return 6 * largest_message; }

  /// `offset` bytes (less than a page) beyond a page boundary.
  [[nodiscard]] std::byte* send(int turn, std::size_t offset = 0) const {
    return buffers_[turn % 2].data() + offset;
  }
  [[nodiscard]] std::byte* receive(int turn, std::size_t offset = 0) const {
    return buffers_[2 + turn % 2].data() + offset;
  }
  /// Another place at each call, on a page boundary, that no core's own cache holds: the next of
  /// the whole region, which exceeds the caches.
  [[nodiscard]] std::byte* cold(std::size_t bytes);
  /// The same out of at most 32 places, so that a network card knows them when they come round
  /// again; small messages then find a warm cache.
  [[nodiscard]] std::byte* cold_registered(std::size_t bytes);

 private:
  std::array<Buffer<std::byte>, 4> buffers_;
  Buffer<std::byte> cold_;
  std::size_t cold_turn_ = 0;

  [[nodiscard]] std::byte* cold_place(std::size_t stride, std::size_t most_places);
};

/// 8 bytes, twice that and so on, as far as the limits allow.
std::vector<std::size_t> message_sizes(const CalibrationLimits& limits);

/// The bench's own, for its largest message; allocated when first asked for.
MessageBuffers& buffers_of(Bench& bench);

/// Overwrites the bytes with numbers that depend on `turn`, as packing a halo does before each
/// message: what is sent is then in the sender's cache, modified, and in no other.
void write_fresh(std::byte* to, std::size_t bytes, int turn);

}  // namespace bellwether
