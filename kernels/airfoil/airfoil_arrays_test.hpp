// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "kernels/airfoil/airfoil.hpp"
#include "kernels/airfoil/airfoil_reference_test.hpp"
#include "kernels/launch/backend_test.hpp"
#include "kernels/launch/device.hpp"

namespace bellwether {

/// Columns and rows of the meshes tested: single cells, and numbers that no register's lanes
/// divide.
inline constexpr std::array<std::array<int, 2>, 6> quad_mesh_sizes{
    {{1, 1}, {1, 7}, {2, 2}, {5, 3}, {17, 5}, {33, 9}}};

/// A mesh's arrays and the kernels of a backend.
template <class T>
class AirfoilOnDevice {
 public:
  AirfoilOnDevice(TestBackend& on, const QuadMesh& mesh)
      : on_(on),
        kernels_(make_kernels<AirfoilKernels<T>>(on.device())),
        cells_(mesh.cells()),
        x_(on.upload(std::vector<T>(mesh.x.begin(), mesh.x.end()))),
        cell_nodes_(on.upload(mesh.cell_nodes)),
        edge_cells_(on.upload(mesh.edge_cells)),
        outer_cells_(on.upload(mesh.outer_cells)),
        flags_(on.upload(mesh.outer_flags)),
        round_(on.upload(mesh.surroundings())),
        sides_(sides_of(mesh.edges(), mesh.edge_nodes)),
        outer_sides_(sides_of(mesh.outer(), mesh.outer_nodes)),
        perimeters_(on.device(), static_cast<std::size_t>(cells_)) {
    kernels_->set_perimeters(all_cells(), {cell_nodes_.data(), x_.data(), nullptr},
                             perimeters_.data(), on_.stream());
  }

  [[nodiscard]] AirfoilKernels<T>& kernels() { return *kernels_; }
  [[nodiscard]] TestBackend& on() { return on_; }
  [[nodiscard]] ElementRange all_cells() const { return {0, cells_}; }
  [[nodiscard]] AirfoilCells<T> where() const {
    return {cell_nodes_.data(), x_.data(), perimeters_.data()};
  }
  [[nodiscard]] AirfoilSurroundings<T> round() const { return {where(), round_.data()}; }
  [[nodiscard]] AirfoilEdges<T> edges() const { return {edge_cells_.data(), sides_.data()}; }
  [[nodiscard]] AirfoilBoundary<T> boundary() const {
    return {outer_cells_.data(), flags_.data(), outer_sides_.data()};
  }
  [[nodiscard]] std::vector<T> sides() { return on_.download(sides_); }

  /// adt of all cells, and what the edges add to res, in the ranges given.
  std::vector<T> adt(const std::vector<T>& q, const std::vector<ElementRange>& ranges) {
    const Buffer<T> from = on_.upload(q), to = on_.upload(std::vector<T>(q.size() / 4, T(-1)));
    for (const ElementRange& range : ranges)
      kernels_->adt_calc(range, where(), from.data(), to.data(), on_.stream());
    return on_.download(to);
  }
  std::vector<T> res(const std::vector<T>& q, const std::vector<T>& adt,
                     const std::vector<T>& before, const std::vector<EdgeRange>& inner,
                     const std::vector<EdgeRange>& outer) {
    const Buffer<T> from = on_.upload(q), steps = on_.upload(adt), to = on_.upload(before);
    for (const EdgeRange& range : inner)
      kernels_->res_calc(range, edges(), from.data(), steps.data(), to.data(), on_.stream());
    for (const EdgeRange& range : outer)
      kernels_->bres_calc(range, boundary(), from.data(), steps.data(), to.data(), on_.stream());
    return on_.download(to);
  }

 private:
  Buffer<T> sides_of(std::int32_t edges, const std::vector<std::int32_t>& nodes) {
    const Buffer<std::int32_t> on_device = on_.upload(nodes);
    Buffer<T> sides(on_.device(), nodes.size());
    kernels_->set_sides({0, edges}, on_device.data(), x_.data(), sides.data(), on_.stream());
    on_.device().fence(on_.stream());
    return sides;
  }

  TestBackend& on_;
  std::unique_ptr<AirfoilKernels<T>> kernels_;
  std::int32_t cells_;
  Buffer<T> x_;
  Buffer<std::int32_t> cell_nodes_, edge_cells_, outer_cells_, flags_;
  Buffer<std::uint32_t> round_;
  Buffer<T> sides_, outer_sides_, perimeters_;
};

/// All elements as one block of one colour: one thread runs them in their order.
class InOrder {
 public:
  explicit InOrder(std::int32_t count) : count_(count) {}
  [[nodiscard]] EdgeRange range() const { return {0, count_, first_, count_ + 1}; }

 private:
  std::int32_t count_;
  std::vector<std::int32_t> first_{0};
};

/// States some tens of per cent off the free stream, none without pressure.
template <class T>
std::vector<T> random_states(std::int32_t cells, Random& random) {
  std::vector<T> q(4 * static_cast<std::size_t>(cells));
  for (std::size_t n = 0; n < q.size(); ++n) {
    constexpr double mean[4] = {1, 0.3, 0, 2.5}, spread[4] = {0.25, 0.4, 0.4, 0.5};
    q[n] = static_cast<T>(mean[n % 4] + spread[n % 4] * random.value<double>());
  }
  return q;
}
/// In [1/2, 3/2): none is 0.
template <class T>
std::vector<T> random_steps(std::int32_t cells, Random& random) {
  std::vector<T> adt(static_cast<std::size_t>(cells));
  for (T& value : adt) value = T(1) + random.value<T>() / T(2);
  return adt;
}
template <class T>
std::vector<RunningError> exact(const std::vector<T>& values) {
  return {values.begin(), values.end()};
}

/// Cuts [0, count) at random into ranges that cover it, in no order of theirs.
template <class Range>
std::vector<Range> random_ranges(std::int32_t count, Random& random) {
  std::vector<Range> ranges;
  for (std::int32_t begin = 0; begin < count;) {
    const std::int32_t end = begin + 1 + random.below(count - begin);
    ranges.push_back({begin, end});
    begin = end;
  }
  for (std::size_t n = ranges.size(); n > 1; --n)
    std::swap(ranges[n - 1], ranges[static_cast<std::size_t>(random.below(static_cast<int>(n)))]);
  ranges.push_back({count, count});
  return ranges;
}

template <class T>
void expect_near(const std::vector<T>& values, const std::vector<RunningError>& expected) {
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t n = 0; n < values.size(); ++n) {
    const double bound = expected[n].bound(static_cast<double>(std::numeric_limits<T>::epsilon()));
    ASSERT_LE(std::abs(static_cast<double>(values[n]) - expected[n].value()), bound)
        << "value " << n << ": " << values[n] << ", not " << expected[n].value();
  }
}

/// Calls check(T{}, mesh, random) for both precisions, all sizes and different walls.
template <class Check>
void each_quad_mesh(std::uint64_t seed, const Check& check) {
  each_precision([&]<class T>(T zero) {
    Random random(seed);
    for (const auto& [columns, rows] : quad_mesh_sizes) {
      SCOPED_TRACE(testing::Message() << columns << 'x' << rows);
      std::array<bool, 4> walls{};
      for (bool& wall : walls) wall = random.below(2) == 0;
      check(zero, quad_mesh(columns, rows, walls, random), random);
      if (testing::Test::HasFatalFailure()) return;
    }
  });
}

}  // namespace bellwether
