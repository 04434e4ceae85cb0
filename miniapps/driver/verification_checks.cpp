// SPDX-License-Identifier: MIT
#include "miniapps/driver/verification_checks.hpp"

#include <utility>

namespace bellwether {

Verification judged(std::string what, double value, double tolerance) {
  return {value <= tolerance, std::move(what), value, tolerance};
}

Verification worst_of(const std::vector<Verification>& all) {
  const auto nearer = [](const Verification& a, const Verification& b) {
    if (a.passed != b.passed) return b.passed;
    return a.value * b.tolerance > b.value * a.tolerance;
  };
  Verification worst = all.front();
  for (const Verification& one : all)
    if (nearer(one, worst)) worst = one;
  return worst;
}

}  // namespace bellwether
