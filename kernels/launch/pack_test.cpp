// SPDX-License-Identifier: MIT
#include <cstdint>
#include <stdexcept>
#include <utility>

#include "kernels/launch/box_test.hpp"
#include "kernels/launch/packed_boxes.hpp"

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
void visit_packed(const GridLayout& layout, const PackedBox& packed, const Visit& visit) {
  std::size_t n = packed.at;
  visit_cells(packed.box, [&](int i, int j, int k) {
    visit(packed.field + static_cast<std::size_t>(layout.at(i, j, k)), n++);
  });
}

/// Boxes with gaps of a few elements between them in the buffer, in no order of theirs, and how
/// many elements the buffer has.
struct Packed {
  std::vector<PackedBox> boxes;
  std::size_t elements = 0;

  void add(const Box& box, std::size_t field, Random& random) {
    elements += static_cast<std::size_t>(random.below(40));
    boxes.push_back({box, field, elements});
    std::swap(boxes.back(), boxes[random.below(static_cast<int>(boxes.size()))]);
    elements += box.cells();
  }
  [[nodiscard]] std::size_t buffer_elements() const { return elements + 40; }
};

/// Packs and unpacks them in one call each, and compares with a plain loop: what is in no box stays
/// as it was. A reason to fail is enough.
template <class Word>
void check_boxes(TestBackend& on, const GridLayout& layout, const Packed& packed, int fields,
                 Random& random) {
  const auto storage = random_words<Word>(random, fields * layout.elements());
  const auto buffer = random_words<Word>(random, packed.buffer_elements());
  std::vector<Word> expected_storage = storage, expected_buffer = buffer;
  for (const PackedBox& box : packed.boxes)
    visit_packed(layout, box, [&](std::size_t at, std::size_t n) {
      expected_buffer[n] = storage[at];
      expected_storage[at] = buffer[n];
    });
  const Buffer<Word> source = on.upload(storage), message = on.upload(buffer);
  on.device().pack(message.data(), source.data(), layout, packed.boxes, sizeof(Word), on.stream());
  ASSERT_TRUE(same_bits(on.download(message), expected_buffer));
  ASSERT_TRUE(same_bits(on.download(source), storage));

  const Buffer<Word> target = on.upload(storage), arrived = on.upload(buffer);
  on.device().unpack(target.data(), arrived.data(), layout, packed.boxes, sizeof(Word),
                     on.stream());
  ASSERT_TRUE(same_bits(on.download(target), expected_storage));
  ASSERT_TRUE(same_bits(on.download(arrived), buffer));
}

template <class Check>
void each_element(const Check& check) {
  {
    SCOPED_TRACE("4 bytes");
    check(std::uint32_t{});
  }
  {
    SCOPED_TRACE("8 bytes");
    check(std::uint64_t{});
  }
}

TEST_P(PackTest, MovesABoxAndNothingElse) {
  Random random(1);
  each_element([&]<class Word>(Word) {
    for (const auto& cells : sizes) {
      const GridLayout layout(cells, sizeof(Word));
      for (const Box& box : boxes_of(cells)) {
        Packed packed;
        packed.add(box, 0, random);
        check_boxes<Word>(backend(), layout, packed, 1, random);
        if (HasFatalFailure()) return;
      }
    }
  });
}

/// As a lattice's halo has them: faces and edges of several fields, where x has ghost cells and
/// where it has none.
TEST_P(PackTest, MovesBoxesOfSeveralFieldsAtOnce) {
  Random random(2);
  each_element([&]<class Word>(Word) {
    for (const auto& cells : sizes) {
      for (const RowGhosts ghosts : {RowGhosts::both, RowGhosts::none}) {
        const GridLayout layout(cells, sizeof(Word), ghosts);
        const int x_ghosts = ghosts == RowGhosts::both ? 1 : 0;
        Packed packed;
        const int fields = 19;
        for (int field = 0; field < fields; ++field) {
          // Two disjoint layers of a field, ghost cells or not, and nothing.
          const int direction = ghosts == RowGhosts::both ? random.below(3) : 1 + random.below(2);
          Box low{{-x_ghosts, -1, -1}, {cells[0] + x_ghosts, cells[1] + 1, cells[2] + 1}};
          Box high = low;
          low.low[direction] = -1 + random.below(2);
          low.high[direction] = low.low[direction] + 1;
          high.low[direction] = cells[direction] - random.below(cells[direction] > 1 ? 2 : 1);
          high.high[direction] = high.low[direction] + 1;
          Box none = low;
          none.high[random.below(3)] = -1;
          for (const Box& box : {low, none, high})
            packed.add(box, field * layout.elements(), random);
        }
        check_boxes<Word>(backend(), layout, packed, fields, random);
        if (HasFatalFailure()) return;
      }
    }
  });
}

/// Single cells, rows and random boxes, up to more than a launch's table takes.
TEST_P(PackTest, MovesAnyNumberOfBoxes) {
  Random random(3);
  each_element([&]<class Word>(Word) {
    const GridLayout layout({37, 6, 5}, sizeof(Word));
    for (const int count : {0, 1, 2, 47, 48, 49, 95, 96, 97, 300}) {
      SCOPED_TRACE(count);
      Packed packed;
      for (int field = 0; field < count; ++field) {
        Box box = random_box(layout.cells(), random);
        if (field % 3 == 0) box.high[0] = box.low[0] + 1;
        if (field % 7 == 0) box.high = {box.low[0] + 1, box.low[1] + 1, box.low[2] + 1};
        packed.add(box, field * layout.elements(), random);
      }
      check_boxes<Word>(backend(), layout, packed, count + 1, random);
      if (HasFatalFailure()) return;
    }
  });
}

/// What a thread of a device does, in a plain loop over all threads of the launches: all boxes that
/// are not empty in one, until there are more than its table has places.
TEST(PackedMoves, TakeOneLaunchForAsManyBoxesAsD3Q19Has) {
  Random random(4);
  const GridLayout layout({21, 40, 9}, sizeof(std::uint32_t));
  for (const auto& [count, launches] :
       {std::pair{0, 0}, {1, 1}, {42, 1}, {48, 1}, {49, 2}, {96, 2}, {97, 3}}) {
    SCOPED_TRACE(count);
    Packed packed;
    for (int field = 0; field < count; ++field) {
      packed.add(random_box(layout.cells(), random), field * layout.elements(), random);
      packed.add({{0, 0, 0}, {5, 0, 5}}, field * layout.elements(), random);
    }
    auto storage = random_words<std::uint32_t>(random, (count + 1) * layout.elements());
    auto buffer = random_words<std::uint32_t>(random, packed.buffer_elements());
    auto expected = buffer;
    for (const PackedBox& box : packed.boxes)
      visit_packed(layout, box, [&](std::size_t at, std::size_t n) { expected[n] = storage[at]; });
    int launched = 0;
    with_packed_moves<true>(storage.data(), buffer.data(), layout, packed.boxes,
                            sizeof(std::uint32_t), [&](const auto& move) {
                              ++launched;
                              for (unsigned tile = 0; tile < move.cut.tiles; ++tile)
                                for (int thread = 0; thread < launch::block_threads; ++thread)
                                  move(tile, thread);
                            });
    EXPECT_EQ(launched, launches);
    EXPECT_TRUE(same_bits(buffer, expected));
  }
  EXPECT_THROW(with_packed_moves<true>(nullptr, nullptr, layout, {}, 2, [](const auto&) {}),
               std::invalid_argument);
}

}  // namespace
}  // namespace bellwether
