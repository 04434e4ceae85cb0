// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/launch/device.hpp"
#include "miniapps/comm/halo.hpp"
#include "miniapps/mesh/local_mesh.hpp"

namespace bellwether {

/// What a set's halos pack and unpack for arrays that are exchanged together: one message to each
/// neighbour, one launch an array. Own elements are gathered, others' go to ieh and inh.
class ElementHalo {
 public:
  /// `layouts`: of each array; value_bytes is 4 or 8, the same for all. The device outlives the
  /// object.
  ElementHalo(Device& device, const LocalSet& set, std::vector<ElementLayout> layouts,
              std::size_t value_bytes);

  [[nodiscard]] const PeerMessages& messages() const { return messages_; }
  /// `arrays` are in device memory, in the order of the layouts. For the object's lifetime.
  [[nodiscard]] HaloPacking packing(const std::vector<void*>& arrays) const;
  /// The elements that are packed, and unpacked.
  [[nodiscard]] const Buffer<int>& exports() const { return exports_; }
  [[nodiscard]] const Buffer<int>& imports() const { return imports_; }
  /// What this and the buffers of its halo will allocate, on the device or the host.
  static std::size_t bytes(const LocalSet& set, const std::vector<ElementLayout>& layouts,
                           std::size_t value_bytes, bool staged);

 private:
  [[nodiscard]] IndexedElements listed(const Buffer<int>& elements,
                                       const ElementLayout& layout) const;

  Device& device_;
  std::vector<ElementLayout> layouts_;
  std::size_t value_bytes_;
  int record_;  ///< values of an element in a message
  PeerMessages messages_;
  Buffer<int> exports_, imports_;
};

}  // namespace bellwether
