// SPDX-License-Identifier: MIT
#include "models/scaling/extrapolation.hpp"

#include <algorithm>
#include <cmath>

#include "models/machine/device_classes.hpp"

namespace bellwether {
namespace {

void widen(double value, double& low, double& high, double least, double most) {
  if (!(value > 0)) return;
  const Quantity wider = independent_product({value, low, high, {}}, {1, least, most, {}});
  low = wider.low;
  high = wider.high;
}

}  // namespace

double known_nodes(const Machine& machine) {
  constexpr double between_two = 2;
  const Layout& layout = machine.layout;
  for (const LinkClass& known : device_classes().links) {
    const auto link = machine.links.find(known.name);
    if (!known.nodes || link == machine.links.end()) continue;
    const LinkTiming& timing = link->second.one_way;
    if (timing.largest_bytes > 0)  // measured
      return std::max(between_two, 1. * layout.ranks / layout.ranks_per_node);
    if (timing.bandwidth_bytes_per_s.low < timing.bandwidth_bytes_per_s.high)
      return known.nodes->value;
  }
  return between_two;
}

void widen_beyond_known_nodes(const Machine& machine, int nodes, Prediction& refined) {
  const double doublings = std::log2(nodes / known_nodes(machine));
  if (!(doublings > 0)) return;
  const double width = device_classes().widening_per_doubling.value * std::sqrt(doublings);
  const double more = std::exp(width) - 1, less = 1 - std::exp(-width);
  // What of the hidden communication's growth computation hides no more.
  const double hidden_s = refined.hidden_fraction * refined.communication_s;
  double slower_s = std::max(0., more * hidden_s - std::max(0., refined.hiding_s - hidden_s)),
         faster_s = 0;
  for (Term& term : refined.terms) {
    if (!term.name.starts_with("network") && term.name != "reduce") continue;
    slower_s += more * term.seconds;
    faster_s += less * term.seconds;
    widen(term.seconds, term.low, term.high, 1 - less, 1 + more);
  }
  widen(refined.total_s, refined.low_s, refined.high_s, 1 - faster_s / refined.total_s,
        1 + slower_s / refined.total_s);
}

}  // namespace bellwether
