// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <string>

#include "models/prediction.hpp"

namespace bellwether {

/// For tests: a term; without a name where the prediction has none of that name.
inline Term find_term(const Prediction& prediction, const std::string& name) {
  for (const Term& one : prediction.terms)
    if (one.name == name) return one;
  return {};
}

/// Its seconds; 0 where there is none.
inline double term(const Prediction& prediction, const std::string& name) {
  return find_term(prediction, name).seconds;
}

/// Whether a line about what lies outside the calibrated range has this word.
inline bool notes(const Prediction& prediction, const std::string& word) {
  return std::any_of(prediction.outside_range.begin(), prediction.outside_range.end(),
                     [&word](const std::string& line) { return line.find(word) != line.npos; });
}

}  // namespace bellwether
