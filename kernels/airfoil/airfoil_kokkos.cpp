// SPDX-License-Identifier: MIT
#include "kernels/airfoil/airfoil_lanes.hpp"

// After those, which declare what the bodies call.
#include "kernels/airfoil/airfoil_kernels.hpp"
#include "kernels/launch/kokkos/kokkos_launcher.hpp"

namespace bellwether {
namespace {

using OnHost = std::bool_constant<launch::on_host>;

/// Cells that a thread of a CPU has at a time: as many as keep one busy for some microseconds.
constexpr std::int32_t cell_block = 1024;

struct AtomicIncrement {
  template <class T>
  KOKKOS_INLINE_FUNCTION static void add(T* to, T value) {
    Kokkos::atomic_add(to, value);
  }
  template <class T>
  KOKKOS_INLINE_FUNCTION static void add(T* to, const launch::Record<4, T>& values) {
    for (int k = 0; k < 4; ++k) add(to + k, values.at[k]);
  }
};

template <class Loop>
void over_cells(std::true_type /*on_host*/, const launch::Exec& exec, ElementRange cells,
                const Loop& loop) {
  Kokkos::parallel_for(launch::Items(exec, 0, block_count(cells, cell_block)),
                       [=](std::int64_t block) {
                         run(loop, block_of(cells, cell_block, static_cast<std::int32_t>(block)));
                       });
}
template <class Loop>
void over_cells(std::false_type /*on_host*/, const launch::Exec& exec, ElementRange cells,
                const Loop& loop) {
  launch::for_each_item(exec, cells.begin, cells.end, loop);
}

/// The blocks of one colour.
template <class Loop>
void over_colour(std::true_type /*on_host*/, const launch::Exec& exec, ElementRange colour,
                 std::int32_t block, const Loop& loop) {
  Kokkos::parallel_for(launch::Items(exec, 0, block_count(colour, block)), [=](std::int64_t n) {
    run_in_order(loop, block_of(colour, block, static_cast<std::int32_t>(n)));
  });
}
template <class Loop>
void over_colour(std::false_type /*on_host*/, const launch::Exec& exec, ElementRange colour,
                 std::int32_t block, const Loop& loop) {
  Kokkos::parallel_for(
      launch::Items(exec, 0, block_count(colour, block)), KOKKOS_LAMBDA(std::int64_t n) {
        const ElementRange edges = block_of(colour, block, static_cast<std::int32_t>(n));
        for (std::ptrdiff_t edge = edges.begin; edge < edges.end; ++edge)
          loop.template increment<PlainIncrement>(edge);
      });
}
template <class Loop>
void with_atomics(const launch::Exec& exec, ElementRange edges, const Loop& loop) {
  Kokkos::parallel_for(
      launch::Items(exec, edges.begin, edges.end),
      KOKKOS_LAMBDA(std::int64_t edge) { loop.template increment<AtomicIncrement>(edge); });
}

struct AirfoilOnKokkos : launch::KokkosLoops {
  using KokkosLoops::KokkosLoops;

  template <class Loop>
  void elements(const char*, ElementRange range, const Loop& loop, Stream& stream) {
    launch::for_each_item(kokkos_exec(stream), range.begin, range.end, loop);
  }
  template <class Loop>
  void cells_of(const char*, ElementRange range, const Loop& loop, Stream& stream) {
    over_cells(OnHost{}, kokkos_exec(stream), range, loop);
  }
  template <class Loop>
  void edges(const char*, const EdgeRange& range, const Loop& loop, Stream& stream) {
    if (range.count() == 0) return;
    const launch::Exec& exec = kokkos_exec(stream);
    const ElementRange all{range.begin, range.end};
    if (range.colours.empty()) {
      if (!launch::on_host || exec.concurrency() > 1) return with_atomics(exec, all, loop);
      return over_colour(OnHost{}, exec, all, all.count(), loop);  // all of them are one block
    }
    for (std::size_t k = 0; k < range.colours.size(); ++k)
      over_colour(OnHost{}, exec, range.colour(k), range.block, loop);
  }
};

}  // namespace

template <>
std::unique_ptr<AirfoilKernels<float>> make_kokkos_kernels(Device& device) {
  return std::make_unique<AirfoilKernelsOn<float, AirfoilOnKokkos>>(device);
}
template <>
std::unique_ptr<AirfoilKernels<double>> make_kokkos_kernels(Device& device) {
  return std::make_unique<AirfoilKernelsOn<double, AirfoilOnKokkos>>(device);
}

}  // namespace bellwether
