// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <utility>
#include <vector>

#include "kernels/airfoil/airfoil_mesh_test.hpp"

namespace bellwether {

/// For tests: a number in double precision, and how far another computation of the same expression
/// may be from it, in units of its own rounding: running error analysis to first order (Higham
/// 2002, section 3.3), with what each operation inherits and its own half unit counted whole.
class RunningError {
 public:
  RunningError(double value = 0) : value_(value) {}
  /// A constant that is rounded before it is used.
  static RunningError rounded(double value) { return {value, std::abs(value)}; }

  [[nodiscard]] double value() const { return value_; }
  /// Largest difference of a computation whose numbers have the unit `epsilon`. Twice the estimate:
  /// another order of additions passes through other sums.
  [[nodiscard]] double bound(double epsilon) const { return 2 * epsilon * error_; }

  friend RunningError operator+(const RunningError& a, const RunningError& b) {
    return result(a.value_ + b.value_, a.error_ + b.error_);
  }
  friend RunningError operator-(const RunningError& a, const RunningError& b) {
    return result(a.value_ - b.value_, a.error_ + b.error_);
  }
  friend RunningError operator*(const RunningError& a, const RunningError& b) {
    return result(a.value_ * b.value_,
                  std::abs(a.value_) * b.error_ + std::abs(b.value_) * a.error_);
  }
  friend RunningError operator/(const RunningError& a, const RunningError& b) {
    const double value = a.value_ / b.value_;
    return result(value, (a.error_ + std::abs(value) * b.error_) / std::abs(b.value_));
  }
  friend RunningError sqrt(const RunningError& a) {
    const double value = std::sqrt(a.value_);
    return result(value, value > 0 ? a.error_ / (2 * value) : 0);
  }
  friend RunningError abs(const RunningError& a) { return {std::abs(a.value_), a.error_}; }
  RunningError& operator+=(const RunningError& b) { return *this = *this + b; }
  RunningError& operator-=(const RunningError& b) { return *this = *this - b; }

 private:
  RunningError(double value, double error) : value_(value), error_(error) {}
  static RunningError result(double value, double inherited) {
    return {value, inherited + std::abs(value)};
  }
  double value_, error_ = 0;
};

/// For tests: the loops as the equations stand, edge by edge and cell by cell. N: numbers with
/// their rounding errors, or double alone, for many iterations.
template <class N = RunningError>
class PlainLoops {
 public:
  explicit PlainLoops(const QuadMesh& mesh) : mesh_(mesh) {}

  /// All cells: adt[c].
  std::vector<N> adt(const std::vector<N>& q) const {
    using std::abs, std::sqrt;
    std::vector<N> result;
    for (std::size_t cell = 0; cell < q.size() / 4; ++cell) {
      const N rho = q[4 * cell], u = q[4 * cell + 1] / rho, v = q[4 * cell + 2] / rho;
      const N sound =
          sqrt(gamma_ * (gamma_ - N(1)) * (q[4 * cell + 3] / rho - (u * u + v * v) / N(2)));
      N sum = 0;
      for (std::size_t k = 0; k < 4; ++k) {
        const auto [dx, dy] =
            between(mesh_.cell_nodes[4 * cell + (k + 1) % 4], mesh_.cell_nodes[4 * cell + k]);
        sum += abs(u * dy - v * dx) + sound * sqrt(dx * dx + dy * dy);
      }
      result.push_back(sum / cfl_);
    }
    return result;
  }

  /// Edges [begin, end).
  void res(const std::vector<N>& q, const std::vector<N>& adt, std::size_t begin, std::size_t end,
           std::vector<N>& res) const {
    for (std::size_t edge = begin; edge < end; ++edge) {
      const auto a = static_cast<std::size_t>(mesh_.edge_cells[2 * edge]);
      const auto b = static_cast<std::size_t>(mesh_.edge_cells[2 * edge + 1]);
      const auto [dx, dy] = between(mesh_.edge_nodes[2 * edge], mesh_.edge_nodes[2 * edge + 1]);
      const auto f = flux(state(q, a), state(q, b), dx, dy, eps_ * (adt[a] + adt[b]) / N(2));
      for (std::size_t k = 0; k < 4; ++k) {
        res[4 * a + k] += f[k];
        res[4 * b + k] -= f[k];
      }
    }
  }

  /// Boundary edges [begin, end).
  void bres(const std::vector<N>& q, const std::vector<N>& adt, std::size_t begin, std::size_t end,
            std::vector<N>& res) const {
    for (std::size_t edge = begin; edge < end; ++edge) {
      const auto cell = static_cast<std::size_t>(mesh_.outer_cells[edge]);
      const auto [dx, dy] = between(mesh_.outer_nodes[2 * edge], mesh_.outer_nodes[2 * edge + 1]);
      if (mesh_.outer_flags[edge] == 1) {
        const N p = pressure(state(q, cell));
        res[4 * cell + 1] += p * dy;
        res[4 * cell + 2] -= p * dx;
      } else {
        const auto f = flux(state(q, cell), far(), dx, dy, eps_ * adt[cell]);
        for (std::size_t k = 0; k < 4; ++k) res[4 * cell + k] += f[k];
      }
    }
  }

  /// q of the free stream: p = rho = 1, Mach 0.4 along x.
  std::array<N, 4> far() const {
    const double u = 0.4f * std::sqrt(double{1.4f});
    return {N(1), rounded(u), N(0), rounded(1 / (double{1.4f} - 1) + 0.5 * u * u)};
  }

 private:
  struct Side {
    N dx, dy;
  };
  static N rounded(double value) {
    if constexpr (std::floating_point<N>)
      return static_cast<N>(value);
    else
      return N::rounded(value);
  }
  [[nodiscard]] Side between(std::int32_t to, std::int32_t from) const {
    const auto x = [this](std::int32_t node, std::size_t d) {
      return N(mesh_.x[2 * static_cast<std::size_t>(node) + d]);
    };
    return {x(to, 0) - x(from, 0), x(to, 1) - x(from, 1)};
  }
  using State = std::array<N, 4>;
  static State state(const std::vector<N>& q, std::size_t cell) {
    return {q[4 * cell], q[4 * cell + 1], q[4 * cell + 2], q[4 * cell + 3]};
  }
  [[nodiscard]] N pressure(const State& q) const {
    const N u = q[1] / q[0], v = q[2] / q[0];
    return (gamma_ - N(1)) * (q[3] - q[0] * (u * u + v * v) / N(2));
  }
  [[nodiscard]] State flux(const State& q1, const State& q2, const N& dx, const N& dy,
                           const N& mu) const {
    State sum{};
    for (const auto& q : {q1, q2}) {
      const N p = pressure(q), w = q[1] / q[0] * dy - q[2] / q[0] * dx;
      const N one_side[4] = {w * q[0], w * q[1] + p * dy, w * q[2] - p * dx, w * (q[3] + p)};
      for (std::size_t k = 0; k < 4; ++k) sum[k] += one_side[k] / N(2);
    }
    for (std::size_t k = 0; k < 4; ++k) sum[k] += mu * (q1[k] - q2[k]);
    return sum;
  }

  const QuadMesh& mesh_;
  const N gamma_ = rounded(1.4f), cfl_ = rounded(0.9f), eps_ = rounded(0.05f);
};

/// A flow after some iterations of PlainLoops, and its rms.
template <class N = RunningError>
struct PlainFlow {
  std::vector<N> q;
  N rms;
};
template <class N>
PlainFlow<N> plainly_iterated(const QuadMesh& mesh, std::vector<N> q, int iterations) {
  using std::sqrt;
  const PlainLoops<N> plain(mesh);
  N change = 0;
  for (int n = 0; n < iterations; ++n) {
    const auto q_old = q;
    for (int stage = 0; stage < 2; ++stage) {
      const auto adt = plain.adt(q);
      std::vector<N> res(q.size());
      plain.res(q, adt, 0, static_cast<std::size_t>(mesh.edges()), res);
      plain.bres(q, adt, 0, static_cast<std::size_t>(mesh.outer()), res);
      change = 0;
      for (std::size_t k = 0; k < q.size(); ++k) {
        const N delta = res[k] / adt[k / 4];
        q[k] = q_old[k] - delta;
        change += delta * delta;
      }
    }
  }
  const N rms = sqrt(change / N(static_cast<double>(q.size() / 4)));
  return {std::move(q), rms};
}

/// From the free stream in all cells.
template <class N>
PlainFlow<N> plainly_iterated(const QuadMesh& mesh, int iterations) {
  const auto far = PlainLoops<N>(mesh).far();
  std::vector<N> q;
  for (std::int32_t cell = 0; cell < mesh.cells(); ++cell)
    q.insert(q.end(), far.begin(), far.end());
  return plainly_iterated(mesh, std::move(q), iterations);
}

}  // namespace bellwether
