// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <vector>

#include "kernels/diffusion/diffusion_checks.hpp"
#include "miniapps/diffusion/diffusion_problem.hpp"

namespace bellwether {

/// For tests: the whole domain on one rank in plain loops that share nothing with the kernels. The
/// products are added in the order that diffusion_body.hpp documents, so that the bits must agree.
template <class T>
class PlainDiffusion {
 public:
  explicit PlainDiffusion(const DiffusionProblem& problem)
      : cells_(problem.grid()), periodic_(problem.periodic()) {
    for (int d = 0; d < 3; ++d) waves_[d] = mode_direction(cells_[d], periodic_, d);
    field_.resize(count());
    visit([this](int i, int j, int k) { field_[at(i, j, k)] = static_cast<T>(mode(i, j, k)); });
  }

  void step() {
    const auto c = diffusion_coefficients<T>();
    std::vector<T> next(count());
    visit([&](int i, int j, int k) {
      T sum = c.centre * value(i, j, k);
      sum += c.x * (value(i - 1, j, k) + value(i + 1, j, k));
      sum += c.y * (value(i, j - 1, k) + value(i, j + 1, k));
      sum += c.z * (value(i, j, k - 1) + value(i, j, k + 1));
      next[at(i, j, k)] = sum;
    });
    field_ = next;
  }

  /// What all ranks' fingerprints must add up to.
  [[nodiscard]] unsigned long long fingerprint() const {
    unsigned long long sum = 0;
    const FieldHash<T> hash{field_.data(),        cells_[0], cells_[0] * cells_[1], 0, cells_[0],
                            cells_[0] * cells_[1]};
    visit([&](int i, int j, int k) { sum += hash(i, j, k); });
    return sum;
  }
  /// Largest |field - amplitude mode|.
  [[nodiscard]] double largest_error(double amplitude) const {
    double error = 0;
    visit([&](int i, int j, int k) {
      error = std::max(
          error, std::abs(static_cast<double>(field_[at(i, j, k)]) - amplitude * mode(i, j, k)));
    });
    return error;
  }

 private:
  [[nodiscard]] std::size_t count() const {
    return static_cast<std::size_t>(cells_[0]) * cells_[1] * cells_[2];
  }
  [[nodiscard]] std::size_t at(int i, int j, int k) const {
    return i + static_cast<std::size_t>(cells_[0]) * (j + static_cast<std::size_t>(cells_[1]) * k);
  }
  [[nodiscard]] T value(int i, int j, int k) const {
    std::array<int, 3> cell{i, j, k};
    for (int d = 0; d < 3; ++d) {
      if (periodic_) cell[d] = (cell[d] + cells_[d]) % cells_[d];
      if (cell[d] < 0 || cell[d] >= cells_[d]) return T(0);
    }
    return field_[at(cell[0], cell[1], cell[2])];
  }
  [[nodiscard]] double mode(int i, int j, int k) const {
    const std::array<int, 3> cell{i, j, k};
    double product = 1;
    for (int d = 0; d < 3; ++d) product *= std::sin(waves_[d].phase + waves_[d].angle * cell[d]);
    return product;
  }
  template <class Visit>
  void visit(Visit&& body) const {
    for (int k = 0; k < cells_[2]; ++k)
      for (int j = 0; j < cells_[1]; ++j)
        for (int i = 0; i < cells_[0]; ++i) body(i, j, k);
  }

  std::array<int, 3> cells_;
  bool periodic_;
  std::array<ModeDirection, 3> waves_{};
  std::vector<T> field_;
};

}  // namespace bellwether
