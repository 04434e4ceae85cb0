// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/launch/device.hpp"
#include "kernels/launch/host_device.hpp"
#include "kernels/lbm/lattice.hpp"

namespace bellwether {

// One lattice, streamed in place (esoteric pull: Lehmann, Computation 10 (2022) 92). The
// populations of pair p are kept as two arrays, slots 2 p + 1 and 2 p + 2. In step t (t steps done
// before) cell x finds the population that moves with +c in its own slot own_slot(p, t), and the
// one that moves with -c in slot other_slot(p, t) of cell x + c. It leaves the outgoing +c
// population where it found the -c one, and the other way round: so that in the next step, with the
// slots' names exchanged, cell x + c finds the first in its own slot, and x - c the second at its
// neighbour x. The 19 places that a cell reads are those it writes, and no other cell's: cells may
// be updated in any order.

/// Parity is the number of steps done, modulo 2.
BELLWETHER_HOST_DEVICE constexpr int own_slot(int pair, int parity) {
  return 2 * pair + 1 + (parity == 0 ? 1 : 0);
}
BELLWETHER_HOST_DEVICE constexpr int other_slot(int pair, int parity) {
  return 2 * pair + 1 + (parity == 0 ? 0 : 1);
}

/// Storage of the 19 slots: arrays of one field's GridLayout each, apart by slot_pitch() elements,
/// which keeps the arrays' lines off one another's cache sets. Rows are dense where x wraps.
class LbmLayout {
 public:
  constexpr LbmLayout() = default;
  constexpr LbmLayout(std::array<int, 3> cells, std::size_t element_bytes, RowGhosts ghosts)
      : field_(cells, element_bytes, ghosts, PlaneEnds::dense) {
    const std::size_t line = cache_line_bytes / element_bytes;
    const std::size_t page = 4096 / element_bytes;
    // A whole number of pages and 3 lines more: slots differ modulo a page.
    slot_ = (field_.elements() + page - 1) / page * page + 3 * line;
  }
  /// Of one slot: where its cells stand.
  [[nodiscard]] constexpr const GridLayout& field() const { return field_; }
  [[nodiscard]] constexpr std::size_t slot_pitch() const { return slot_; }
  [[nodiscard]] constexpr std::size_t elements() const { return slot_ * d3q19::populations; }
  [[nodiscard]] constexpr std::array<int, 3> cells() const { return field_.cells(); }

 private:
  GridLayout field_;
  std::size_t slot_ = 0;
};

/// A subdomain: its storage, the directions in which it wraps onto itself (periodic and not split),
/// where no ghost cell is touched, and where it has solid cells, or null. The mask is in device
/// memory, indexed as field() is: 1 solid, 0 fluid. Ghost cells are not asked. Solid cells keep
/// what stands in their places.
struct LbmGrid {
  LbmLayout layout;
  std::array<bool, 3> wraps{};
  const unsigned char* solid = nullptr;
};

/// Collision: BGK (Shimokawabe, Eq. 7) with the relaxation time tau = nu / (c_s^2 dt) + 1/2, a body
/// force per volume by Guo's scheme (Guo, Zheng and Shi, Phys. Rev. E 65 (2002) 046308), and where
/// smagorinsky > 0 the eddy viscosity of Smagorinsky's model with that constant C, from the local
/// stress (Hou et al. 1996): tau_total = (tau + sqrt(tau^2 + 18 sqrt(2) C^2 |Q| / rho)) / 2.
/// Lattice units.
template <class T>
struct LbmCollision {
  T tau = 1;
  std::array<T, 3> force{};
  T smagorinsky = 0;
};

/// Fields made of one-dimensional tables in device memory, entry 0 for the subdomain's cell 0:
/// velocity component d at (i, j, k) is mean[d] + x[d][i] y[d][j] z[d][k], density
/// 1 + density[0][i] + density[1][j] + density[2][k]. Lattice units.
struct LbmFlow {
  double mean[3] = {};
  const double* x[3] = {};
  const double* y[3] = {};
  const double* z[3] = {};
  const double* density[3] = {};

  /// Component d of the velocity, without the mean.
  [[nodiscard]] BELLWETHER_HOST_DEVICE double fluctuation(int d, int i, int j, int k) const {
    return x[d][i] * y[d][j] * z[d][k];
  }
  /// Density less 1.
  [[nodiscard]] BELLWETHER_HOST_DEVICE double excess(int i, int j, int k) const {
    return density[0][i] + density[1][j] + density[2][k];
  }
};

/// Sums over a subdomain's fluid cells, in double precision. Velocities are those of Guo's scheme,
/// half a force included; `reference` is the fluctuating part (without mean) of the flow asked
/// about.
struct LbmSums {
  double cells = 0;                    ///< fluid
  double excess_mass = 0;              ///< rho - 1
  double momentum[3] = {};             ///< rho u
  double projection = 0;               ///< (u - mean) . reference
  double reference = 0;                ///< reference . reference
  double largest_speed = 0;            ///< |u|
  double not_finite = 0;               ///< cells with a value that is not finite
  std::int64_t first_not_finite = -1;  ///< of these the least i + nx (j + ny k), nx, ny local

  BELLWETHER_HOST_DEVICE void add(const LbmSums& more) {
    cells += more.cells;
    excess_mass += more.excess_mass;
    for (int d = 0; d < 3; ++d) momentum[d] += more.momentum[d];
    projection += more.projection;
    reference += more.reference;
    if (more.largest_speed > largest_speed) largest_speed = more.largest_speed;
    not_finite += more.not_finite;
    if (first_not_finite < 0 ||
        (more.first_not_finite >= 0 && more.first_not_finite < first_not_finite))
      first_not_finite = more.first_not_finite;
  }
};

/// Device memory that the sums of a subdomain take: LbmSums of each row.
constexpr std::size_t lbm_sums_bytes(const LbmLayout& layout) {
  return sizeof(LbmSums) * static_cast<std::size_t>(layout.cells()[1]) *
         static_cast<std::size_t>(layout.cells()[2]);
}

/// One link from a fluid cell to a solid one across which halfway bounce-back acts: both ends of it
/// stand in one cell, slots 2 p + 1 and 2 p + 2 of the solid cell x + c, or of the fluid cell x
/// itself where the solid one is x - c.
struct LbmLink {
  std::int64_t cell = 0;    ///< offset in field() (GridLayout::at) of the cell that holds both
  std::int8_t pair = 0;     ///< p
  std::int8_t towards = 1;  ///< +1: the solid cell is x + c; -1: it is x - c
  std::int16_t reserved[3] = {};  ///< so that no byte is undefined
};

/// What an update may gain by asking for; none of it changes a bit.
inline constexpr std::array lbm_prefetches{Prefetch::none, Prefetch::ahead, Prefetch::near};

/// Kernels of the D3Q19 mini-app on one backend. `f` points to the start of LbmLayout's storage of
/// deviations f_i - w_i (f32 then keeps the digits of a small velocity); T is float or double.
template <class T>
class LbmKernels {
 public:
  virtual ~LbmKernels() = default;
  /// One step of the cells of the boxes, parts of the interior, in place. Asynchronous, as all of
  /// these without a result.
  virtual void update(const LbmGrid& grid, const Boxes& boxes, T* f, int parity,
                      const LbmCollision<T>& collision, Prefetch prefetch, Stream& stream) = 0;
  /// Turns round what went through `count` links in the step before, `parity` counting that step:
  /// before it is called a link's outgoing population stands where the solid cell would find it,
  /// after it where the fluid cell will. May be repeated.
  virtual void bounce(const LbmLayout& layout, const LbmLink* links, std::size_t count, T* f,
                      int parity, Stream& stream) = 0;
  /// Momentum that the solid gained through the links in the step before: the sum over them of
  /// (2 f* + 2 w) c (momentum exchange: Ladd 1994), f* the outgoing deviation. Blocks.
  [[nodiscard]] virtual std::array<double, 3> link_force(const LbmLayout& layout,
                                                         const LbmLink* links, std::size_t count,
                                                         const T* f, int parity,
                                                         Stream& stream) = 0;
  /// What the interior cells sent out in a step of parity 1, the one before the first: equilibrium
  /// with the flow, velocities less half the force (solid cells: at rest). Left where update leaves
  /// it, to be exchanged and bounced as after a step. Every other element 0. Also the first touch.
  virtual void set_flow(const LbmGrid& grid, T* f, const LbmFlow& flow,
                        const LbmCollision<T>& collision, Stream& stream) = 0;
  /// After exchange and bounce. Blocks. Takes lbm_sums_bytes() on the device, and keeps them.
  [[nodiscard]] virtual LbmSums sums(const LbmGrid& grid, const T* f, int parity,
                                     const LbmFlow& flow, const LbmCollision<T>& collision,
                                     Stream& stream) = 0;
  /// density[n] and velocity[3 n + d] of the n-th cell of `box`, x fastest; solid cells 1 and 0.
  /// After exchange and bounce.
  virtual void macroscopic(const LbmGrid& grid, const Box& box, const T* f, int parity,
                           const LbmCollision<T>& collision, float* density, float* velocity,
                           Stream& stream) = 0;
  /// Sum (mod 2^64) over fluid interior cells and populations of a hash of the value's bits, the
  /// population and the cell's global index: the same for every decomposition of the same bits, and
  /// whatever slots the populations stand in. After exchange and bounce. Blocks.
  [[nodiscard]] virtual std::uint64_t fingerprint(const LbmGrid& grid, const T* f, int parity,
                                                  std::array<int, 3> offset,
                                                  std::array<int, 3> global_cells,
                                                  Stream& stream) = 0;
};

}  // namespace bellwether
