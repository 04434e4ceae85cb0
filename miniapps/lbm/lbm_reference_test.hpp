// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/launch/device.hpp"
#include "miniapps/lbm/lbm_geometry.hpp"
#include "miniapps/lbm/lbm_start.hpp"

namespace bellwether {

/// For tests: the whole domain on one rank, the kernels one after another, without messages,
/// division or overlap.
template <class T>
class LbmReference {
 public:
  LbmReference(Device& device, const LbmProblem& problem)
      : device_(device),
        stream_(device.make_stream(false)),
        kernels_(make_kernels<LbmKernels<T>>(device)),
        collision_(lbm_collision<T>(problem)),
        grid_{LbmLayout(problem.grid(), sizeof(T),
                        problem.periodic() ? RowGhosts::none : RowGhosts::both),
              {},
              nullptr} {
    const Decomposition whole(problem.grid(), {1, 1, 1}, problem.periodic());
    grid_.wraps.fill(problem.periodic());
    const GridLayout& field = grid_.layout.field();
    const GridLayout ghosted(problem.grid(), 1);
    const auto solid = solid_cells(problem, whole, 0, ghosted);
    solid_ = upload(interior_mask(solid, ghosted, field));
    grid_.solid = solid_.data();
    links_ = upload(bounce_links(solid, ghosted, field, grid_.wraps));
    lattice_ = Buffer<T>(device, grid_.layout.elements());
    LbmStart start(device, problem, whole, 0);
    kernels_->set_flow(grid_, lattice_.data(), start.after(-1, *stream_), collision_, *stream_);
    bounce(1);
  }
  void step() {
    const int parity = static_cast<int>(steps_++ % 2);
    kernels_->update(grid_, grid_.layout.field().interior(), lattice_.data(), parity, collision_,
                     Prefetch::none, *stream_);
    bounce(parity);
  }
  [[nodiscard]] std::uint64_t fingerprint() {
    return kernels_->fingerprint(grid_, lattice_.data(), static_cast<int>(steps_ % 2), {},
                                 grid_.layout.cells(), *stream_);
  }

 private:
  template <class Value>
  Buffer<Value> upload(const std::vector<Value>& values) {
    return uploaded(device_, values, *stream_);
  }
  void bounce(int parity) {
    if (links_.size() > 0)
      kernels_->bounce(grid_.layout, links_.data(), links_.size(), lattice_.data(), parity,
                       *stream_);
  }

  Device& device_;
  std::unique_ptr<Stream> stream_;
  std::unique_ptr<LbmKernels<T>> kernels_;
  LbmCollision<T> collision_;
  LbmGrid grid_;
  Buffer<unsigned char> solid_;
  Buffer<LbmLink> links_;
  Buffer<T> lattice_;
  long steps_ = 0;
};

}  // namespace bellwether
