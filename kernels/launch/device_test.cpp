// SPDX-License-Identifier: MIT
#include "kernels/launch/device.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <utility>

#include "kernels/launch/backend_test.hpp"

namespace bellwether {
namespace {

class DeviceTest : public BackendTest {};
INSTANTIATE_TEST_SUITE_P(Backends, DeviceTest, every_backend(), backend_in_name);

bool is_aligned(const void* memory) { return reinterpret_cast<std::uintptr_t>(memory) % 256 == 0; }

TEST(BackendsTest, SayWhyTheyCannotBeUsed) {
  std::set<std::string> names;
  for (const BackendInfo& info : backends()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name << " twice";
    EXPECT_EQ(info.description.rfind(info.name, 0), 0u) << info.description;
    EXPECT_EQ(info.usable, info.problem.empty()) << info.name;
    if (info.usable) continue;
    EXPECT_THROW((void)make_device(info.name, 0), std::invalid_argument) << info.name;
  }
  EXPECT_EQ(names, (std::set<std::string>{"cuda", "kokkos"}));
}

TEST(BackendsTest, RefuseAnUnknownName) {
  for (const char* name : {"", "Kokkos", "opencl", "kokkos "})
    EXPECT_THROW((void)make_device(name, 0), std::invalid_argument) << name;
}

TEST_P(DeviceTest, DescribesItself) {
  EXPECT_EQ(device().backend(), GetParam());
  EXPECT_EQ(device().description().rfind(GetParam() + "/", 0), 0u) << device().description();
  EXPECT_GT(device().memory_available(), std::size_t{1} << 20);
  EXPECT_LT(device().memory_available(), std::size_t{1} << 50);
}

TEST_P(DeviceTest, AllocatesAlignedMemory) {
  for (const std::size_t bytes : {1u, 63u, 4096u, 4097u, 1u << 20, (2u << 20) - 1, 5u << 20}) {
    void* const first = device().allocate(bytes);
    void* const second = device().allocate(bytes);
    void* const host = device().allocate_host(bytes);
    EXPECT_TRUE(is_aligned(first) && is_aligned(second) && is_aligned(host)) << bytes;
    EXPECT_NE(first, second);
    std::vector<unsigned char> bytes_of(bytes, 7);
    std::memset(host, 9, bytes);
    device().copy(first, bytes_of.data(), bytes, stream());
    device().copy(second, host, bytes, stream());
    device().copy(bytes_of.data(), second, bytes, stream());
    device().fence(stream());
    EXPECT_EQ(bytes_of, std::vector<unsigned char>(bytes, 9)) << bytes;
    device().release_host(host);
    device().release(second);
    device().release(first);
  }
}

TEST_P(DeviceTest, CopiesWhatOthersReadWithEitherStores) {
  EXPECT_EQ(device().shared_stores(), Stores::cached);
  for (const Stores stores : {Stores::streaming, Stores::cached}) {
    device().use_shared_stores(stores);
    EXPECT_EQ(device().shared_stores(), stores);
    for (const std::size_t bytes : {0u, 1u, 63u, 64u, 65u, 200u, 4096u, 4161u})
      for (const std::size_t at : {0u, 1u, 8u, 63u, 64u}) {
        std::vector<unsigned char> sent(bytes + 3), expected(bytes + 130, 9);
        for (std::size_t n = 0; n < sent.size(); ++n) sent[n] = static_cast<unsigned char>(n % 251);
        const Buffer<unsigned char> from = backend().upload(sent);
        const Buffer<unsigned char> to(device(), expected.size(), true);
        std::copy(expected.begin(), expected.end(), to.data());
        device().copy_shared(to.data() + at, from.data() + 3, bytes, stream());
        device().fence(stream());
        std::copy_n(sent.begin() + 3, bytes, expected.begin() + static_cast<std::ptrdiff_t>(at));
        EXPECT_EQ(std::vector<unsigned char>(to.data(), to.data() + to.size()), expected)
            << bytes << " bytes at " << at;
      }
  }
}

TEST_P(DeviceTest, CopiesEveryByteAndNoOther) {
  Random random(11);
  for (const std::size_t count : {1u, 3u, 1000u, 70001u}) {
    const std::vector<double> sent = random.values<double>(count);
    const Buffer<double> first = backend().upload(sent);
    const Buffer<double> second = backend().upload(random.values<double>(count + 2));
    const Buffer<double> pinned(device(), count, true);
    std::vector<double> expected = backend().download(second);
    device().copy(pinned.data(), first.data(), first.bytes(), stream());
    device().copy(second.data() + 1, pinned.data(), first.bytes(), stream());
    device().fence(stream());
    std::copy(sent.begin(), sent.end(), expected.begin() + 1);
    EXPECT_TRUE(same_bits(backend().download(second), expected));
  }
}

TEST_P(DeviceTest, CopiesRowsAndNothingBetween) {
  constexpr std::size_t pitch = 13, pitch_between = 9, pitch_to = 11;
  Random random(12);
  for (const std::size_t columns : {1u, 5u, 9u}) {
    for (const std::size_t rows : {1u, 2u, 37u}) {
      // As much as there is from the first row's begin to the last one's end.
      const auto values = [&](std::size_t ld) {
        return random.values<double>((rows - 1) * ld + columns);
      };
      const std::vector<double> sent = values(pitch);
      std::vector<double> expected = values(pitch_to);
      const Buffer<double> first = backend().upload(sent), last = backend().upload(expected);
      const Buffer<double> pinned(device(), (rows - 1) * pitch_between + columns, true);
      constexpr std::size_t size = sizeof(double);
      device().copy_rows(pinned.data(), pitch_between * size, first.data(), pitch * size,
                         columns * size, rows, stream());
      device().copy_rows(last.data(), pitch_to * size, pinned.data(), pitch_between * size,
                         columns * size, rows, stream());
      for (std::size_t row = 0; row < rows; ++row)
        for (std::size_t column = 0; column < columns; ++column)
          expected[row * pitch_to + column] = sent[row * pitch + column];
      EXPECT_TRUE(same_bits(backend().download(last), expected)) << rows << " x " << columns;
    }
  }
}

TEST_P(DeviceTest, CopiesOfNothingNeedNoAddress) {
  EXPECT_NO_THROW(device().copy(nullptr, nullptr, 0, stream()));
  EXPECT_NO_THROW(device().copy_rows(nullptr, 8, nullptr, 8, 8, 0, stream()));
  EXPECT_NO_THROW(device().copy_rows(nullptr, 8, nullptr, 8, 0, 2, stream()));
  EXPECT_NO_THROW(device().fence(stream()));
}

TEST_P(DeviceTest, BuffersMoveAndSwap) {
  Buffer<float> one = backend().upload(std::vector<float>{1, 2, 3});
  const float* const data = one.data();
  Buffer<float> other(std::move(one));
  EXPECT_EQ(other.data(), data);
  EXPECT_EQ(other.size(), 3u);
  EXPECT_EQ(other.bytes(), 12u);
  Buffer<float> third(device(), 5);
  const float* const third_data = third.data();
  third.swap(other);
  EXPECT_EQ(third.data(), data);
  EXPECT_EQ(other.data(), third_data);
  EXPECT_EQ(other.size(), 5u);
  other = std::move(third);
  EXPECT_EQ(backend().download(other), (std::vector<float>{1, 2, 3}));
}

TEST_P(DeviceTest, EventsTimeTheWorkBetweenThem) {
  constexpr int copies = 32;
  const std::vector<double> values = Random(3).values<double>(std::size_t{2} << 20);
  const Buffer<double> from = backend().upload(values), to = backend().upload(values);
  const auto start = device().make_event(true), middle = device().make_event(true),
             end = device().make_event(true);
  // A busy machine may stop this process between the clock and an event: one of ten tries counts.
  double largest_share = 0;
  for (int attempt = 0; attempt < 10 && largest_share < 0.5; ++attempt) {
    const auto clock_start = std::chrono::steady_clock::now();
    device().record(*start, stream());
    for (int n = 0; n < copies; ++n) device().copy(to.data(), from.data(), to.bytes(), stream());
    device().record(*middle, stream());
    device().copy(to.data(), from.data(), to.bytes(), stream());
    device().record(*end, stream());
    device().fence(stream());
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - clock_start;
    ASSERT_TRUE(device().reached(*start) && device().reached(*middle) && device().reached(*end));
    const double first = device().elapsed(*start, *middle);
    const double second = device().elapsed(*middle, *end);
    const double both = device().elapsed(*start, *end);
    ASSERT_GT(first, 0);
    ASSERT_GT(second, 0);
    ASSERT_EQ(device().elapsed(*start, *start), 0);
    ASSERT_NEAR(both, first + second, 5e-6 + 1e-4 * both);  // device timers tick in microseconds
    ASSERT_LE(both, wall.count() * 1.01);
    largest_share = std::max(largest_share, both / wall.count());
  }
  EXPECT_GE(largest_share, 0.5);
}

TEST_P(DeviceTest, EventsAreRecordedOnAnothersQueue) {
  const std::vector<double> values = Random(4).values<double>(1000);
  const Buffer<double> from = backend().upload(values), to(device(), values.size());
  const auto start = device().make_event(true), end = device().make_event(true);
  for (int adopted = 0; adopted < 2; ++adopted) {  // it is not destroyed with the stream
    const auto others = device().adopt_stream(nullptr);
    device().record(*start, *others);
    device().copy(to.data(), from.data(), to.bytes(), *others);
    device().record(*end, *others);
    device().fence(*others);
    ASSERT_TRUE(device().reached(*start) && device().reached(*end));
    EXPECT_GE(device().elapsed(*start, *end), 0);
    EXPECT_TRUE(same_bits(backend().download(to), values));
  }
}

TEST_P(DeviceTest, TellsOnWhichGpuMemoryLies) {
  const Buffer<double> there(device(), 10), pinned(device(), 10, true);
  const std::vector<double> here(10);
  EXPECT_EQ(device().gpu_of(there.data() + 3).uuid, device().gpu().uuid);
  EXPECT_EQ(device().gpu_of(there.data()).pci_bus_id, device().gpu().pci_bus_id);
  EXPECT_EQ(device().gpu_of(pinned.data()).uuid, "");
  EXPECT_EQ(device().gpu_of(here.data()).uuid, "");
}

TEST_P(DeviceTest, StreamsWaitForEvents) {
  const std::size_t count = std::size_t{4} << 20;
  const std::vector<double> values = Random(5).values<double>(count);
  const auto other = device().make_stream(true);
  const auto event = device().make_event(false);
  const Buffer<double> from = backend().upload(values);
  const Buffer<double> between = backend().upload(std::vector<double>(count, 0.0));
  const Buffer<double> to(device(), count);
  device().copy(between.data(), from.data(), from.bytes(), stream());
  device().record(*event, stream());
  device().wait(*other, *event);
  device().copy(to.data(), between.data(), to.bytes(), *other);
  device().fence(*other);
  EXPECT_TRUE(device().reached(*event));
  EXPECT_TRUE(same_bits(backend().download(to), values));
}

TEST_P(DeviceTest, TheHostWaitsForAnEvent) {
  const std::size_t count = std::size_t{1} << 20;
  const std::vector<double> values = Random(7).values<double>(count);
  const auto event = device().make_event(false);
  device().fence(*event);  // which was never recorded
  const Buffer<double> from = backend().upload(values);
  const Buffer<double> to(device(), count, true);
  device().copy(to.data(), from.data(), from.bytes(), stream());
  device().record(*event, stream());
  device().fence(*event);
  EXPECT_TRUE(device().reached(*event));
  EXPECT_TRUE(std::equal(values.begin(), values.end(), to.data()));
}

TEST_P(DeviceTest, LaunchesNothing) {
  for (const std::size_t items : {0u, 1u, 1000u}) {
    device().launch_nothing(items, stream());
    EXPECT_NO_THROW(device().fence(stream())) << items;
  }
}

}  // namespace
}  // namespace bellwether
