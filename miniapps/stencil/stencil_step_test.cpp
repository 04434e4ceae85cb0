// SPDX-License-Identifier: MIT
// The steps of a device beside the host, on a host that is made to look like one.
#include "miniapps/stencil/stencil_step.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <set>
#include <string>

#include "kernels/launch/box_test.hpp"
#include "miniapps/comm/session/test_session.hpp"
#include "miniapps/driver/watched_device_test.hpp"

namespace bellwether {
namespace {

Decomposition along_z() { return {{8, 8, 16}, {1, 1, test_session().size()}, true}; }

TEST(StencilStep, TermsOfAnOverlappedStepOnADeviceFitIntoIt) {
  const Session& session = test_session();
  const auto real = make_device("kokkos", session.local_rank());
  WatchedDevice device(*real);
  device.pool = "beside the host";
  const Decomposition decomposition = along_z();
  const GridLayout layout(decomposition.local_cells(session.rank()), sizeof(double));
  Buffer<double> field(device, layout.elements());
  StencilStep step(session, device, decomposition,
                   face_messages(decomposition, session.rank(), layout, sizeof(double), true),
                   layout, sizeof(double), true, Cut::rows);
  int updates = 0;
  const auto update = [&](const Boxes& boxes, Stream&) {
    ++updates;
    for (const Box& box : boxes)
      visit_cells(
          box, [&](int i, int j, int k) { field.data()[layout.at(i, j, k)] = session.rank() + 1; });
  };
  Heartbeat heartbeat;
  PhaseClock clock(heartbeat);
  const auto begin = std::chrono::steady_clock::now();
  step.overlapped(clock, {field.data()}, update);
  const std::chrono::duration<double> total = std::chrono::steady_clock::now() - begin;
  std::set<std::string> names;
  double sum = 0;
  for (const PhaseClock::Phase& phase : clock.phases()) {
    EXPECT_GE(phase.seconds, 0) << phase.name;
    EXPECT_TRUE(names.insert(phase.name).second) << phase.name;
    sum += phase.seconds;
  }
  EXPECT_LE(sum, total.count() * 1.01);
  if (session.size() == 1) {
    EXPECT_EQ(names, (std::set<std::string>{"compute.interior"}));
    EXPECT_EQ(updates, 1);
    EXPECT_EQ(device.done, WatchedDevice::Done{});
    return;
  }
  EXPECT_EQ(updates, 2);  // all slabs of the boundary, and the interior
  EXPECT_EQ(device.done, (WatchedDevice::Done{.packs = 1, .unpacks = 1, .copies = 2}));
  // The copies are part of the exposed communication, as in the refined model.
  EXPECT_EQ(names, (std::set<std::string>{"compute.boundary", "compute.interior", "network", "pack",
                                          "unpack"}));
  const int below = (session.rank() + session.size() - 1) % session.size();
  EXPECT_EQ(field.data()[layout.origin() - layout.plane_pitch()], below + 1);
  EXPECT_GT(step.bare_communication({field.data()}, update), 0);
}

/// What waits for what on a device is there for the terms too: kernels of two streams that met
/// would be timed twice. Nothing else tells for a method whose parts touch different memory.
TEST(StencilStep, TermsOfManyStepsOnADeviceFitIntoThem) {
  const Session& session = test_session();
  for (const BackendInfo& info : backends()) {
    if (!info.usable || session.size() == 1) continue;
    const auto device = make_device(info.name, session.local_rank());
    if (device->is_host()) continue;
    const Decomposition decomposition = along_z();
    const GridLayout layout(decomposition.local_cells(session.rank()), sizeof(double));
    Buffer<double> field(*device, layout.elements());
    StencilStep step(session, *device, decomposition,
                     face_messages(decomposition, session.rank(), layout, sizeof(double), true),
                     layout, sizeof(double), true, Cut::rows);
    const auto update = [&](const auto&, Stream& stream) { device->launch_nothing(10000, stream); };
    for (int n = 0; n < 100; ++n) {
      Heartbeat heartbeat;
      PhaseClock clock(heartbeat);
      const auto begin = std::chrono::steady_clock::now();
      step.overlapped(clock, {field.data()}, update);
      const std::chrono::duration<double> total = std::chrono::steady_clock::now() - begin;
      double sum = 0;
      for (const PhaseClock::Phase& phase : clock.phases()) sum += phase.seconds;
      ASSERT_LE(sum, total.count() * 1.01) << info.name << " " << n;
    }
  }
}

}  // namespace
}  // namespace bellwether
