// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>

#include "kernels/diffusion/diffusion_body.hpp"
#include "kernels/launch/device.hpp"

namespace bellwether {

/// Work of one cell's update: flops here and as the paper counts them, which multiplies each of the
/// seven cells (Shimokawabe, Eq. 6); values read and written once.
inline constexpr int diffusion_flops = 10;
inline constexpr int diffusion_paper_flops = 13;
inline constexpr int diffusion_accesses = 8;
inline constexpr int diffusion_reads = 1;
inline constexpr int diffusion_writes = 1;

/// A subdomain: its storage, and the directions in which it wraps onto itself (periodic and not
/// split), where no ghost cell is read.
struct DiffusionGrid {
  GridLayout layout;
  std::array<bool, 3> wraps{};
};

/// A product of three one-dimensional tables, in device memory: value(i, j, k) = x[i] y[j] z[k].
/// Tables hold the subdomain's cells only, entry 0 for cell 0.
struct SeparableMode {
  const double* x;
  const double* y;
  const double* z;
};

/// Kernels of the 3-D diffusion mini-app on one backend. Fields are pointers to the start of a
/// storage of layout.elements() values; T is float or double.
template <class T>
class DiffusionKernels {
 public:
  virtual ~DiffusionKernels() = default;
  /// to = one step of from, for the cells of the boxes (parts of the interior). Asynchronous.
  virtual void update(const DiffusionGrid& grid, const Boxes& boxes, const T* from, T* to,
                      const DiffusionCoefficients<T>& coefficients, SweepWay way,
                      Stream& stream) = 0;
  /// Interior = mode, rounded from double; all ghost cells and padding 0. Also the first touch.
  virtual void set_mode(const GridLayout& layout, T* field, const SeparableMode& mode,
                        Stream& stream) = 0;
  /// Largest |field - amplitude mode| over the interior; infinity if any value is not finite.
  [[nodiscard]] virtual double largest_error(const GridLayout& layout, const T* field,
                                             const SeparableMode& mode, double amplitude,
                                             Stream& stream) = 0;
  /// Sum (mod 2^64) over the interior of a hash of each value's bits and the cell's global index
  /// x + nx (y + ny z): the same for every decomposition of the same bits.
  [[nodiscard]] virtual std::uint64_t fingerprint(const GridLayout& layout, const T* field,
                                                  std::array<int, 3> offset,
                                                  std::array<int, 3> global_cells,
                                                  Stream& stream) = 0;
};

}  // namespace bellwether
