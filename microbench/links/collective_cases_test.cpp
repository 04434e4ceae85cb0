// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <string>

#include "microbench/driver/toy_calibration_test.hpp"
#include "microbench/links/links.hpp"
#include "microbench/links/messages.hpp"

namespace bellwether {
namespace {

TEST(BlockCollectives, AreMeasuredByAllRanksAndTheirResultsAreRight) {
  CalibrationLimits limits = toy_limits();
  limits.largest_message_bytes = 64 << 10;
  Bench bench(*session, "kokkos", limits);
  const std::vector<BlockSpec> specs = block_specs(bench, MessageMemory::host, kept_blocks);
  ASSERT_EQ(specs.size(), session->size() == 1 ? 0u : 8u) << "8 B and 4 KiB";
  SampleStore store;
  int key = 0;
  for (const BlockSpec& spec : specs) {
    BenchCase work = make_case(bench, spec);
    work.key = {++key, 0};
    EXPECT_TRUE(work.everyone && work.active);
    work.prepare();
    EXPECT_NO_THROW(take_sample(session->world(), work, store)) << work.name;
    EXPECT_GT(store.at(work.key).front(), 0) << work.name;
  }
}

TEST(BlockCollectives, AWrongResultIsSaidByAllRanks) {
  if (session->size() == 1) return;
  Bench bench(*session, "kokkos", toy_limits());
  for (const BlockSpec& spec : block_specs(bench, MessageMemory::host, kept_blocks)) {
    const BenchCase work = make_case(bench, spec);
    work.prepare();
    // One bit of what the last rank sends: of the root's own bcast nothing is sent by it.
    std::byte* const sent = buffers_of(bench).send(spec.bytes, 0);
    if (session->rank() + 1 == session->size()) sent[5] ^= std::byte{1};
    if (spec.collective == "bcast") {
      EXPECT_NO_THROW(work.sample());
      continue;
    }
    try {
      work.sample();
      ADD_FAILURE() << spec.name() << ": a wrong bit was not noticed";
    } catch (const BadEnvironment& error) {
      EXPECT_NE(std::string(error.what()).find(spec.name() + ": wrong result: rank "),
                std::string::npos)
          << error.what();
    }
  }
}

}  // namespace
}  // namespace bellwether
