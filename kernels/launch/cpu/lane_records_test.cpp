// SPDX-License-Identifier: MIT
#include "kernels/launch/cpu/lane_records.hpp"

#include "kernels/launch/backend_test.hpp"

namespace bellwether::launch {
namespace {

/// In the vector width that this file is compiled for.
template <class T>
class LaneRecordsTest : public testing::Test {
 protected:
  static constexpr int lanes = lane_count<T>;
  static constexpr int stride = 3;

  LaneRecordsTest() {
    Random random(1);
    for (int l = 0; l < stride * lanes; ++l) at_.push_back(random.below(records));
  }
  [[nodiscard]] std::size_t record(int lane) const {
    return static_cast<std::size_t>(at_[static_cast<std::size_t>(stride * lane)]);
  }
  template <int size>
  void expect_records(const LaneRecords<size, T>& loaded, bool consecutive) const {
    for (int l = 0; l < lanes; ++l) {
      const std::size_t r = consecutive ? static_cast<std::size_t>(l) : record(l);
      for (int v = 0; v < size; ++v)
        EXPECT_EQ(loaded.at[v][l], values_[size * r + static_cast<std::size_t>(v)]) << l;
    }
  }

  static constexpr int records = 50;
  const std::vector<T> values_ = Random(2).values<T>(4 * records);
  std::vector<std::int32_t> at_;
};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(LaneRecordsTest, Precisions);

TYPED_TEST(LaneRecordsTest, AreLoadedFromAnywhere) {
  const auto* const values = this->values_.data();
  const std::int32_t* const at = this->at_.data();
  this->expect_records(load_records<4>(values, at, this->stride), false);
  this->expect_records(load_records<2>(values, at, this->stride), false);
  const auto one = load_each(values, at, this->stride);
  for (int l = 0; l < this->lanes; ++l) EXPECT_EQ(one[l], this->values_[this->record(l)]) << l;
}

TYPED_TEST(LaneRecordsTest, AreLoadedAndStoredOneBehindTheOther) {
  const auto rows = load_rows(this->values_.data());
  this->expect_records(transposed(rows), true);
  this->expect_records(load_records<4>(this->values_.data()), true);
  this->expect_records(load_records<2>(this->values_.data()), true);
  for (const auto& same : {rows, rows_of(transposed(rows))}) {
    std::vector<TypeParam> stored(4 * static_cast<std::size_t>(this->lanes));
    store_rows(stored.data(), same);
    for (std::size_t n = 0; n < stored.size(); ++n) EXPECT_EQ(stored[n], this->values_[n]) << n;
  }
}

/// Each of a register's values stands in all four of its record.
TYPED_TEST(LaneRecordsTest, LanesAreSpreadOverRows) {
  std::vector<TypeParam> stored(4 * static_cast<std::size_t>(this->lanes));
  store_rows(stored.data(), in_rows<TypeParam>(load_all_lanes(this->values_.data())));
  for (std::size_t n = 0; n < stored.size(); ++n) EXPECT_EQ(stored[n], this->values_[n / 4]) << n;
}

TYPED_TEST(LaneRecordsTest, AreVisitedInTheirOrder) {
  std::size_t next = 0;
  visit_records(load_rows(this->values_.data()), [&](auto l, auto offset, const auto& values) {
    ASSERT_EQ(4 * static_cast<std::size_t>(l) + static_cast<std::size_t>(offset), next);
    for (std::size_t v = 0; v < sizeof values / sizeof(TypeParam); ++v)
      EXPECT_EQ(values[static_cast<int>(v)], this->values_[next++]);
  });
  EXPECT_EQ(next, 4 * static_cast<std::size_t>(this->lanes));
}

TYPED_TEST(LaneRecordsTest, AbsoluteClearsSigns) {
  const auto values = load_all_lanes(this->values_.data());
  const auto sizes = absolute(values);
  for (int l = 0; l < this->lanes; ++l) EXPECT_EQ(sizes[l], std::abs(values[l])) << l;
}

}  // namespace
}  // namespace bellwether::launch
