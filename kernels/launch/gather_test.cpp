// SPDX-License-Identifier: MIT
#include <cstdint>
#include <numeric>
#include <stdexcept>

#include "kernels/launch/backend_test.hpp"

namespace bellwether {
namespace {

class GatherTest : public BackendTest {};
INSTANTIATE_TEST_SUITE_P(Backends, GatherTest, every_backend(), backend_in_name);

/// `count` of the elements below `bound`, none twice, in any order.
std::vector<int> some_of(int bound, int count, Random& random) {
  std::vector<int> all(bound);
  std::iota(all.begin(), all.end(), 0);
  for (int n = 0; n < count; ++n) std::swap(all[n], all[n + random.below(bound - n)]);
  all.resize(count);
  return all;
}

/// Values of an element side by side, without and with padding, and values of a component.
std::vector<ElementLayout> layouts_of(int components, int elements) {
  return {ElementLayout::of_records(components),
          {components, components + 3, 1},
          {components, 1, elements + 5}};
}

template <class Word>
void check_layouts(TestBackend& on) {
  Random random(sizeof(Word));
  constexpr int guard = 7;
  for (const auto& [elements, count] : {std::pair{1, 1}, {9, 0}, {50, 50}, {3000, 1111}}) {
    for (const int components : {1, 3, 4}) {
      for (const ElementLayout& layout : layouts_of(components, elements)) {
        const std::ptrdiff_t record = components + random.below(3), offset = guard;
        const auto array = random_words<Word>(
            random, elements * layout.element_stride + components * layout.component_stride);
        const auto buffer = random_words<Word>(random, count * record + 2 * guard);
        const std::vector<int> indices = some_of(elements, count, random);
        std::vector<Word> expected_array = array, expected_buffer = buffer;
        for (int n = 0; n < count; ++n) {
          for (int c = 0; c < components; ++c) {
            const auto at = indices[n] * layout.element_stride + c * layout.component_stride;
            expected_buffer[offset + n * record + c] = array[at];
            expected_array[at] = buffer[offset + n * record + c];
          }
        }
        const Buffer<int> listed = on.upload(indices);
        const IndexedElements moved{layout, listed.data(), indices.size(), record};

        const Buffer<Word> source = on.upload(array), gathered = on.upload(buffer);
        on.device().gather(gathered.data() + offset, source.data(), moved, sizeof(Word),
                           on.stream());
        ASSERT_TRUE(same_bits(on.download(gathered), expected_buffer));
        ASSERT_TRUE(same_bits(on.download(source), array));

        const Buffer<Word> target = on.upload(array), message = on.upload(buffer);
        on.device().scatter(target.data(), message.data() + offset, moved, sizeof(Word),
                            on.stream());
        ASSERT_TRUE(same_bits(on.download(target), expected_array));
        ASSERT_TRUE(same_bits(on.download(message), buffer));
      }
    }
  }
}

TEST_P(GatherTest, MovesTheListedElementsAndNothingElseOf4Bytes) {
  check_layouts<std::uint32_t>(backend());
}
TEST_P(GatherTest, MovesTheListedElementsAndNothingElseOf8Bytes) {
  check_layouts<std::uint64_t>(backend());
}

TEST_P(GatherTest, RefusesOtherValues) {
  const Buffer<int> one = backend().upload(std::vector<int>{0});
  const IndexedElements listed{{}, one.data(), 1, 1};
  EXPECT_THROW(device().gather(one.data(), one.data(), listed, 2, stream()), std::invalid_argument);
}

}  // namespace
}  // namespace bellwether
