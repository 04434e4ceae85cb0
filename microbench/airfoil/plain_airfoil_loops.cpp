// SPDX-License-Identifier: MIT
#include "microbench/airfoil/plain_airfoil_loops.hpp"

#include <algorithm>

#include "kernels/airfoil/airfoil.hpp"

namespace bellwether {
namespace {

template <class T>
constexpr T gamma_less_one = static_cast<T>(airfoil::gamma - 1);

}  // namespace

template <class T>
PlainAirfoilLoops<T>::PlainAirfoilLoops(const AirfoilBlocks& whole_mesh) {
  const auto numbers = [&](int map) {
    const auto& targets = whole_mesh.mesh.maps[static_cast<std::size_t>(map)].targets;
    return Numbers(targets.begin(), targets.end());
  };
  cell_nodes_ = numbers(cell_nodes_map);
  edge_nodes_ = numbers(edge_nodes_map);
  edge_cells_ = numbers(edge_cells_map);
  outer_nodes_ = numbers(bedge_nodes_map);
  outer_cells_ = numbers(bedge_cell_map);
  outer_flags_ = whole_mesh.bounds.values;
  for (const double x : whole_mesh.coordinates.values) x_.push_back(static_cast<T>(x));
  const auto far = airfoil::free_stream();
  std::transform(far.begin(), far.end(), free_stream_.begin(),
                 [](double value) { return static_cast<T>(value); });
  const std::size_t cells = cell_nodes_.size() / 4;
  for (std::size_t cell = 0; cell < cells; ++cell)
    q_.insert(q_.end(), free_stream_.begin(), free_stream_.end());
  q_old_.resize(q_.size());
  res_.resize(q_.size());
  adt_.resize(cells);
}

template <class T>
typename PlainAirfoilLoops<T>::Side PlainAirfoilLoops<T>::side(std::int32_t to,
                                                               std::int32_t from) const {
  const T* const a = x_.data() + 2 * std::ptrdiff_t{to};
  const T* const b = x_.data() + 2 * std::ptrdiff_t{from};
  return {a[0] - b[0], a[1] - b[1]};
}

template <class T>
T PlainAirfoilLoops<T>::pressure(const T* q) const {
  return gamma_less_one<T> * (q[3] - T(0.5) * (q[1] * q[1] + q[2] * q[2]) / q[0]);
}

template <class T>
std::array<T, 4> PlainAirfoilLoops<T>::flux(const Side& side, const T* first, const T* second,
                                            T smoothing) const {
  const T p1 = pressure(first), w1 = (first[1] * side.y - first[2] * side.x) / first[0];
  const T p2 = pressure(second), w2 = (second[1] * side.y - second[2] * side.x) / second[0];
  const auto both = [&](int k, T push1, T push2) {
    return T(0.5) * (w1 * first[k] + push1 + w2 * second[k] + push2) +
           smoothing * (first[k] - second[k]);
  };
  return {both(0, 0, 0), both(1, p1 * side.y, p2 * side.y), both(2, -p1 * side.x, -p2 * side.x),
          both(3, w1 * p1, w2 * p2)};
}

template <class T>
void PlainAirfoilLoops<T>::adt_calc() {
  for (std::size_t cell = 0; cell < adt_.size(); ++cell) {
    const T* const q = q_.data() + 4 * cell;
    const std::int32_t* const node = cell_nodes_.data() + 4 * cell;
    const T u = q[1] / q[0], v = q[2] / q[0];
    const T sound = std::sqrt(static_cast<T>(airfoil::gamma) * pressure(q) / q[0]);
    T sum = 0;
    for (int k = 0; k < 4; ++k) {
      const Side along = side(node[(k + 1) % 4], node[k]);
      sum += std::abs(u * along.y - v * along.x) +
             sound * std::sqrt(along.x * along.x + along.y * along.y);
    }
    adt_[cell] = sum / static_cast<T>(airfoil::cfl);
  }
}

template <class T>
void PlainAirfoilLoops<T>::res_calc() {
  for (std::size_t edge = 0; edge < edge_cells_.size() / 2; ++edge) {
    const auto a = static_cast<std::size_t>(edge_cells_[2 * edge]);
    const auto b = static_cast<std::size_t>(edge_cells_[2 * edge + 1]);
    const T smoothing = static_cast<T>(airfoil::dissipation) * T(0.5) * (adt_[a] + adt_[b]);
    const auto f = flux(side(edge_nodes_[2 * edge], edge_nodes_[2 * edge + 1]), &q_[4 * a],
                        &q_[4 * b], smoothing);
    for (std::size_t k = 0; k < 4; ++k) {
      res_[4 * a + k] += f[k];
      res_[4 * b + k] -= f[k];
    }
  }
}

template <class T>
void PlainAirfoilLoops<T>::bres_calc() {
  for (std::size_t edge = 0; edge < outer_cells_.size(); ++edge) {
    const auto cell = static_cast<std::size_t>(outer_cells_[edge]);
    const Side along = side(outer_nodes_[2 * edge], outer_nodes_[2 * edge + 1]);
    if (outer_flags_[edge] == airfoil_wall) {
      const T p = pressure(&q_[4 * cell]);
      res_[4 * cell + 1] += p * along.y;
      res_[4 * cell + 2] -= p * along.x;
    } else {
      const auto f = flux(along, &q_[4 * cell], free_stream_.data(),
                          static_cast<T>(airfoil::dissipation) * adt_[cell]);
      for (std::size_t k = 0; k < 4; ++k) res_[4 * cell + k] += f[k];
    }
  }
}

template <class T>
void PlainAirfoilLoops<T>::update() {
  T change = 0;
  for (std::size_t cell = 0; cell < adt_.size(); ++cell) {
    const T over_adt = T(1) / adt_[cell];
    for (std::size_t k = 4 * cell; k < 4 * cell + 4; ++k) {
      const T delta = over_adt * res_[k];
      q_[k] = q_old_[k] - delta;
      res_[k] = 0;
      change += delta * delta;
    }
  }
  change_ = static_cast<double>(change);
}

template <class T>
void PlainAirfoilLoops<T>::iterate() {
  std::copy(q_.begin(), q_.end(), q_old_.begin());
  for (int stage = 0; stage < 2; ++stage) {
    adt_calc();
    res_calc();
    bres_calc();
    update();
  }
}

template class PlainAirfoilLoops<float>;
template class PlainAirfoilLoops<double>;

}  // namespace bellwether
