// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "kernels/launch/host_device.hpp"

namespace bellwether {

/// How an array holds `components` values for each element of a set: value c of element e stands at
/// e * element_stride + c * component_stride. Strides count values.
struct ElementLayout {
  int components = 1;
  std::ptrdiff_t element_stride = 1;
  std::ptrdiff_t component_stride = 1;

  /// The values of an element side by side.
  static constexpr ElementLayout of_records(int components) { return {components, components, 1}; }
};

/// Where the values of listed elements stand, in an array and in a buffer: the n-th listed element
/// is the array's indices[n], and its values stand side by side from n * record on.
struct IndexedElements {
  ElementLayout layout;
  const int* indices = nullptr;  ///< in device memory
  std::size_t count = 0;
  std::ptrdiff_t record = 1;  ///< values from one listed element to the next in the buffer
};

/// Moves one value between an array and a buffer; `gathering` is out of the array.
template <class Word, bool gathering>
struct MoveIndexed {
  Word* array;
  Word* buffer;
  IndexedElements elements;

  BELLWETHER_HOST_DEVICE void value(std::size_t n, int component) const {
    Word& in_array = array[elements.indices[n] * elements.layout.element_stride +
                           component * elements.layout.component_stride];
    Word& in_buffer = buffer[static_cast<std::ptrdiff_t>(n) * elements.record + component];
    if constexpr (gathering)
      in_buffer = in_array;
    else
      in_array = in_buffer;
  }
  /// All values of the n-th listed element.
  BELLWETHER_HOST_DEVICE void element(std::size_t n) const {
    for (int component = 0; component < elements.layout.components; ++component)
      value(n, component);
  }
  [[nodiscard]] std::size_t values() const {
    return elements.count * static_cast<std::size_t>(elements.layout.components);
  }
  /// The item-th value of all, in the buffer's order: neighbouring threads of a GPU move
  /// neighbours.
  BELLWETHER_HOST_DEVICE void operator()(std::size_t item) const {
    const auto components = static_cast<std::size_t>(elements.layout.components);
    value(item / components, static_cast<int>(item % components));
  }
};

/// Calls visit(word) with a 0 of the type that moves values of `bytes`, 4 or 8;
/// std::invalid_argument for others.
template <class Visit>
void with_words_of(std::size_t bytes, const Visit& visit) {
  if (bytes == 4)
    visit(std::uint32_t{});
  else if (bytes == 8)
    visit(std::uint64_t{});
  else
    throw std::invalid_argument("values of " + std::to_string(bytes) + " bytes: expected 4 or 8");
}

/// Calls launch(move) with the MoveIndexed of values of 4 or 8 bytes; std::invalid_argument for
/// others.
template <bool gathering, class Launch>
void with_indexed_move(void* array, void* buffer, const IndexedElements& elements,
                       std::size_t value_bytes, const Launch& launch) {
  with_words_of(value_bytes, [&]<class Word>(Word) {
    launch(MoveIndexed<Word, gathering>{static_cast<Word*>(array), static_cast<Word*>(buffer),
                                        elements});
  });
}

}  // namespace bellwether
