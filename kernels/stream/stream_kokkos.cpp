// SPDX-License-Identifier: MIT
#include <algorithm>
#include <stdexcept>
#include <utility>

#include "kernels/launch/cpu/lanes.hpp"
#include "kernels/launch/device.hpp"
#include "kernels/launch/kokkos/kokkos_launcher.hpp"
#include "kernels/launch/kokkos/kokkos_stream.hpp"
#include "kernels/stream/stream_lanes.hpp"

namespace bellwether {
namespace {

/// c[i] = row(i) for i < n. On the host's cores the array is cut into rows of 64 KiB: a work item
/// is large enough to pay for itself. On a device it is an element.
template <Stores stores, Prefetch prefetch, StreamKernel kernel, class T>
void store_array(std::true_type /*on_host*/, const launch::Exec& exec,
                 const StreamRow<kernel, T>& row, T* c, std::size_t n) {
  constexpr auto length = static_cast<std::int64_t>((std::size_t{64} << 10) / sizeof(T));
  const auto end = static_cast<std::int64_t>(n);
  Kokkos::parallel_for(
      launch::Items(exec, 0, (end + length - 1) / length), [=](std::int64_t chunk) {
        launch::store_row<stores, prefetch>(c, 0, StreamLanes<kernel, T>(row), chunk * length,
                                            std::min(end, (chunk + 1) * length));
        if (stores == Stores::streaming) launch::drain_streamed_lines();
      });
}
template <Stores stores, Prefetch prefetch, class Row, class T>
void store_array(std::false_type /*on_host*/, const launch::Exec& exec, const Row& row, T* c,
                 std::size_t n) {
  Kokkos::parallel_for(
      launch::Items(exec, 0, static_cast<std::int64_t>(n)),
      KOKKOS_LAMBDA(std::int64_t i) { c[i] = row(i); });
}

/// On the host's cores a register at a time, each line asked for ahead, to be written; 64 KiB of
/// each stretch to a work item. Each stretch has loads and stores of its own: prefetchers tell
/// streams apart by the instruction (kernels/measurements.csv).
template <int arrays, class T>
void update_stretches(const launch::Exec& exec, T* a, T scalar, std::int64_t stretch,
                      int ahead_bytes) {
  constexpr auto length = static_cast<std::int64_t>((std::size_t{64} << 10) / sizeof(T));
  constexpr std::int64_t size = launch::lane_count<T>;
  const auto ahead = static_cast<std::int64_t>(ahead_bytes) / static_cast<std::int64_t>(sizeof(T));
  Kokkos::parallel_for(
      launch::Items(exec, 0, (stretch + length - 1) / length), [=](std::int64_t chunk) {
        const std::int64_t last = std::min(stretch, (chunk + 1) * length);
        const auto update = [&]<int... n>(std::int64_t i, std::integer_sequence<int, n...>) {
          const auto lanes = [&](T* at) {
            __builtin_prefetch(at + ahead, 1, arrays == 1 ? 2 : 3);
            launch::store_all_lanes(at, launch::load_all_lanes(at) * scalar);
          };
          (lanes(a + n * stretch + i), ...);
        };
        std::int64_t i = chunk * length;
        for (; i + size <= last; i += size) update(i, std::make_integer_sequence<int, arrays>());
        for (; i < last; ++i)
          for (int n = 0; n < arrays; ++n) a[n * stretch + i] *= scalar;
      });
}
template <class T>
void update_array(std::true_type /*on_host*/, const launch::Exec& exec, T* a, T scalar,
                  std::size_t n, int arrays, Prefetch prefetch) {
  constexpr int many = 19;
  if (arrays != 1 && arrays != many) throw std::invalid_argument("update: 1 or 19 arrays");
  const std::size_t stretch = arrays == many ? stretch_length<T>(n, many) : 0;
  const std::size_t done = stretch * many;
  if (done > 0)
    update_stretches<many>(exec, a, scalar, static_cast<std::int64_t>(stretch),
                           launch::prefetch_bytes_of_many(prefetch));
  if (n > done)
    update_stretches<1>(exec, a + done, scalar, static_cast<std::int64_t>(n - done),
                        launch::prefetch_bytes);
}
template <class T>
void update_array(std::false_type /*on_host*/, const launch::Exec& exec, T* a, T scalar,
                  std::size_t n, int /*arrays*/, Prefetch /*prefetch*/) {
  Kokkos::parallel_for(
      launch::Items(exec, 0, static_cast<std::int64_t>(n)),
      KOKKOS_LAMBDA(std::int64_t i) { a[i] *= scalar; });
}

template <class T>
class KokkosStreamKernels final : public StreamKernels<T> {
 public:
  void run(StreamKernel kernel, const T* a, const T* b, T* c, T scalar, std::size_t n, SweepWay way,
           Stream& stream) override {
    const launch::Exec& exec = kokkos_exec(stream);
    constexpr std::bool_constant<launch::on_host> on_host;
    const auto with = [&](auto row) {
      if (way.stores == Stores::cached)
        store_array<Stores::cached, Prefetch::rows_to_l2>(on_host, exec, row, c, n);
      else if (way.prefetch == Prefetch::rows_to_l2)
        store_array<Stores::streaming, Prefetch::rows_to_l2>(on_host, exec, row, c, n);
      else
        store_array<Stores::streaming, Prefetch::rows>(on_host, exec, row, c, n);
    };
    with_stream_row(kernel, a, b, scalar, with);
  }
  void update(T* a, T scalar, std::size_t n, int arrays, Prefetch prefetch,
              Stream& stream) override {
    update_array(std::bool_constant<launch::on_host>{}, kokkos_exec(stream), a, scalar, n, arrays,
                 prefetch);
  }
  void neighbours(int rereads, const T* from, T* to, const GridLayout& layout, const Box& box,
                  SweepWay way, Stream& stream) override {
    const auto with = [&](auto body) {
      launch::store_each(kokkos_exec(stream), layout, box, to + layout.origin(), body, way);
    };
    with_neighbours(rereads, from, layout, with);
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
