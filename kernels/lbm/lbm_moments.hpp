// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/launch/host_device.hpp"
#include "kernels/lbm/lattice.hpp"

namespace bellwether {

/// The populations of a pair: what moves with +c, and what moves with -c.
template <class V>
struct LbmPair {
  V plus, minus;
};

/// The deviations f_i - w_i of one cell; of as many cells as V has lanes.
template <class V>
struct LbmCell {
  V rest;
  LbmPair<V> pair[d3q19::pairs];
};

/// Sums over a cell's populations; additions associate in one fixed order.
template <class V>
struct LbmMoments {
  V sum[d3q19::pairs];  ///< of a pair
  V xy, xz, yz;         ///< of the four diagonals of a plane
  V excess;             ///< density less 1
  V momentum[3];        ///< of the populations, without a force's half
};

/// The moments of a cell: 39 additions and subtractions.
template <class V>
BELLWETHER_HOST_DEVICE LbmMoments<V> moments_of(const LbmCell<V>& h) {
  const auto& p = h.pair;
  const V sum[d3q19::pairs] = {
      p[0].plus + p[0].minus, p[1].plus + p[1].minus, p[2].plus + p[2].minus,
      p[3].plus + p[3].minus, p[4].plus + p[4].minus, p[5].plus + p[5].minus,
      p[6].plus + p[6].minus, p[7].plus + p[7].minus, p[8].plus + p[8].minus};
  const V flow[d3q19::pairs] = {
      p[0].plus - p[0].minus, p[1].plus - p[1].minus, p[2].plus - p[2].minus,
      p[3].plus - p[3].minus, p[4].plus - p[4].minus, p[5].plus - p[5].minus,
      p[6].plus - p[6].minus, p[7].plus - p[7].minus, p[8].plus - p[8].minus};
  const V xy = sum[3] + sum[4], xz = sum[5] + sum[6], yz = sum[7] + sum[8];
  return {{sum[0], sum[1], sum[2], sum[3], sum[4], sum[5], sum[6], sum[7], sum[8]},
          xy,
          xz,
          yz,
          h.rest + (sum[0] + sum[1] + sum[2]) + (xy + xz + yz),
          {flow[0] + ((flow[3] + flow[4]) + (flow[5] + flow[6])),
           flow[1] + ((flow[3] - flow[4]) + (flow[7] + flow[8])),
           flow[2] + ((flow[5] - flow[6]) + (flow[7] - flow[8]))}};
}

}  // namespace bellwether
