// SPDX-License-Identifier: MIT
#include <algorithm>

#include "kernels/launch/cpu/lanes.hpp"
#include "kernels/launch/device.hpp"
#include "kernels/launch/kokkos/kokkos_launcher.hpp"
#include "kernels/launch/kokkos/kokkos_stream.hpp"
#include "kernels/launch/part_sums.hpp"
#include "kernels/lbm/lbm_links.hpp"
#include "kernels/lbm/lbm_rows.hpp"
#include "kernels/lbm/lbm_sums.hpp"

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

template <class T>
class KokkosLbm final : public LbmKernels<T> {
 public:
  explicit KokkosLbm(Device& device) : part_sums_(device) {}

  void update(const LbmGrid& grid, const Boxes& boxes, T* f, int parity,
              const LbmCollision<T>& collision, Prefetch prefetch, Stream& stream) override {
    const auto launch = [&](const auto& cell) {
      update_cells(std::bool_constant<launch::on_host>{}, kokkos_exec(stream), boxes, cell,
                   prefetch);
    };
    if constexpr (launch::on_host)
      with_update<std::ptrdiff_t>(grid, f, parity, collision, launch);
    else
      with_device_update(grid, f, parity, collision, launch);
  }
  void bounce(const LbmLayout& layout, const LbmLink* links, std::size_t count, T* f, int parity,
              Stream& stream) override {
    bounce_links(std::bool_constant<launch::on_host>{}, kokkos_exec(stream),
                 lbm_bounce(layout, links, f, parity), static_cast<std::int64_t>(count));
  }
  std::array<double, 3> link_force(const LbmLayout& layout, const LbmLink* links, std::size_t count,
                                   const T* f, int parity, Stream& stream) override {
    const auto impulse = lbm_link_impulse(layout, links, count, f, parity);
    return sum(impulse.parts(), impulse.length, impulse, stream).force();
  }
  void set_flow(const LbmGrid& grid, T* f, const LbmFlow& flow, const LbmCollision<T>& collision,
                Stream& stream) override {
    clear(grid.layout, f, stream);
    launch::for_each(kokkos_exec(stream), interior_of(grid),
                     lbm_set_flow(grid, f, flow, collision));
  }
  LbmSums sums(const LbmGrid& grid, const T* f, int parity, const LbmFlow& flow,
               const LbmCollision<T>& collision, Stream& stream) override {
    const auto cells = lbm_cell_sums(grid, f, parity, flow, collision);
    return sum(cells.parts(), cells.nx, cells, stream).sums();
  }
  void macroscopic(const LbmGrid& grid, const Box& box, const T* f, int parity,
                   const LbmCollision<T>& collision, float* density, float* velocity,
                   Stream& stream) override {
    launch::for_each(kokkos_exec(stream), box,
                     lbm_macroscopic(grid, box, f, parity, collision, density, velocity));
  }
  std::uint64_t fingerprint(const LbmGrid& grid, const T* f, int parity, std::array<int, 3> offset,
                            std::array<int, 3> global_cells, Stream& stream) override {
    return launch::sum(kokkos_exec(stream), interior_of(grid),
                       lbm_hash(grid, f, parity, offset, global_cells));
  }

  /// All slots a line at a time, so that the thread that will update a plane of cells touches it
  /// first in all of them.
  static void clear(const LbmLayout& layout, T* f, Stream& stream) {
    constexpr auto line = static_cast<std::ptrdiff_t>(cache_line_bytes / sizeof(T));
    const auto pitch = static_cast<std::ptrdiff_t>(layout.slot_pitch());
    Kokkos::parallel_for(
        launch::Items(kokkos_exec(stream), 0, pitch / line), KOKKOS_LAMBDA(std::int64_t item) {
          for (int slot = 0; slot < d3q19::populations; ++slot)
            for (std::ptrdiff_t l = 0; l < line; ++l) f[slot * pitch + item * line + l] = T(0);
        });
  }

 private:
  static Box interior_of(const LbmGrid& grid) { return grid.layout.field().interior(); }

  /// The sum of function(part, item) for the items [0, length) of all parts.
  template <class Function>
  auto sum(std::int64_t parts, std::int64_t length, const Function& function, Stream& stream) {
    using Value = decltype(function(0, 0));
    return part_sums_.template total_of<Value>(parts, stream, [&](Value* sums) {
      launch::sum_parts(kokkos_exec(stream), parts, length, function, sums);
    });
  }

  PartSums part_sums_;
};

}  // namespace

template <>
std::unique_ptr<LbmKernels<float>> make_kokkos_kernels(Device& device) {
  return std::make_unique<KokkosLbm<float>>(device);
}
template <>
std::unique_ptr<LbmKernels<double>> make_kokkos_kernels(Device& device) {
  return std::make_unique<KokkosLbm<double>>(device);
}

}  // namespace bellwether
