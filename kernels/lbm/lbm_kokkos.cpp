// SPDX-License-Identifier: MIT
#include <algorithm>

#include "kernels/launch/cpu/lanes.hpp"
#include "kernels/launch/kokkos/kokkos_launcher.hpp"
#include "kernels/lbm/lbm_kernels.hpp"
#include "kernels/lbm/lbm_rows.hpp"

namespace bellwether {
namespace {

template <bool with_force, bool with_eddies, class T>
void update_cells(std::true_type /*on_host*/, const launch::Exec& exec, const Boxes& boxes,
                  const LbmUpdate<with_force, with_eddies, T, std::ptrdiff_t>& update,
                  Prefetch prefetch) {
  for (const Box& box : boxes)
    launch::for_rows_of_planes(exec, box, [=](int first, int last, int k) {
      update_rows(update, box, first, last, k, prefetch);
    });
}
template <class Update>
void update_cells(std::false_type /*on_host*/, const launch::Exec& exec, const Boxes& boxes,
                  const Update& update, Prefetch /*prefetch*/) {
  launch::for_each_vector(exec, boxes, update.cells, update);
}

/// Links' places stand in lines that no prefetcher of a CPU foresees: they are asked for ahead.
template <class T>
void bounce_links(std::true_type /*on_host*/, const launch::Exec& exec, const LbmBounce<T>& link,
                  std::int64_t count) {
  constexpr std::int64_t ahead = 16;
  Kokkos::parallel_for(launch::Items(exec, 0, count), [=](std::int64_t n) {
    const LbmLinkEnds later = link.ends(std::min(n + ahead, count - 1));
    launch::fetch_line(link.f + later.sent);
    launch::fetch_line(link.f + later.back);
    link(n);
  });
}
template <class T>
void bounce_links(std::false_type /*on_host*/, const launch::Exec& exec, const LbmBounce<T>& link,
                  std::int64_t count) {
  Kokkos::parallel_for(
      launch::Items(exec, 0, count), KOKKOS_LAMBDA(std::int64_t n) { link(n); });
}

/// All slots a line at a time, so that the thread that will update a plane of cells touches it
/// first in all of them.
template <class T>
void clear_slots(const launch::Exec& exec, const LbmLayout& layout, T* f) {
  constexpr auto line = static_cast<std::ptrdiff_t>(cache_line_bytes / sizeof(T));
  const auto pitch = static_cast<std::ptrdiff_t>(layout.slot_pitch());
  Kokkos::parallel_for(
      launch::Items(exec, 0, pitch / line), KOKKOS_LAMBDA(std::int64_t item) {
        for (int slot = 0; slot < d3q19::populations; ++slot)
          for (std::ptrdiff_t l = 0; l < line; ++l) f[slot * pitch + item * line + l] = T(0);
      });
}

struct LbmOnKokkos : launch::KokkosLoops {
  using KokkosLoops::KokkosLoops;

  template <class T>
  void update(const LbmGrid& grid, const Boxes& boxes, T* f, int parity,
              const LbmCollision<T>& collision, Prefetch prefetch, Stream& stream) {
    const auto launch = [&](const auto& cell) {
      update_cells(std::bool_constant<launch::on_host>{}, kokkos_exec(stream), boxes, cell,
                   prefetch);
    };
    if constexpr (launch::on_host)
      with_update<std::ptrdiff_t>(grid, f, parity, collision, launch);
    else
      with_device_update(grid, f, parity, collision, launch);
  }
  template <class T>
  void bounce(const LbmBounce<T>& link, std::size_t count, Stream& stream) {
    bounce_links(std::bool_constant<launch::on_host>{}, kokkos_exec(stream), link,
                 static_cast<std::int64_t>(count));
  }
  template <class T>
  void clear(const LbmLayout& layout, T* f, Stream& stream) {
    clear_slots(kokkos_exec(stream), layout, f);
  }
};

}  // namespace

template <>
std::unique_ptr<LbmKernels<float>> make_kokkos_kernels(Device& device) {
  return std::make_unique<LbmKernelsOn<float, LbmOnKokkos>>(device);
}
template <>
std::unique_ptr<LbmKernels<double>> make_kokkos_kernels(Device& device) {
  return std::make_unique<LbmKernelsOn<double, LbmOnKokkos>>(device);
}

}  // namespace bellwether
