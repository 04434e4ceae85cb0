// SPDX-License-Identifier: MIT
#include "miniapps/stencil/field_halo.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "kernels/launch/backend_test.hpp"
#include "miniapps/comm/session/test_session.hpp"

namespace bellwether {
namespace {

class FieldHaloTest : public BackendTest {};
INSTANTIATE_TEST_SUITE_P(Backends, FieldHaloTest, every_backend(), backend_in_name);

/// What the owner of global cell (i, j, k) has in field v of it in a round of exchanges.
double owners_value(const std::array<int, 3>& global, const std::array<int, 3>& cells, int v,
                    int round) {
  return ((global[2] * cells[1] + global[1]) * cells[0] + global[0]) * 100.0 + v + round * 0.001;
}

template <class Visit>
void for_each_cell(const Box& box, Visit&& visit) {
  for (int k = box.low[2]; k < box.high[2]; ++k)
    for (int j = box.low[1]; j < box.high[1]; ++j)
      for (int i = box.low[0]; i < box.high[0]; ++i) visit(std::array<int, 3>{i, j, k});
}

/// A storage of several fields, of which a face's message holds one layer each. After a step of
/// parity 1 they stand in it the other way round.
class Fields {
 public:
  Fields(const Decomposition& decomposition, int rank, int fields)
      : cells_(decomposition.cells()),
        offset_(decomposition.offset(rank)),
        faces_(halo_faces(decomposition, rank)),
        layout_(decomposition.local_cells(rank), sizeof(double)),
        fields_(fields) {}

  [[nodiscard]] const GridLayout& layout() const { return layout_; }
  [[nodiscard]] std::vector<HaloMessage> messages(const Decomposition& decomposition,
                                                  int rank) const {
    auto messages = face_messages(decomposition, rank, layout_, fields_ * sizeof(double), true);
    EXPECT_EQ(messages.size(), faces_.size());
    for (HaloMessage& message : messages)
      for (auto* parts : {&message.pack, &message.unpack}) {
        EXPECT_EQ(parts->size(), 1u);
        EXPECT_EQ(message.bytes, parts->front().box.cells() * fields_ * sizeof(double));
        const Box box = parts->front().box;
        parts->clear();
        for (int v = 0; v < fields_; ++v) parts->push_back({{start(v, 0), start(v, 1)}, box});
      }
    return messages;
  }
  /// The owned cells have their values, all else is negative; with `ghosts` those have their
  /// owners' too.
  [[nodiscard]] std::vector<double> filled(int round, int parity, bool ghosts) const {
    std::vector<double> values(fields_ * layout_.elements(), -1);
    fill(values, layout_.interior(), round, parity);
    if (ghosts)
      for (const HaloFace& face : faces_) fill(values, face.receive, round, parity);
    return values;
  }

 private:
  [[nodiscard]] std::size_t start(int v, int parity) const {
    return (parity == 0 ? v : fields_ - 1 - v) * layout_.elements();
  }
  void fill(std::vector<double>& values, const Box& box, int round, int parity) const {
    for (int v = 0; v < fields_; ++v)
      for_each_cell(box, [&](std::array<int, 3> cell) {
        double& value = values[start(v, parity) + layout_.at(cell[0], cell[1], cell[2])];
        for (int d = 0; d < 3; ++d) cell[d] = (cell[d] + offset_[d] + cells_[d]) % cells_[d];
        value = owners_value(cell, cells_, v, round);
      });
  }

  std::array<int, 3> cells_, offset_;
  std::vector<HaloFace> faces_;
  GridLayout layout_;
  int fields_;
};

void expect_owners_values(TestBackend& on, const Decomposition& decomposition, int fields,
                          bool staged) {
  const int rank = test_session().rank();
  const Fields expected(decomposition, rank, fields);
  const auto messages = expected.messages(decomposition, rank);
  FieldHalo packs(on.device(), messages, expected.layout(), sizeof(double));
  Halo halo(test_session().world(), on.device(), packs.messages(), staged, Announcements::none);
  EXPECT_EQ(halo.empty(), messages.empty());
  Heartbeat heartbeat;
  PhaseClock clock(heartbeat);
  for (int round = 1; round <= 3; ++round) {
    const int parity = round % 2;
    const Buffer<double> storage = on.upload(expected.filled(round, parity, false));
    const HaloPacking packing = packs.packing({storage.data(), parity});
    halo.gather(packing, clock, on.stream());
    on.device().fence(on.stream());
    halo.start(clock);
    if (round == 2) halo.progress(clock);
    halo.finish(clock);
    halo.scatter(packing, clock, on.stream());
    on.device().fence(on.stream());
    ASSERT_TRUE(same_bits(on.download(storage), expected.filled(round, parity, true)))
        << decomposition.name() << (staged ? " staged" : " direct") << ", round " << round;
  }
  if (!on.device().is_host()) return;
  // In this order where launches return when they are done.
  std::vector<std::string> phases, in_order;
  for (const PhaseClock::Phase& phase : clock.phases()) phases.emplace_back(phase.name);
  if (!messages.empty() && staged)
    in_order = {"pack", "copy.to_host", "network", "copy.to_device", "unpack"};
  else if (!messages.empty())
    in_order = {"pack", "network", "unpack"};
  EXPECT_EQ(phases, in_order);
}

TEST_P(FieldHaloTest, EveryGhostCellReceivesItsOwnersValueAndNothingElseChanges) {
  for (const std::array<int, 3> cells : {std::array{7, 5, 9}, {4, 4, 4}, {5, 11, 4}})
    for (const auto& ranks : factorizations(test_session().size(), cells))
      for (const bool periodic : {false, true})
        for (const int fields : {1, 5})
          for (const bool staged : {false, true})
            if (staged || device().is_host())
              expect_owners_values(backend(), Decomposition(cells, ranks, periodic), fields,
                                   staged);
}

/// Of two fields that take turns.
void expect_planes_in_place(TestBackend& on, const Decomposition& decomposition) {
  const int rank = test_session().rank();
  const Fields expected(decomposition, rank, 1);
  const std::array fields{on.upload(expected.filled(1, 0, false)),
                          on.upload(expected.filled(2, 0, false))};
  const FieldHalo packs(
      on.device(), face_messages(decomposition, rank, expected.layout(), sizeof(double), false),
      expected.layout(), sizeof(double), {fields[0].data(), fields[1].data()});
  Halo halo(test_session().world(), on.device(), packs.messages(), false, Announcements::none);
  Heartbeat heartbeat;
  PhaseClock clock(heartbeat);
  for (const int field : {1, 0}) {
    const HaloPacking packing = packs.packing({fields[field].data(), 0});
    halo.gather(packing, clock, on.stream());
    on.device().fence(on.stream());
    halo.start(clock);
    halo.finish(clock);
    halo.scatter(packing, clock, on.stream());
    on.device().fence(on.stream());
    for (const int other : {0, 1})
      ASSERT_TRUE(
          same_bits(on.download(fields[other]), expected.filled(other + 1, 0, other >= field)))
          << decomposition.name() << ", exchanged " << field << ", found " << other;
  }
  const bool packed = decomposition.ranks()[0] * decomposition.ranks()[1] > 1;
  for (const PhaseClock::Phase& phase : clock.phases())
    EXPECT_TRUE(packed || phase.name == std::string("network")) << phase.name;
}

/// The large planes do not leave before their receiver has come to them.
TEST_P(FieldHaloTest, DirectPlanesGoFromFieldToFieldAndTheOtherFieldStays) {
  if (!device().is_host()) GTEST_SKIP() << "MPI may not know how";
  for (const std::array<int, 3> cells : {std::array{7, 5, 9}, {4, 4, 4}, {130, 66, 8}})
    for (const auto& ranks : factorizations(test_session().size(), cells))
      for (const bool periodic : {false, true})
        expect_planes_in_place(backend(), Decomposition(cells, ranks, periodic));
}

TEST_P(FieldHaloTest, SaysWhatItWillAllocate) {
  std::vector<HaloMessage> messages(3);
  messages[0].bytes = 24;
  messages[1].bytes = 16;
  messages[2].bytes = 1000;
  messages[2].in_place = true;
  // The second message begins at a cache line.
  EXPECT_EQ(FieldHalo::buffer_bytes(messages, false), 2 * 80u);
  EXPECT_EQ(FieldHalo::buffer_bytes(messages, true), 4 * 80u);
}

}  // namespace
}  // namespace bellwether
