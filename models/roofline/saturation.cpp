// SPDX-License-Identifier: MIT
#include "models/roofline/saturation.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

namespace bellwether {
namespace {

/// q: of whole numbers the one by which published STREAM results are missed least
/// (saturation_test.cpp).
double sharp(double value) { return value * value * value; }

}  // namespace

double saturation(const std::vector<StreamResult>& stream, const std::string& stores, int below,
                  double ranks, int above) {
  std::map<int, double> copies;
  for (const StreamResult& one : stream)
    if (one.kernel == "copy" && (one.stores == "streaming") == (stores == "streaming"))
      copies[one.ranks] = sharp(1 / one.bandwidth_bytes_per_s.value);
  if (!copies.contains(below) || !copies.contains(above) || copies[below] == copies[above])
    copies = {{below, sharp(below)}, {above, sharp(above)}};
  const auto more = copies.lower_bound(static_cast<int>(std::ceil(ranks)));
  const auto fewer = more->first > ranks ? std::prev(more) : more;
  double here = fewer->second;
  if (more != fewer)
    here += (sharp(ranks) - sharp(fewer->first)) / (sharp(more->first) - sharp(fewer->first)) *
            (more->second - fewer->second);
  return std::clamp((here - copies[below]) / (copies[above] - copies[below]), 0., 1.);
}

double saturating(double below, double above, double share) {
  return std::cbrt(sharp(below) + share * (sharp(above) - sharp(below)));
}

}  // namespace bellwether
