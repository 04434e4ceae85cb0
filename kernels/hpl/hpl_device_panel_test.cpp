// SPDX-License-Identifier: MIT
// Panels in device memory against elimination column by column, to the bit where that is promised.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "kernels/hpl/hpl.hpp"
#include "kernels/launch/backend_test.hpp"

namespace bellwether {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

std::size_t as_size(long count) { return static_cast<std::size_t>(count); }

/// A column-major panel, with what lies between its columns.
struct Panel {
  Panel(Random& random, long rows_, int width_)
      : rows(rows_),
        ld(rows_ + 5),
        width(width_),
        values(random.values<double>(as_size(ld * width))) {}
  [[nodiscard]] double& at(long i, long j) { return values[as_size(j * ld + i)]; }
  [[nodiscard]] double at(long i, long j) const { return values[as_size(j * ld + i)]; }
  long rows, ld;
  int width;
  std::vector<double> values;
};

struct Factored {
  std::vector<int> pivots;
  int no_pivot = -1;
};

/// This process and another one, which brings its row of some columns.
struct TwoProcesses final : PivotChoice {
  [[nodiscard]] int process() const override { return 1; }
  PanelPivot choose(double, int row, double* values, int width) override {
    const auto other = rows_of_other.find(column++);
    if (other == rows_of_other.end()) return {row < width ? 0 : 1, row};
    std::copy_n(other->second.begin(), width, values);
    return {0, width + 3};
  }
  std::map<int, std::vector<double>> rows_of_other;
  int column = 0;
};

/// Column by column: rows are multiplied by the pivot's reciprocal, and each element is lessened by
/// one product after another. `others`: pivots' rows that come from elsewhere, by column.
Factored eliminate(Panel& a, const std::map<int, std::vector<double>>& others = {}) {
  Factored result;
  for (int k = 0; k < a.width; ++k) {
    long pivot = k;
    double largest = -1;
    for (long i = k; i < a.rows; ++i)
      if (std::abs(a.at(i, k)) > largest) largest = std::abs(a.at(pivot = i, k));
    const auto other = others.find(k);
    result.pivots.push_back(static_cast<int>(other == others.end() ? pivot : a.width + 3));
    for (int j = 0; j < a.width; ++j) {
      if (other == others.end()) {
        std::swap(a.at(k, j), a.at(pivot, j));
        continue;
      }
      const std::vector<double>& row = other->second;  // behind k as it was in the matrix
      a.at(k, j) = row[as_size(j)];
      for (int before = 0; before < k && j > k; ++before)
        a.at(k, j) -= row[as_size(before)] * a.at(before, j);
    }
    const double value = a.at(k, k);
    const bool usable = std::isfinite(value) && value != 0;
    if (!usable && result.no_pivot < 0) result.no_pivot = k;
    const double scale = usable ? 1 / value : 0;
    for (long i = k + 1; i < a.rows; ++i) {
      a.at(i, k) *= scale;
      for (int j = k + 1; j < a.width; ++j) a.at(i, j) -= a.at(i, k) * a.at(k, j);
    }
  }
  return result;
}

class HplDevicePanelTest : public BackendTest {
 protected:
  void SetUp() override {
    BackendTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    kernels_ = make_kernels<HplKernels>(device());
    if (device().backend() != "cuda") {
      EXPECT_EQ(kernels_->make_device_panel(device(), DevicePanelBy::kernels, 9, 3, stream()),
                nullptr);
      GTEST_SKIP() << "panels are factored by the host";
    }
  }
  void TearDown() override { kernels_.reset(); }
  [[nodiscard]] Random& random() { return random_; }

  /// In place, one panel after another, of which the first is largest.
  std::vector<Factored> factor(std::vector<Panel*> panels, DevicePanelBy by,
                               PivotChoice* choice = nullptr) {
    const Panel& first = *panels.front();
    const auto by_device =
        kernels_->make_device_panel(device(), by, first.rows, first.width, stream());
    Buffer<double> l(device(), first.values.size()), no_pivot(device(), 1);
    Buffer<PanelPivot> pivots(device(), as_size(first.width));
    std::vector<Factored> all;
    for (Panel* const panel : panels) {
      const std::size_t bytes = panel->values.size() * sizeof(double);
      device().copy(l.data(), panel->values.data(), bytes, stream());
      by_device->factor(l.data(), panel->ld, panel->rows, panel->width, no_pivot.data(),
                        pivots.data(), stream(), choice);
      std::vector<PanelPivot> found(as_size(panel->width));
      double without = -2;
      device().copy(panel->values.data(), l.data(), bytes, stream());
      device().copy(found.data(), pivots.data(), found.size() * sizeof found[0], stream());
      device().copy(&without, no_pivot.data(), sizeof without, stream());
      device().fence(stream());
      all.push_back({{}, static_cast<int>(without)});
      for (const PanelPivot& pivot : found) {
        if (choice == nullptr) {
          EXPECT_EQ(pivot.process, 0);
        }
        all.back().pivots.push_back(pivot.row);
      }
    }
    return all;
  }
  void expect_bits(const Panel& a) {
    Panel expected = a, found = a;
    const Factored by_host = eliminate(expected);
    const Factored by_device = factor({&found}, DevicePanelBy::kernels).front();
    EXPECT_EQ(by_device.pivots, by_host.pivots);
    EXPECT_EQ(by_device.no_pivot, by_host.no_pivot);
    EXPECT_TRUE(same_bits(found.values, expected.values));
  }
  [[nodiscard]] HplKernels& kernels() { return *kernels_; }

 private:
  std::unique_ptr<HplKernels> kernels_;
  Random random_{29};
};
INSTANTIATE_TEST_SUITE_P(Backends, HplDevicePanelTest, every_backend(), backend_in_name);

// A block takes 1024 rows.
TEST_P(HplDevicePanelTest, HasTheBitsOfEliminationUpToItsBase) {
  for (const auto& [rows, width] :
       {std::pair{1L, 1}, {2L, 1}, {7L, 7}, {33L, 32}, {300L, 5}, {1025L, 3}, {2100L, 32}}) {
    SCOPED_TRACE(testing::Message() << rows << " x " << width);
    expect_bits(Panel(random(), rows, width));
  }
}

// The launches are recorded with the first panel.
TEST_P(HplDevicePanelTest, HasTheSameBitsInShorterAndNarrowerPanels) {
  std::vector<Panel> expected;
  for (const auto& [rows, width] :
       {std::pair{3000L, 32}, {1025L, 32}, {1024L, 32}, {40L, 7}, {32L, 32}, {7L, 7}, {1L, 1}})
    expected.emplace_back(random(), rows, width);
  std::vector<Panel> found = expected;
  std::vector<Panel*> panels;
  for (Panel& panel : found) panels.push_back(&panel);
  const std::vector<Factored> by_device = factor(panels, DevicePanelBy::kernels);
  for (std::size_t n = 0; n < found.size(); ++n) {
    EXPECT_EQ(by_device[n].pivots, eliminate(expected[n]).pivots);
    EXPECT_TRUE(same_bits(found[n].values, expected[n].values)) << found[n].rows;
  }
}

TEST_P(HplDevicePanelTest, AmongEqualsTakesTheFirstRow) {
  for (const long rows : {40L, 3000L}) {
    Panel a(random(), rows, 6);
    for (long i = 0; i < rows; ++i)
      for (int j = 0; j < a.width; ++j)
        a.at(i, j) = static_cast<double>((i * 7 + j * 3) % 5 - 2) * (i % 2 == 0 ? 1 : -1);
    expect_bits(a);
  }
}

TEST_P(HplDevicePanelTest, WithOtherProcessesAloneHasTheSameBits) {
  for (const auto& [rows, width] : {std::pair{5L, 5}, {300L, 20}, {1030L, 70}, {130L, 100}}) {
    TwoProcesses idle;
    Panel alone(random(), rows, width), together = alone;
    const Factored expected = factor({&alone}, DevicePanelBy::kernels).front();
    const Factored found = factor({&together}, DevicePanelBy::kernels, &idle).front();
    EXPECT_EQ(found.pivots, expected.pivots);
    EXPECT_EQ(found.no_pivot, expected.no_pivot);
    EXPECT_TRUE(same_bits(together.values, alone.values)) << rows << " x " << width;
  }
}

TEST_P(HplDevicePanelTest, TakesPivotsThatOtherProcessesBring) {
  for (const long rows : {20L, 1100L}) {
    TwoProcesses others;
    Panel found(random(), rows, 20);
    for (const int column : {0, 4, 5, 19})
      others.rows_of_other[column] = random().values<double>(as_size(found.width));
    others.rows_of_other[5][5] = 0;  // no pivot
    Panel expected = found;
    const Factored by_host = eliminate(expected, others.rows_of_other);
    const Factored by_device = factor({&found}, DevicePanelBy::kernels, &others).front();
    EXPECT_EQ(by_device.pivots, by_host.pivots);
    EXPECT_EQ(by_device.no_pivot, 5);
    EXPECT_TRUE(same_bits(found.values, expected.values));
  }
}

TEST_P(HplDevicePanelTest, OfSeveralProcessesIsNoneByCusolver) {
  TwoProcesses others;
  Panel panel(random(), 9, 3);
  EXPECT_THROW((void)factor({&panel}, DevicePanelBy::cusolver, &others), std::invalid_argument);
}

TEST_P(HplDevicePanelTest, NamesTheFirstColumnWithoutAPivot) {
  for (const int width : {20, 50})
    for (const DevicePanelBy by : {DevicePanelBy::kernels, DevicePanelBy::cusolver}) {
      Panel nothing(random(), 60, width), good(random(), 60, width), infinite = good;
      for (long i = 0; i < nothing.rows; ++i) nothing.at(i, 11) = nothing.at(i, 15) = 0;
      infinite.at(7, 2) = infinity;
      const std::vector<Factored> found = factor({&nothing, &good, &infinite}, by);
      EXPECT_EQ(found[0].no_pivot, 11);
      EXPECT_EQ(found[1].no_pivot, -1);
      EXPECT_EQ(found[2].no_pivot, 2);
    }
}

TEST_P(HplDevicePanelTest, TakesNoNanForAPivotWhereThereIsANumber) {
  Panel a(random(), 50, 4);
  a.at(9, 0) = nan;
  Panel found = a;
  const Factored by_device = factor({&found}, DevicePanelBy::kernels).front();
  EXPECT_EQ(by_device.pivots[0], eliminate(a).pivots[0]);
  Panel all(random(), 50, 4);
  for (long i = 0; i < all.rows; ++i) all.at(i, 0) = nan;
  const Factored none = factor({&all}, DevicePanelBy::kernels).front();
  EXPECT_EQ(none.no_pivot, 0);
  EXPECT_EQ(none.pivots[0], 0);
}

// |P A - L U| <= c n eps |L| |U| (Higham 2002, Theorem 9.3).
TEST_P(HplDevicePanelTest, FactorsOfAnyWidthAreThoseOfTheMatrix) {
  for (const auto& [rows, width] : {std::pair{33L, 33}, {100L, 64}, {1100L, 65}, {130L, 100}})
    for (const DevicePanelBy by : {DevicePanelBy::kernels, DevicePanelBy::cusolver}) {
      SCOPED_TRACE(testing::Message() << rows << " x " << width);
      Panel a(random(), rows, width), expected = a, found = a;
      const Factored factored = factor({&found}, by).front();
      EXPECT_EQ(factored.pivots, eliminate(expected).pivots);
      for (int t = 0; t < width; ++t)
        for (int j = 0; j < width; ++j) std::swap(a.at(t, j), a.at(factored.pivots[as_size(t)], j));
      double worst = 0;
      for (long i = 0; i < rows; ++i)
        for (int j = 0; j < width; ++j) {
          double sum = 0, size = 0;
          for (int k = 0; k <= std::min<long>(i, j); ++k) {
            const double term = (k == i ? 1 : found.at(i, k)) * found.at(k, j);
            sum += term;
            size += std::abs(term);
          }
          worst = std::max(worst, std::abs(sum - a.at(i, j)) / size);
        }
      EXPECT_LE(worst, 2 * width * std::numeric_limits<double>::epsilon());
      for (int j = 0; j < width; ++j)
        for (long i = rows; i < found.ld; ++i) ASSERT_EQ(found.at(i, j), a.at(i, j));
    }
}

TEST_P(HplDevicePanelTest, ListsInterchanges) {
  constexpr long top = 100;
  const auto by_device =
      kernels().make_device_panel(device(), DevicePanelBy::kernels, 10, 1, stream());
  for (const int width : {1, 5, 32, 300})
    for (int round = 0; round < 5; ++round) {
      // Few rows below, so that some are taken more than once.
      std::vector<PanelPivot> pivots;
      std::map<int, int> content;
      const auto at = [&](int row) -> int& { return content.try_emplace(row, row).first->second; };
      for (int t = 0; t < width; ++t) {
        pivots.push_back({0, t + random().below(width - t + 7)});
        (void)at(t), (void)at(pivots.back().row);
      }
      for (int t = 0; t < width; ++t) std::swap(at(t), at(pivots[as_size(t)].row));
      Buffer<PanelPivot> on_device(device(), pivots.size());
      Buffer<int> lists(device(), 3 * pivots.size());
      device().copy(on_device.data(), pivots.data(), on_device.bytes(), stream());
      by_device->list_interchanges(lists.data(), on_device.data(), width, top, stream());
      std::vector<int> found(lists.size());
      device().copy(found.data(), lists.data(), lists.bytes(), stream());
      device().fence(stream());
      const int* const displaced_to = found.data() + width;
      const int* const displaced_from = displaced_to + width;
      for (int t = 0; t < width; ++t) {
        ASSERT_EQ(found[as_size(t)], top + content.at(t));
        content.erase(t);
      }
      for (int n = 0; n < width; ++n) {
        if (displaced_to[n] < 0) continue;
        const auto one = content.find(static_cast<int>(displaced_to[n] - top));
        ASSERT_NE(one, content.end()) << "twice, or no row below";
        ASSERT_EQ(displaced_from[n], top + one->second);
        content.erase(one);
      }
      for (const auto& [row, from] : content) ASSERT_EQ(row, from) << "moved, not told";
    }
}

}  // namespace
}  // namespace bellwether
