// SPDX-License-Identifier: MIT
#include <algorithm>
#include <stdexcept>

#include "kernels/launch/dispatch.hpp"
#include "kernels/launch/kokkos_launcher.hpp"
#include "kernels/launch/kokkos_stream.hpp"
#include "kernels/launch/lanes.hpp"
#include "kernels/stream/stream_body.hpp"

namespace bellwether {
namespace {

/// c[i] = row(i) for i < n. On the host's cores the array is cut into rows of 64 KiB: a work item
/// is large enough to pay for itself. On a device it is an element.
template <Stores stores, class Row, class T>
void store_array(std::true_type /*on_host*/, const launch::Exec& exec, const Row& row, T* c,
                 std::size_t n) {
  constexpr auto length = static_cast<std::int64_t>((std::size_t{64} << 10) / sizeof(T));
  const auto end = static_cast<std::int64_t>(n);
  Kokkos::parallel_for(launch::Items(exec, 0, (end + length - 1) / length),
                       [=](std::int64_t chunk) {
                         launch::store_row<stores>(c, row, chunk * length,
                                                   std::min(end, (chunk + 1) * length), 0, end);
                         if (stores == Stores::streaming) launch::drain_streamed_lines();
                       });
}
template <Stores stores, class Row, class T>
void store_array(std::false_type /*on_host*/, const launch::Exec& exec, const Row& row, T* c,
                 std::size_t n) {
  Kokkos::parallel_for(
      launch::Items(exec, 0, static_cast<std::int64_t>(n)),
      KOKKOS_LAMBDA(std::int64_t i) { c[i] = row(i); });
}

/// Elements [begin, end) of the arrays, the lanes of `number` arrays loaded before any is stored: a
/// store between two loads holds up the second where their addresses agree modulo a page.
template <int number, class T>
[[gnu::flatten]] void update_range(const ArrayBundle<T>& arrays, T scalar, std::int64_t begin,
                                   std::int64_t end) {
  constexpr std::int64_t size = launch::lane_count<T>;
  // One array is followed best from far ahead, many as D3Q19's (kernels/lbm/lbm_rows.hpp).
  constexpr std::int64_t bytes = number == 1 ? launch::prefetch_bytes : 10 * cache_line_bytes;
  constexpr std::int64_t ahead = bytes / static_cast<std::int64_t>(sizeof(T));
  T* at[number];
  for (int k = 0; k < number; ++k)
    at[k] = arrays.first + static_cast<std::size_t>(k) * arrays.pitch;
  std::int64_t i = begin;
  for (; i + size <= end; i += size) {
    launch::Lanes<T> lanes[number];
#pragma GCC unroll 32
    for (int k = 0; k < number; ++k) {
      launch::fetch_line(at[k] + i + ahead);
      lanes[k] = launch::load_all_lanes(at[k] + i);
    }
#pragma GCC unroll 32
    for (int k = 0; k < number; ++k) launch::store_all_lanes(at[k] + i, lanes[k] * scalar);
  }
  for (; i < end; ++i)
    for (int k = 0; k < number; ++k) at[k][i] *= scalar;
}

/// On the host's cores 64 KiB of each array to a work item: up to 19 arrays together, and what is
/// more than that after them.
template <class T>
void update_arrays(std::true_type /*on_host*/, const launch::Exec& exec,
                   const ArrayBundle<T>& arrays, T scalar, std::size_t n) {
  constexpr int together = 19;
  const auto length = static_cast<std::int64_t>((std::size_t{64} << 10) / sizeof(T));
  const auto end = static_cast<std::int64_t>(n);
  Kokkos::parallel_for(
      launch::Items(exec, 0, (end + length - 1) / length), [=](std::int64_t chunk) {
        const std::int64_t begin = chunk * length, last = std::min(end, begin + length);
        ArrayBundle<T> rest = arrays;
        const auto next = [&rest](int number) {
          rest.first += static_cast<std::size_t>(number) * rest.pitch;
          rest.count -= number;
        };
        for (; rest.count >= together; next(together))
          update_range<together>(rest, scalar, begin, last);
        for (; rest.count > 0; next(1)) update_range<1>(rest, scalar, begin, last);
      });
}
template <class T>
void update_arrays(std::false_type /*on_host*/, const launch::Exec& exec,
                   const ArrayBundle<T>& arrays, T scalar, std::size_t n) {
  Kokkos::parallel_for(
      launch::Items(exec, 0, static_cast<std::int64_t>(n)), KOKKOS_LAMBDA(std::int64_t i) {
        for (int k = 0; k < arrays.count; ++k)
          arrays.first[static_cast<std::size_t>(k) * arrays.pitch + i] *= scalar;
      });
}

template <class T>
class KokkosStreamKernels final : public StreamKernels<T> {
 public:
  void run(StreamKernel kernel, const T* a, const T* b, T* c, T scalar, std::size_t n,
           Stores stores, Stream& stream) override {
    const launch::Exec& exec = kokkos_exec(stream);
    constexpr std::bool_constant<launch::on_host> on_host;
    const auto with = [&](auto row) {
      if (stores == Stores::streaming)
        store_array<Stores::streaming>(on_host, exec, row, c, n);
      else
        store_array<Stores::cached>(on_host, exec, row, c, n);
    };
    switch (kernel) {
      case StreamKernel::copy:
        return with(StreamRow<StreamKernel::copy, T>{a, b, scalar});
      case StreamKernel::scale:
        return with(StreamRow<StreamKernel::scale, T>{a, b, scalar});
      case StreamKernel::add:
        return with(StreamRow<StreamKernel::add, T>{a, b, scalar});
      case StreamKernel::triad:
        return with(StreamRow<StreamKernel::triad, T>{a, b, scalar});
    }
  }
  void update_together(const ArrayBundle<T>& arrays, T scalar, std::size_t n,
                       Stream& stream) override {
    update_arrays(std::bool_constant<launch::on_host>{}, kokkos_exec(stream), arrays, scalar, n);
  }
  void neighbours(int rereads, const T* from, T* to, const GridLayout& layout, const Box& box,
                  Stores stores, Stream& stream) override {
    const auto with = [&](auto body) {
      launch::store_each(kokkos_exec(stream), layout, box, to + layout.origin(), body, stores);
    };
    const T* const field = from + layout.origin();
    const std::ptrdiff_t row = layout.row_pitch(), plane = layout.plane_pitch();
    switch (rereads) {
      case 0:
        return with(NeighbourBody<0, T>{field, row, plane, T(1)});
      case 1:
        return with(NeighbourBody<1, T>{field, row, plane, T(1) / T(2)});
      case 2:
        return with(NeighbourBody<2, T>{field, row, plane, T(1) / T(3)});
      case 3:
        return with(NeighbourBody<3, T>{field, row, plane, T(1) / T(4)});
      case 4:
        return with(NeighbourBody<4, T>{field, row, plane, T(1) / T(5)});
      default:
        throw std::invalid_argument("neighbours: 0 to 4 rereads");
    }
  }
  void fill(T* a, std::size_t n, unsigned seed, Stream& stream) override {
    Kokkos::parallel_for(
        launch::Items(kokkos_exec(stream), 0, static_cast<std::int64_t>(n)),
        KOKKOS_LAMBDA(std::int64_t i) {
          a[i] = scattered_value<T>(static_cast<std::uint64_t>(i), seed);
        });
  }
};

}  // namespace

template <>
std::unique_ptr<StreamKernels<float>> make_kokkos_kernels(Device&) {
  return std::make_unique<KokkosStreamKernels<float>>();
}
template <>
std::unique_ptr<StreamKernels<double>> make_kokkos_kernels(Device&) {
  return std::make_unique<KokkosStreamKernels<double>>();
}

}  // namespace bellwether
