// SPDX-License-Identifier: MIT
#include "miniapps/lbm/lbm_halo.hpp"

namespace bellwether {
namespace {

using Shift = std::array<int, 3>;

/// Which end of a message: the places it is packed from or those it is unpacked to.
enum class End { sender, receiver };

/// The rank at a shift, or -1 where none is.
int rank_at(const Decomposition& decomposition, int rank, const Shift& shift) {
  for (int d = 0; d < 3 && rank >= 0; ++d)
    if (shift[d] != 0) rank = decomposition.neighbour(rank, d, shift[d] > 0 ? 1 : 0);
  return rank;
}

/// The places of one rank's end of a message.
class Places {
 public:
  Places(const Decomposition& decomposition, int rank, const LbmLayout& layout)
      : decomposition_(decomposition),
        cells_(decomposition.local_cells(rank)),
        pitch_(layout.slot_pitch()) {}

  /// Those of populations that travel along `travel` through the subdomain's border.
  [[nodiscard]] std::vector<HaloPart> of(const Shift& travel, End end) const {
    std::vector<HaloPart> parts;
    for (int pair = 0; pair < d3q19::pairs; ++pair) {
      for (const int way : {1, -1}) {
        if (!crosses(pair, way, travel)) continue;
        const Box box = box_of(pair, way, travel, end);
        if (!box.empty()) parts.push_back({slots_of(pair, way), box});
      }
    }
    return parts;
  }

 private:
  static bool crosses(int pair, int way, const Shift& travel) {
    for (int d = 0; d < 3; ++d)
      if (travel[d] != 0 && way * d3q19::velocity[pair][d] != travel[d]) return false;
    return true;
  }
  /// Where the next step looks for it, after a step of parity 0 and 1.
  [[nodiscard]] std::array<std::size_t, 2> slots_of(int pair, int way) const {
    const auto slot = [&](int next) {
      return way > 0 ? own_slot(pair, next) : other_slot(pair, next);
    };
    return {slot(1) * pitch_, slot(0) * pitch_};
  }
  /// The cells y at which they stand. A place of way +1 is the sender's ghost cell and the
  /// receiver's own, one of way -1 the other way round.
  [[nodiscard]] Box box_of(int pair, int way, const Shift& travel, End end) const {
    Box box{{0, 0, 0}, cells_};
    for (int d = 0; d < 3; ++d) {
      const int c = d3q19::velocity[pair][d];
      if (travel[d] != 0) {
        const bool ghost = (way > 0) == (end == End::sender);
        // The sender's side of its own cells is high where they travel up, the receiver's low.
        const bool high = (travel[d] > 0) == (end == End::sender);
        box.low[d] = high ? cells_[d] - (ghost ? 0 : 1) : (ghost ? -1 : 0);
        box.high[d] = box.low[d] + 1;
      } else if (c != 0 && decomposition_.ranks()[d] > 1) {
        // Both x and y = x + c within the direction's cells: what else there is crosses an edge,
        // or a wall.
        if (c > 0)
          ++box.low[d];
        else
          --box.high[d];
      }
    }
    return box;
  }

  const Decomposition& decomposition_;
  std::array<int, 3> cells_;
  std::size_t pitch_;
};

}  // namespace

LbmLayout lbm_layout(const Decomposition& decomposition, int rank, std::size_t element_bytes) {
  const bool wraps = decomposition.periodic() && decomposition.ranks()[0] == 1;
  return {decomposition.local_cells(rank), element_bytes,
          wraps ? RowGhosts::none : RowGhosts::both};
}

std::vector<HaloMessage> lbm_messages(const Decomposition& decomposition, int rank,
                                      const LbmLayout& layout, std::size_t element_bytes) {
  const Places places(decomposition, rank, layout);
  std::vector<HaloMessage> messages;
  for (const int directions : {1, 2}) {  // faces, then edges
    for (int n = 0; n < 27; ++n) {
      const Shift shift{n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1};
      if (std::abs(shift[0]) + std::abs(shift[1]) + std::abs(shift[2]) != directions) continue;
      HaloMessage message;
      message.neighbour = rank_at(decomposition, rank, shift);
      if (message.neighbour < 0) continue;
      message.shift = shift;
      message.pack = places.of(shift, End::sender);
      message.unpack = places.of({-shift[0], -shift[1], -shift[2]}, End::receiver);
      for (const HaloPart& part : message.pack) message.bytes += part.box.cells() * element_bytes;
      messages.push_back(std::move(message));
    }
  }
  return messages;
}

}  // namespace bellwether
