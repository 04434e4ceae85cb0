// SPDX-License-Identifier: MIT
#include "run/command/fit/formula.hpp"

#include <fmt/format.h>

#include <cmath>

namespace bellwether {
namespace {

/// "log2 N", or from N_1 on "(N^(1/3) - 32^(1/3))"
std::string growth_text(const ScalingForm& form) {
  const int first = form.first_ranks;
  switch (form.growth) {
    case OverheadGrowth::none:
      return "";
    case OverheadGrowth::constant:
      return "if N > 1";
    case OverheadGrowth::tree:
      return first > 1 ? fmt::format("log2(N / {})", first) : "log2 N";
    case OverheadGrowth::cube_root:
      return first > 1 ? fmt::format("(N^(1/3) - {}^(1/3))", first) : "(N^(1/3) - 1)";
    case OverheadGrowth::square_root:
      return first > 1 ? fmt::format("(N^(1/2) - {}^(1/2))", first) : "(N^(1/2) - 1)";
    case OverheadGrowth::linear:
      return fmt::format("(N - {})", first);
  }
  return "";
}

}  // namespace

std::string power(const char* base, double exponent) {
  if (exponent == 1) return base;
  const double thirds = 3 * exponent;
  const bool whole = std::abs(exponent - std::round(exponent)) < 1e-9;
  if (!whole && std::abs(thirds - std::round(thirds)) < 1e-9)
    return fmt::format("{}^({:g}/3)", base, std::round(thirds));
  return fmt::format("{}^{:g}", base, exponent);
}

std::string formula(const ScalingForm& form) {
  std::string text = "t0";
  if (form.sweep == Sweep::sizes_and_ranks)
    text += fmt::format(" + s {}", power("f", form.serial_exponent));
  if (form.sweep != Sweep::constant_share)
    text += fmt::format(" + p f / {}", form.own_efficiency ? "(N Ep)" : "N");
  if (form.growth == OverheadGrowth::none) return text;
  text += " + o ";
  if (form.overhead_exponent > 0) text += power("f", form.overhead_exponent) + " ";
  return text + growth_text(form);
}

}  // namespace bellwether
