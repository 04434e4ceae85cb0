// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdint>

#include "kernels/launch/backend_test.hpp"

namespace bellwether {
namespace {

class PackTest : public BackendTest {};
INSTANTIATE_TEST_SUITE_P(Backends, PackTest, every_backend(), backend_in_name);

constexpr std::array<std::array<int, 3>, 6> sizes{
    {{1, 1, 1}, {1, 7, 3}, {2, 2, 2}, {5, 3, 1}, {17, 13, 11}, {33, 5, 66}}};

/// The outermost cells and the ghost cells of all six faces, without and with the edges' ghosts;
/// everything; one cell; nothing.
std::vector<Box> boxes_of(const std::array<int, 3>& cells) {
  std::vector<Box> boxes;
  for (const int edge : {0, 1}) {
    Box whole{{-edge, -edge, -edge}, {cells[0] + edge, cells[1] + edge, cells[2] + edge}};
    boxes.push_back(whole);
    for (int direction = 0; direction < 3; ++direction) {
      for (const int layer : {-1, 0, cells[direction] - 1, cells[direction]}) {
        Box face = whole;
        face.low[direction] = layer;
        face.high[direction] = layer + 1;
        boxes.push_back(face);
      }
    }
  }
  boxes.push_back({{cells[0] - 1, 0, cells[2]}, {cells[0], 1, cells[2] + 1}});
  boxes.push_back({{0, 0, 0}, {cells[0], 0, cells[2]}});
  return boxes;
}

/// Calls visit(place in the field, place in the buffer) for the box's cells, x fastest.
template <class Visit>
void visit_box(const GridLayout& layout, const Box& box, const Visit& visit) {
  std::size_t n = 0;
  for (int k = box.low[2]; k < box.high[2]; ++k)
    for (int j = box.low[1]; j < box.high[1]; ++j)
      for (int i = box.low[0]; i < box.high[0]; ++i)
        visit(static_cast<std::size_t>(layout.at(i, j, k)), n++);
}

template <class Word>
void check_boxes(TestBackend& on) {
  Random random(sizeof(Word));
  constexpr std::size_t guard = 40;
  for (const auto& cells : sizes) {
    const GridLayout layout(cells, sizeof(Word));
    for (const Box& box : boxes_of(cells)) {
      const auto field = random_words<Word>(random, layout.elements());
      const auto packed = random_words<Word>(random, box.cells() + 2 * guard);
      std::vector<Word> expected_field = field, expected_packed = packed;
      visit_box(layout, box, [&](std::size_t at, std::size_t n) {
        expected_packed[guard + n] = field[at];
        expected_field[at] = packed[guard + n];
      });

      const Buffer<Word> source = on.upload(field), buffer = on.upload(packed);
      on.device().pack(buffer.data() + guard, source.data(), layout, box, sizeof(Word),
                       on.stream());
      ASSERT_TRUE(same_bits(on.download(buffer), expected_packed));
      ASSERT_TRUE(same_bits(on.download(source), field));

      const Buffer<Word> target = on.upload(field), message = on.upload(packed);
      on.device().unpack(target.data(), message.data() + guard, layout, box, sizeof(Word),
                         on.stream());
      ASSERT_TRUE(same_bits(on.download(target), expected_field));
      ASSERT_TRUE(same_bits(on.download(message), packed));
    }
  }
}

TEST_P(PackTest, MovesTheBoxAndNothingElseOf4Bytes) { check_boxes<std::uint32_t>(backend()); }
TEST_P(PackTest, MovesTheBoxAndNothingElseOf8Bytes) { check_boxes<std::uint64_t>(backend()); }

}  // namespace
}  // namespace bellwether
