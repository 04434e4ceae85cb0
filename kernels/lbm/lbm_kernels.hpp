// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/lbm/lbm_checks.hpp"
#include "kernels/lbm/lbm_flow.hpp"
#include "kernels/lbm/lbm_links.hpp"
#include "kernels/lbm/lbm_sums.hpp"

namespace bellwether {

/// The kernels on a backend, which has the loops of every family (cuda::Loops) and
///     update(grid, boxes, f, parity, collision, prefetch, stream)    LbmKernels::update
///     bounce(link, count, stream)                                    link(n) for n < count
///     clear(layout, f, stream)                                       every element 0
template <class T, class Backend>
class LbmKernelsOn final : public LbmKernels<T> {
 public:
  explicit LbmKernelsOn(Device& device) : on_(device) {}

  void update(const LbmGrid& grid, const Boxes& boxes, T* f, int parity,
              const LbmCollision<T>& collision, Prefetch prefetch, Stream& stream) override {
    on_.update(grid, boxes, f, parity, collision, prefetch, stream);
  }
  void bounce(const LbmLayout& layout, const LbmLink* links, std::size_t count, T* f, int parity,
              Stream& stream) override {
    on_.bounce(lbm_bounce(layout, links, f, parity), count, stream);
  }
  std::array<double, 3> link_force(const LbmLayout& layout, const LbmLink* links, std::size_t count,
                                   const T* f, int parity, Stream& stream) override {
    const auto impulse = lbm_link_impulse(layout, links, count, f, parity);
    return on_.sum_parts("lbm link_force", impulse.parts(), impulse.length, impulse, stream)
        .force();
  }
  void set_flow(const LbmGrid& grid, T* f, const LbmFlow& flow, const LbmCollision<T>& collision,
                Stream& stream) override {
    on_.clear(grid.layout, f, stream);
    on_.cells("lbm set_flow", interior_of(grid), lbm_set_flow(grid, f, flow, collision), stream);
  }
  LbmSums sums(const LbmGrid& grid, const T* f, int parity, const LbmFlow& flow,
               const LbmCollision<T>& collision, Stream& stream) override {
    const auto cells = lbm_cell_sums(grid, f, parity, flow, collision);
    return on_.sum_parts("lbm sums", cells.parts(), cells.nx, cells, stream);
  }
  void macroscopic(const LbmGrid& grid, const Box& box, const T* f, int parity,
                   const LbmCollision<T>& collision, float* density, float* velocity,
                   Stream& stream) override {
    on_.cells("lbm macroscopic", box,
              lbm_macroscopic(grid, box, f, parity, collision, density, velocity), stream);
  }
  std::uint64_t fingerprint(const LbmGrid& grid, const T* f, int parity, std::array<int, 3> offset,
                            std::array<int, 3> global_cells, Stream& stream) override {
    return on_.sum("lbm fingerprint", interior_of(grid),
                   lbm_hash(grid, f, parity, offset, global_cells), stream);
  }

 private:
  static Box interior_of(const LbmGrid& grid) { return grid.layout.field().interior(); }

  Backend on_;
};

}  // namespace bellwether
