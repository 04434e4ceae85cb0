// SPDX-License-Identifier: MIT
#include "miniapps/mesh/element_halo.hpp"

#include <utility>

namespace bellwether {
namespace {

/// Values of an element over all arrays.
int record_of(const std::vector<ElementLayout>& layouts) {
  int record = 0;
  for (const ElementLayout& layout : layouts) record += layout.components;
  return record;
}

std::size_t exported(const SetNeighbour& neighbour) {
  return neighbour.execute_exports.size() + neighbour.read_exports.size();
}
std::size_t imported(const SetNeighbour& neighbour) {
  return static_cast<std::size_t>(neighbour.ieh_count + neighbour.inh_count);
}

/// Neighbour after neighbour, what is executed there before what is only read.
std::vector<int> all_exports(const LocalSet& set) {
  std::vector<int> elements;
  for (const SetNeighbour& neighbour : set.neighbours)
    for (const auto* list : {&neighbour.execute_exports, &neighbour.read_exports})
      elements.insert(elements.end(), list->begin(), list->end());
  return elements;
}
std::vector<int> all_imports(const LocalSet& set) {
  std::vector<int> elements;
  const auto add = [&](int first, int count) {
    for (int n = 0; n < count; ++n) elements.push_back(first + n);
  };
  for (const SetNeighbour& neighbour : set.neighbours) {
    add(neighbour.first_ieh, neighbour.ieh_count);
    add(neighbour.first_inh, neighbour.inh_count);
  }
  return elements;
}

/// A message to each neighbour and one from each, one behind another.
PeerMessages messages_of(const LocalSet& set, std::size_t element_bytes) {
  PeerMessages messages;
  const auto add = [&](std::vector<PeerMessage>& to, int rank, std::size_t elements) {
    const std::size_t at = to.empty() ? 0 : to.back().at + to.back().bytes;
    to.push_back({rank, 0, elements * element_bytes, at});
  };
  for (const SetNeighbour& neighbour : set.neighbours) {
    add(messages.out, neighbour.rank, exported(neighbour));
    add(messages.in, neighbour.rank, imported(neighbour));
  }
  return messages;
}

}  // namespace

ElementHalo::ElementHalo(Device& device, const LocalSet& set, std::vector<ElementLayout> layouts,
                         std::size_t value_bytes)
    : device_(device),
      layouts_(std::move(layouts)),
      value_bytes_(value_bytes),
      record_(record_of(layouts_)),
      messages_(messages_of(set, record_ * value_bytes)),
      exports_(uploaded(device, all_exports(set), *device.make_stream(false))),
      imports_(uploaded(device, all_imports(set), *device.make_stream(false))) {}

std::size_t ElementHalo::bytes(const LocalSet& set, const std::vector<ElementLayout>& layouts,
                               std::size_t value_bytes, bool staged) {
  std::size_t elements = 0;
  for (const SetNeighbour& neighbour : set.neighbours)
    elements += exported(neighbour) + imported(neighbour);
  return elements * sizeof(int) +
         Halo::buffer_bytes(messages_of(set, record_of(layouts) * value_bytes), staged);
}

IndexedElements ElementHalo::listed(const Buffer<int>& elements,
                                    const ElementLayout& layout) const {
  return {layout, elements.data(), elements.size(), record_};
}

HaloPacking ElementHalo::packing(const std::vector<void*>& arrays) const {
  const auto pack = [this, arrays](char* to, Stream& stream) {
    for (std::size_t a = 0; a < arrays.size(); ++a) {
      device_.gather(to, arrays[a], listed(exports_, layouts_[a]), value_bytes_, stream);
      to += layouts_[a].components * value_bytes_;
    }
  };
  const auto unpack = [this, arrays](const char* from, Stream& stream) {
    for (std::size_t a = 0; a < arrays.size(); ++a) {
      device_.scatter(arrays[a], from, listed(imports_, layouts_[a]), value_bytes_, stream);
      from += layouts_[a].components * value_bytes_;
    }
  };
  return {pack, unpack};
}

}  // namespace bellwether
