// SPDX-License-Identifier: MIT
#include "microbench/links/messages.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <vector>

#include "microbench/driver/toy_calibration_test.hpp"

namespace bellwether {
namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

TEST(MessageBuffers, SmallMessagesLieInPiecesTooSmallForHugePages) {
  Bench bench(*session, "kokkos", toy_limits());
  MessageBuffers buffers(bench.device(), 4 * mebibyte);
  // The places of a small message lie further apart than one piece reaches; none crosses its end.
  std::set<std::byte*> places;
  for (int turn = 0; turn < 100; ++turn) places.insert(buffers.cold_registered(mebibyte));
  EXPECT_GE(places.size(), 8u);
  EXPECT_LE(places.size(), 32u);
  std::byte* last = nullptr;
  for (std::byte* place : places) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(place) % 4096, 0u);
    if (last != nullptr) {
      EXPECT_GE(place - last, static_cast<std::ptrdiff_t>(mebibyte));
    }
    last = place;
  }
}

TEST(MessageBuffers, EveryPlaceHoldsItsMessage) {
  Bench bench(*session, "kokkos", toy_limits());
  for (const std::size_t largest : {std::size_t{2048}, 4 * mebibyte}) {
    MessageBuffers buffers(bench.device(), largest);
    for (std::size_t bytes = 8; bytes <= largest; bytes *= 2)
      for (int turn = 0; turn < 40; ++turn) {
        write_fresh(buffers.send(bytes, turn, 4), bytes, turn);
        write_fresh(buffers.receive(bytes, turn), bytes, turn);
        write_fresh(buffers.cold(bytes), bytes, turn);
        write_fresh(buffers.cold_registered(bytes), bytes, turn);
        EXPECT_NE(buffers.send(bytes, turn), buffers.send(bytes, turn + 1));
      }
  }
}

TEST(MessageBuffers, ABufferHoldsSeveralSmallMessages) {
  Bench bench(*session, "kokkos", toy_limits());
  const MessageBuffers buffers(bench.device(), 2048);
  for (const std::size_t bytes : {std::size_t{8}, MessageBuffers::small_message / 4}) {
    for (std::size_t message = 0; message < 4; ++message)
      write_fresh(buffers.send(bytes, 0, message * whole_pages(bytes)), bytes,
                  static_cast<int>(message));
    std::set<std::byte> first;
    for (std::size_t message = 0; message < 4; ++message)
      first.insert(*buffers.send(bytes, 0, message * whole_pages(bytes)));
    EXPECT_EQ(first.size(), 4u);
  }
}

TEST(MessageBuffers, InDeviceMemoryAreWrittenAnew) {
  const std::size_t largest = toy_limits().largest_message_bytes;
  for (const BackendInfo& backend : backends()) {
    if (!backend.usable) continue;
    Bench bench(*session, backend.name, toy_limits());
    bench.reserve_arena(arena_bytes_to_write(largest));
    const MessageBuffers& buffers = buffers_of(bench, MessageMemory::device);
    EXPECT_NE(&buffers, &buffers_of(bench));
    EXPECT_EQ(&buffers, &buffers_of(bench, MessageMemory::device));
    std::byte* const message = buffers.send(largest, 0);
    const auto read = [&](const std::byte* from) {
      std::vector<std::byte> bytes(largest);
      bench.device().copy(bytes.data(), from, largest, bench.stream());
      bench.device().fence(bench.stream());
      return bytes;
    };
    const auto written = [&](int turn) {
      buffers.write(message, largest, turn);
      return read(message);
    };
    const auto first = written(0);
    EXPECT_NE(first, written(1)) << backend.name;
    EXPECT_EQ(first, written(2)) << backend.name;
    EXPECT_EQ(first, read(bench.arena())) << backend.name;
  }
}

TEST(MessageBuffers, TextSaysWhichPages) {
  EXPECT_NE(pages_text(false).find("4 KiB pages below 2 MiB"), std::string::npos);
  EXPECT_EQ(pages_text(true).find("4 KiB"), std::string::npos);
}

}  // namespace
}  // namespace bellwether
