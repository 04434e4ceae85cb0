// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/lbm/lbm_places.hpp"

namespace bellwether {

/// Where a link's outgoing population stands after a step of a parity (`sent`), and where its fluid
/// cell finds what comes back (`back`), in elements from the storage's start.
struct LbmLinkEnds {
  std::ptrdiff_t sent, back;
};
BELLWETHER_HOST_DEVICE LbmLinkEnds link_ends(const LbmLink& link, int parity,
                                             std::ptrdiff_t slot_pitch) {
  const std::ptrdiff_t own = link.cell + own_slot(link.pair, parity) * slot_pitch;
  const std::ptrdiff_t other = link.cell + other_slot(link.pair, parity) * slot_pitch;
  return link.towards > 0 ? LbmLinkEnds{other, own} : LbmLinkEnds{own, other};
}

/// Turns one link's population round.
template <class T>
struct LbmBounce {
  T* f;  ///< the storage's start
  const LbmLink* links;
  std::ptrdiff_t slot_pitch;
  int parity;

  [[nodiscard]] BELLWETHER_HOST_DEVICE LbmLinkEnds ends(std::size_t n) const {
    return link_ends(links[n], parity, slot_pitch);
  }
  BELLWETHER_HOST_DEVICE void operator()(std::size_t n) const {
    const LbmLinkEnds at = ends(n);
    f[at.back] = f[at.sent];
  }
};

/// Momentum that the solid gained; a sum of such.
struct LbmImpulse {
  double x = 0, y = 0, z = 0;

  BELLWETHER_HOST_DEVICE void add(const LbmImpulse& more) {
    x += more.x;
    y += more.y;
    z += more.z;
  }
  [[nodiscard]] std::array<double, 3> force() const { return {x, y, z}; }
};

/// The impulse of a link, for sums over parts of `length` links.
template <class T>
struct LbmLinkImpulse {
  static constexpr std::int64_t length = 256;

  const T* f;  ///< the storage's start
  const LbmLink* links;
  std::int64_t count;
  std::ptrdiff_t slot_pitch;
  int parity;

  [[nodiscard]] std::int64_t parts() const { return (count + length - 1) / length; }
  BELLWETHER_HOST_DEVICE LbmImpulse operator()(std::int64_t part, std::int64_t item) const {
    const std::int64_t n = part * length + item;
    if (n >= count) return {};
    const LbmLink& link = links[n];
    const auto sent = static_cast<double>(f[link_ends(link, parity, slot_pitch).sent]);
    const double gain = 2 * link.towards * (sent + d3q19::weight(link.pair));
    LbmImpulse impulse;
    each_pair([&](auto p) {
      constexpr int pair = decltype(p)::value;
      if (pair != link.pair) return;
      constexpr int cx = d3q19::velocity[pair][0];
      constexpr int cy = d3q19::velocity[pair][1];
      constexpr int cz = d3q19::velocity[pair][2];
      impulse = {cx * gain, cy * gain, cz * gain};
    });
    return impulse;
  }
};

template <class T>
LbmBounce<T> lbm_bounce(const LbmLayout& layout, const LbmLink* links, T* f, int parity) {
  return {f, links, static_cast<std::ptrdiff_t>(layout.slot_pitch()), parity};
}
template <class T>
LbmLinkImpulse<T> lbm_link_impulse(const LbmLayout& layout, const LbmLink* links, std::size_t count,
                                   const T* f, int parity) {
  return {f, links, static_cast<std::int64_t>(count),
          static_cast<std::ptrdiff_t>(layout.slot_pitch()), parity};
}

}  // namespace bellwether
