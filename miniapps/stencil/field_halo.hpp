// SPDX-License-Identifier: MIT
#pragma once

#include <array>
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

/// What a halo of fields packs and unpacks: each a launch for all messages that are not in place,
/// which begin at cache lines of one buffer. All go at once, those across edges too: faces
/// direction after direction would carry them along, and wait for one another. A neighbour may be
/// the rank itself, and the same one on both sides: what leaves a high face arrives at a low one.
class FieldHalo {
 public:
  /// Every field of a storage is laid out as `layout`. `storages`: all that are exchanged, where
  /// messages are in place. The device outlives the object.
  FieldHalo(Device& device, const std::vector<HaloMessage>& messages, const GridLayout& layout,
            std::size_t element_bytes, const std::vector<void*>& storages = {});

  [[nodiscard]] const PeerMessages& messages() const { return messages_; }
  /// For the object's lifetime.
  [[nodiscard]] HaloPacking packing(const HaloState& state) const;
  /// Bytes of all buffers, for a rank's messages.
  static std::size_t buffer_bytes(const std::vector<HaloMessage>& messages, bool staged);

 private:
  /// Parts of messages, after a step of parity 0 and of parity 1.
  using PackedParts = std::array<std::vector<PackedBox>, 2>;
  static void add(PackedParts& packed, const std::vector<HaloPart>& parts, std::size_t at);

  Device& device_;
  PeerMessages messages_;
  GridLayout layout_;
  std::size_t element_bytes_;
  PackedParts pack_, unpack_;
};

}  // namespace bellwether
