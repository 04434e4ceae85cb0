// SPDX-License-Identifier: MIT
#include "miniapps/stencil/field_halo.hpp"

#include <array>

namespace bellwether {
namespace {

/// A message bears the face or edge that it leaves through, so that those between the same two
/// ranks are told apart; `way` is -1 for the neighbour's that arrives through the same place.
int tag_of(const std::array<int, 3>& shift, int way) {
  return 13 + way * (shift[0] + 3 * shift[1] + 9 * shift[2]);
}

PeerMessages peer_messages(const std::vector<HaloMessage>& messages) {
  PeerMessages all;
  std::size_t at = 0;
  for (const HaloMessage& message : messages) {
    const auto through = [&](int way) {
      return PeerMessage{message.neighbour, tag_of(message.shift, way), message.bytes, at,
                         message.in_place};
    };
    all.out.push_back(through(1));
    all.in.push_back(through(-1));
    if (message.in_place) continue;
    at += (message.bytes + cache_line_bytes - 1) / cache_line_bytes * cache_line_bytes;
  }
  return all;
}

}  // namespace

FieldHalo::FieldHalo(Device& device, const std::vector<HaloMessage>& messages,
                     const GridLayout& layout, std::size_t element_bytes,
                     const std::vector<void*>& storages)
    : device_(device),
      messages_(peer_messages(messages)),
      layout_(layout),
      element_bytes_(element_bytes) {
  const auto place_of = [&](const std::vector<HaloPart>& parts) {
    const auto& [i, j, k] = parts.front().box.low;
    return layout.at(i, j, k) * element_bytes;
  };
  for (std::size_t m = 0; m < messages.size(); ++m) {
    if (messages[m].in_place) {
      messages_.data = storages;
      messages_.out[m].at = place_of(messages[m].pack);
      messages_.in[m].at = place_of(messages[m].unpack);
      continue;
    }
    add(pack_, messages[m].pack, messages_.out[m].at / element_bytes);
    add(unpack_, messages[m].unpack, messages_.in[m].at / element_bytes);
  }
}

std::size_t FieldHalo::buffer_bytes(const std::vector<HaloMessage>& messages, bool staged) {
  return Halo::buffer_bytes(peer_messages(messages), staged);
}

void FieldHalo::add(PackedParts& packed, const std::vector<HaloPart>& parts, std::size_t at) {
  for (const HaloPart& part : parts) {
    for (const int parity : {0, 1}) packed[parity].push_back({part.box, part.field[parity], at});
    at += part.box.cells();
  }
}

HaloPacking FieldHalo::packing(const HaloState& state) const {
  const auto pack = [this, state](char* buffer, Stream& stream) {
    device_.pack(buffer, state.storage, layout_, pack_[state.parity], element_bytes_, stream);
  };
  const auto unpack = [this, state](const char* buffer, Stream& stream) {
    device_.unpack(state.storage, buffer, layout_, unpack_[state.parity], element_bytes_, stream);
  };
  const bool in_place = messages_.data.front() != nullptr;
  return {pack, unpack, in_place ? state.storage : nullptr};
}

}  // namespace bellwether
