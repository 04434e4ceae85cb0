// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "models/prediction.hpp"

namespace bellwether {

/// For tests: seconds of a term; 0 where the prediction has none of that name.
inline double term(const Prediction& prediction, const std::string& name) {
  for (const Term& one : prediction.terms)
    if (one.name == name) return one.seconds;
  return 0;
}

}  // namespace bellwether
