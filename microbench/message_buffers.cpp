// SPDX-License-Identifier: MIT
#include "microbench/message_buffers.hpp"

#include <cstdint>
#include <cstring>

namespace bellwether {
namespace {
constexpr std::size_t page = 4096;
}

MessageBuffers::MessageBuffers(Device& device, std::size_t largest_message) {
  for (auto& buffer : buffers_) {
    buffer = Buffer<std::byte>(device, largest_message + page, true);
    write_fresh(buffer.data(), buffer.size(), 0);
  }
}

void write_fresh(std::byte* to, std::size_t bytes, int turn) {
  std::uint64_t word = 0x9e3779b97f4a7c15ull * static_cast<std::uint64_t>(turn + 1);
  std::size_t at = 0;
  for (; at + sizeof word <= bytes; at += sizeof word, word += 0x632be59bd9b4e019ull)
    std::memcpy(to + at, &word, sizeof word);
  std::memcpy(to + at, &word, bytes - at);
}

}  // namespace bellwether
