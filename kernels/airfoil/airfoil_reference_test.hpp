// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "kernels/airfoil/airfoil_mesh_test.hpp"
#include "kernels/launch/running_error_test.hpp"

namespace bellwether {

/// For tests: the loops as the equations stand, edge by edge and cell by cell.
class PlainLoops {
 public:
  using N = RunningError;

  explicit PlainLoops(const QuadMesh& mesh) : mesh_(mesh) {}

  /// All cells: adt[c].
  std::vector<N> adt(const std::vector<N>& q) const {
    std::vector<N> result;
    for (std::size_t cell = 0; cell < q.size() / 4; ++cell) {
      const N rho = q[4 * cell], u = q[4 * cell + 1] / rho, v = q[4 * cell + 2] / rho;
      const N sound =
          sqrt(gamma_ * (gamma_ - N(1)) * (q[4 * cell + 3] / rho - (u * u + v * v) / N(2)));
      N sum;
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
  std::vector<N> far() const {
    const N u = N::rounded(0.4f * std::sqrt(double{1.4f}));
    return {N(1), u, N(0), N::rounded(1 / (double{1.4f} - 1) + 0.5 * u.value() * u.value())};
  }

 private:
  struct Side {
    N dx, dy;
  };
  [[nodiscard]] Side between(std::int32_t to, std::int32_t from) const {
    const auto x = [this](std::int32_t node, std::size_t d) {
      return N(mesh_.x[2 * static_cast<std::size_t>(node) + d]);
    };
    return {x(to, 0) - x(from, 0), x(to, 1) - x(from, 1)};
  }
  static std::vector<N> state(const std::vector<N>& q, std::size_t cell) {
    const auto at = q.begin() + static_cast<std::ptrdiff_t>(4 * cell);
    return {at, at + 4};
  }
  [[nodiscard]] N pressure(const std::vector<N>& q) const {
    const N u = q[1] / q[0], v = q[2] / q[0];
    return (gamma_ - N(1)) * (q[3] - q[0] * (u * u + v * v) / N(2));
  }
  [[nodiscard]] std::vector<N> flux(const std::vector<N>& q1, const std::vector<N>& q2, const N& dx,
                                    const N& dy, const N& mu) const {
    std::vector<N> sum(4);
    for (const auto& q : {q1, q2}) {
      const N p = pressure(q), w = q[1] / q[0] * dy - q[2] / q[0] * dx;
      const N one_side[4] = {w * q[0], w * q[1] + p * dy, w * q[2] - p * dx, w * (q[3] + p)};
      for (std::size_t k = 0; k < 4; ++k) sum[k] += one_side[k] / N(2);
    }
    for (std::size_t k = 0; k < 4; ++k) sum[k] += mu * (q1[k] - q2[k]);
    return sum;
  }

  const QuadMesh& mesh_;
  const N gamma_ = N::rounded(1.4f), cfl_ = N::rounded(0.9f), eps_ = N::rounded(0.05f);
};

/// A flow after some iterations of PlainLoops, and its rms.
struct PlainFlow {
  std::vector<RunningError> q;
  RunningError rms;
};
inline PlainFlow plainly_iterated(const QuadMesh& mesh, std::vector<RunningError> q,
                                  int iterations) {
  const PlainLoops plain(mesh);
  RunningError change;
  for (int n = 0; n < iterations; ++n) {
    const auto q_old = q;
    for (int stage = 0; stage < 2; ++stage) {
      const auto adt = plain.adt(q);
      std::vector<RunningError> res(q.size());
      plain.res(q, adt, 0, static_cast<std::size_t>(mesh.edges()), res);
      plain.bres(q, adt, 0, static_cast<std::size_t>(mesh.outer()), res);
      change = 0;
      for (std::size_t k = 0; k < q.size(); ++k) {
        const RunningError delta = res[k] / adt[k / 4];
        q[k] = q_old[k] - delta;
        change += delta * delta;
      }
    }
  }
  const RunningError rms = sqrt(change / RunningError(static_cast<double>(q.size() / 4)));
  return {std::move(q), rms};
}

}  // namespace bellwether
