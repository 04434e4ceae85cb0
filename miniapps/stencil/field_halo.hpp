// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/launch/device.hpp"
#include "miniapps/comm/halo.hpp"
#include "miniapps/stencil/halo_messages.hpp"

namespace bellwether {

/// What is exchanged: a storage of fields, and the parity of the step that was the last to update
/// it, where that tells which field's place a part is in.
struct HaloState {
  void* storage = nullptr;
  int parity = 0;
};

/// What a halo of fields packs and unpacks: each message a block of its own. All go at once, those
/// across edges too: faces direction after direction would carry them along, and wait for one
/// another. A neighbour may be the rank itself, and the same one on both sides: what leaves a high
/// face arrives at a low one.
class FieldHalo {
 public:
  /// Every field of the storage is laid out as `layout`. The device outlives the object.
  FieldHalo(Device& device, std::vector<HaloMessage> messages, const GridLayout& layout,
            std::size_t element_bytes);

  [[nodiscard]] HaloBlocks blocks() const;
  /// For the object's lifetime.
  [[nodiscard]] HaloPacking packing(const HaloState& state) const;
  /// Bytes of all buffers, for a rank's messages.
  static std::size_t buffer_bytes(const std::vector<HaloMessage>& messages, bool staged);

 private:
  [[nodiscard]] char* start_of(const HaloState& state, const HaloPart& part) const;

  Device& device_;
  std::vector<HaloMessage> messages_;
  GridLayout layout_;
  std::size_t element_bytes_;
};

}  // namespace bellwether
