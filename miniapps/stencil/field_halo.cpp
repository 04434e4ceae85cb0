// SPDX-License-Identifier: MIT
#include "miniapps/stencil/field_halo.hpp"

#include <array>
#include <utility>

namespace bellwether {
namespace {

/// A message bears the face or edge that it leaves through, so that those between the same two
/// ranks are told apart; `way` is -1 for the neighbour's that arrives through the same place.
int tag_of(const std::array<int, 3>& shift, int way) {
  return 13 + way * (shift[0] + 3 * shift[1] + 9 * shift[2]);
}

HaloBlocks blocks_of(const std::vector<HaloMessage>& messages) {
  HaloBlocks blocks;
  for (const HaloMessage& message : messages) {
    blocks.out.push_back({{message.neighbour, tag_of(message.shift, 1), message.bytes}});
    blocks.in.push_back({{message.neighbour, tag_of(message.shift, -1), message.bytes}});
  }
  return blocks;
}

}  // namespace

FieldHalo::FieldHalo(Device& device, std::vector<HaloMessage> messages, const GridLayout& layout,
                     std::size_t element_bytes)
    : device_(device),
      messages_(std::move(messages)),
      layout_(layout),
      element_bytes_(element_bytes) {}

HaloBlocks FieldHalo::blocks() const { return blocks_of(messages_); }

std::size_t FieldHalo::buffer_bytes(const std::vector<HaloMessage>& messages, bool staged) {
  return Halo::buffer_bytes(blocks_of(messages), staged);
}

char* FieldHalo::start_of(const HaloState& state, const HaloPart& part) const {
  return static_cast<char*>(state.storage) + part.field[state.parity] * element_bytes_;
}

HaloPacking FieldHalo::packing(const HaloState& state) const {
  const auto pack = [this, state](const std::vector<char*>& blocks, Stream& stream) {
    for (std::size_t m = 0; m < messages_.size(); ++m) {
      char* to = blocks[m];
      for (const HaloPart& part : messages_[m].pack) {
        device_.pack(to, start_of(state, part), layout_, part.box, element_bytes_, stream);
        to += part.box.cells() * element_bytes_;
      }
    }
  };
  const auto unpack = [this, state](const std::vector<char*>& blocks, Stream& stream) {
    for (std::size_t m = 0; m < messages_.size(); ++m) {
      const char* from = blocks[m];
      for (const HaloPart& part : messages_[m].unpack) {
        device_.unpack(start_of(state, part), from, layout_, part.box, element_bytes_, stream);
        from += part.box.cells() * element_bytes_;
      }
    }
  };
  return {pack, unpack};
}

}  // namespace bellwether
