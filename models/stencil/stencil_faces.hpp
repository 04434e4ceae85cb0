// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "models/stencil/decomposition.hpp"

namespace bellwether {

/// A face of a rank's subdomain whose cells are exchanged with a neighbour.
struct ExchangedFace {
  int direction;
  int side;  ///< 0 low, 1 high
  int neighbour;
  double cells;
};

/// In the order x low, x high, y low, ...
std::vector<ExchangedFace> exchanged_faces(const Decomposition& decomposition, int rank);

/// Bytes of one value: 4 for "f32", 8 for "f64". Throws BadInput on anything else.
double value_bytes(const std::string& precision);

}  // namespace bellwether
