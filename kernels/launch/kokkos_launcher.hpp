// SPDX-License-Identifier: MIT
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>

#include "kernels/launch/kokkos_items.hpp"
#include "kernels/launch/kokkos_rows.hpp"

namespace bellwether::launch {

// Where nvcc compiles, a KOKKOS_LAMBDA stands in a function that has a name and that anyone may
// call, and not within `if constexpr`; so host and device are told apart by overloads.

/// Calls function(i, j, k) for every cell of the box.
template <class Function>
void for_each(const Exec& exec, const Box& box, const Function& function) {
  const BoxItems cells(box);
  Kokkos::parallel_for(
      cells.items(exec),
      KOKKOS_LAMBDA(std::int64_t item) { function(cells.i(item), cells.j(item), cells.k(item)); });
}

/// The largest, or the sum (mod 2^64), of function(i, j, k) over the box. Blocks.
template <class Function>
double largest(const Exec& exec, const Box& box, const Function& function) {
  const BoxItems cells(box);
  double result = 0;
  Kokkos::parallel_reduce(
      cells.items(exec),
      KOKKOS_LAMBDA(std::int64_t item, double& most) {
        const double value = function(cells.i(item), cells.j(item), cells.k(item));
        if (value > most) most = value;
      },
      Kokkos::Max<double>(result));
  return result > 0 ? result : 0;
}
template <class Function>
std::uint64_t sum(const Exec& exec, const Box& box, const Function& function) {
  const BoxItems cells(box);
  std::uint64_t result = 0;
  Kokkos::parallel_reduce(
      cells.items(exec),
      KOKKOS_LAMBDA(std::int64_t item, std::uint64_t & total) {
        total += function(cells.i(item), cells.j(item), cells.k(item));
      },
      Kokkos::Sum<std::uint64_t>(result));
  return result;
}

/// sums[part] = the sum, by Value::add, of function(part, item) for the items [0, length) of a
/// part.
template <class Value, class Function>
void sum_parts(const Exec& exec, std::int64_t parts, std::int64_t length, const Function& function,
               Value* sums) {
  Kokkos::parallel_for(
      Items(exec, 0, parts), KOKKOS_LAMBDA(std::int64_t part) {
        Value sum{};
        for (std::int64_t item = 0; item < length; ++item) sum.add(function(part, item));
        sums[part] = sum;
      });
}

template <class Body>
void store_cells(std::true_type /*on_host*/, const Exec& exec, const GridLayout& layout,
                 const Box& box, typename Body::value_type* out, const Body& body, Stores stores) {
  if (stores == Stores::streaming)
    store_rows<Stores::streaming>(exec, layout, box, out, body);
  else
    store_rows<Stores::cached>(exec, layout, box, out, body);
}
template <class Body>
void store_cells(std::false_type /*on_host*/, const Exec& exec, const GridLayout& layout,
                 const Box& box, typename Body::value_type* out, const Body& body, Stores) {
  const auto row_pitch = layout.row_pitch();
  const auto plane_pitch = layout.plane_pitch();
  for_each(
      exec, box, KOKKOS_LAMBDA(int i, int j, int k) {
        out[i + j * row_pitch + k * plane_pitch] = body.row(j, k)(i);
      });
}

/// out(i, j, k) = body.row(j, k)(i) for the cells of `box`; `out` points to cell (0, 0, 0).
template <class Body>
void store_each(const Exec& exec, const GridLayout& layout, const Box& box,
                typename Body::value_type* out, const Body& body, Stores stores) {
  if (box.empty()) return;
  store_cells(std::bool_constant<on_host>{}, exec, layout, box, out, body, stores);
}

}  // namespace bellwether::launch
