// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/diffusion/diffusion_checks.hpp"

namespace bellwether {

/// The kernels on a backend, which has the loops of every family (cuda::Loops) and
///     store(layout, boxes, out, body, way, stream)    out = body at the cells of the boxes, `out`
///                                                     the start of a storage
template <class T, class Backend>
class DiffusionKernelsOn final : public DiffusionKernels<T> {
 public:
  explicit DiffusionKernelsOn(Device& device) : on_(device) {}

  void update(const DiffusionGrid& grid, const Boxes& boxes, const T* from, T* to,
              const DiffusionCoefficients<T>& coefficients, SweepWay way, Stream& stream) override {
    on_.store(grid.layout, boxes, to, diffusion_body(grid, from, coefficients), way, stream);
  }
  void set_mode(const GridLayout& layout, T* field, const SeparableMode& mode,
                Stream& stream) override {
    on_.clear(field, layout.elements(), stream);
    on_.cells("diffusion set_mode", layout.interior(),
              SetMode<T>{field + layout.origin(), layout.row_pitch(), layout.plane_pitch(), mode},
              stream);
  }
  double largest_error(const GridLayout& layout, const T* field, const SeparableMode& mode,
                       double amplitude, Stream& stream) override {
    return on_.largest("diffusion largest_error", layout.interior(),
                       mode_error(layout, field, mode, amplitude), stream);
  }
  std::uint64_t fingerprint(const GridLayout& layout, const T* field, std::array<int, 3> offset,
                            std::array<int, 3> global_cells, Stream& stream) override {
    return on_.sum("diffusion fingerprint", layout.interior(),
                   field_hash(layout, field, offset, global_cells), stream);
  }

 private:
  Backend on_;
};

}  // namespace bellwether
