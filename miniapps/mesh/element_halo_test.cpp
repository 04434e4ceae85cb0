// SPDX-License-Identifier: MIT
#include "miniapps/mesh/element_halo.hpp"

#include <string>

#include "miniapps/mesh/distribute.hpp"
#include "miniapps/mesh/random_mesh_test.hpp"

namespace bellwether {
namespace {

class ElementHaloTest : public BackendTest {};
INSTANTIATE_TEST_SUITE_P(Backends, ElementHaloTest, every_backend(), backend_in_name);

/// What the owner of an element has in component c of its array in a round of exchanges.
template <class T>
T owners_value(std::int64_t element, int array, int c, int round) {
  return static_cast<T>(1000 * round + 10 * element + 4 * array + c);
}

template <class T>
class Arrays {
 public:
  Arrays(const LocalSet& set, std::vector<ElementLayout> layouts)
      : set_(set), layouts_(std::move(layouts)) {
    for (const ElementLayout& layout : layouts_)
      values_.emplace_back(set.size() * layout.element_stride +
                           layout.components * layout.component_stride);
  }
  /// The first `count` local elements have their owners' values, all else is negative.
  void fill(int count, int round) {
    for (std::size_t a = 0; a < layouts_.size(); ++a) {
      std::fill(values_[a].begin(), values_[a].end(), T{-1});
      for (int n = 0; n < count; ++n)
        for (int c = 0; c < layouts_[a].components; ++c)
          values_[a][n * layouts_[a].element_stride + c * layouts_[a].component_stride] =
              owners_value<T>(set_.global[n], static_cast<int>(a), c, round);
    }
  }
  [[nodiscard]] const std::vector<std::vector<T>>& values() const { return values_; }

 private:
  const LocalSet& set_;
  std::vector<ElementLayout> layouts_;
  std::vector<std::vector<T>> values_;
};

template <class T>
void exchange_rounds(TestBackend& on, const LocalSet& set,
                     const std::vector<ElementLayout>& layouts, bool staged) {
  const ElementHalo elements(on.device(), set, layouts, sizeof(T));
  Halo halo(test_session().world(), on.device(), elements.messages(), staged, Announcements::sent);
  Heartbeat heartbeat;
  PhaseClock clock(heartbeat);
  Arrays<T> before(set, layouts), after(set, layouts);
  for (int round = 1; round <= 3; ++round) {
    before.fill(set.owned(), round);
    after.fill(set.size(), round);
    std::vector<Buffer<T>> buffers;
    for (const std::vector<T>& values : before.values()) buffers.push_back(on.upload(values));
    std::vector<void*> arrays;
    for (const Buffer<T>& buffer : buffers) arrays.push_back(buffer.data());
    const HaloPacking packing = elements.packing(arrays);
    halo.gather(packing, clock, on.stream());
    on.device().fence(on.stream());
    halo.start(clock);
    if (round == 2) halo.progress(clock);
    halo.finish(clock);
    halo.scatter(packing, clock, on.stream());
    on.device().fence(on.stream());
    for (std::size_t a = 0; a < buffers.size(); ++a)
      ASSERT_TRUE(same_bits(on.download(buffers[a]), after.values()[a]));
  }
  halo.timer().collect(clock);
  std::vector<std::string> phases, expected;
  for (const PhaseClock::Phase& phase : clock.phases()) phases.emplace_back(phase.name);
  const bool sends =
      std::any_of(set.neighbours.begin(), set.neighbours.end(), [](const SetNeighbour& neighbour) {
        return !neighbour.execute_exports.empty() || !neighbour.read_exports.empty();
      });
  const bool receives = set.ieh + set.inh > 0;
  if (sends) expected.emplace_back("pack");
  if (sends && staged) expected.emplace_back("copy.to_host");
  if (sends || receives) expected.insert(expected.end(), {"network", "wait"});
  if (receives && staged) expected.emplace_back("copy.to_device");
  if (receives) expected.emplace_back("unpack");
  std::sort(phases.begin(), phases.end());
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(phases, expected);
  EXPECT_EQ(halo.empty(), !sends && !receives);
}

TEST_P(ElementHaloTest, HalosReceiveTheirOwnersValuesAndNothingElseChanges) {
  Random random(5);
  for (int n = 0; n < 8; ++n) {
    const WholeMesh whole = random_mesh(random, test_session().size());
    const LocalMesh local =
        distribute(test_session().world(), whole.blocks(), whole.ownership(), {});
    for (const LocalSet& set : local.sets) {
      const auto records = ElementLayout::of_records;
      const ElementLayout by_component{3, 1, set.size() + 2}, padded{1, 2, 1};
      for (const bool staged : {true, false}) {
        if (!staged && !device().is_host()) continue;  // not every MPI takes a device's memory
        exchange_rounds<double>(backend(), set, {records(4)}, staged);
        exchange_rounds<double>(backend(), set, {records(4), records(1)}, staged);
        exchange_rounds<float>(backend(), set, {by_component, padded, records(2)}, staged);
      }
    }
  }
}

TEST_P(ElementHaloTest, SaysWhatItWillAllocate) {
  LocalSet set{"cells", 100, 5, 4, 2, 3, {}, {}};
  set.neighbours = {{0, {7, 8}, {6}, 9, 2, 11, 1}, {1, {}, {5, 6, 7}, 11, 0, 12, 2}};
  const std::vector<ElementLayout> layouts = {ElementLayout::of_records(4), {1, 1, 1}};
  // 6 sent and 5 received of 5 values each, and their indices.
  EXPECT_EQ(ElementHalo::bytes(set, layouts, 8, false), 11 * (4 + 5 * 8u));
  EXPECT_EQ(ElementHalo::bytes(set, layouts, 4, true), 11 * (4 + 2 * 5 * 4u));
}

}  // namespace
}  // namespace bellwether
