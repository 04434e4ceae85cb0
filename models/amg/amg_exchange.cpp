// SPDX-License-Identifier: MIT
#include "models/amg/amg_exchange.hpp"

#include <algorithm>
#include <cmath>

namespace bellwether {

AmgExchanges::AmgExchanges(const Machine& machine, const AmgHierarchy& hierarchy,
                           const AmgPlacement& placement, AmgRoutes& routes, Bound bound,
                           std::vector<std::string>* notes)
    : placement_(placement),
      paths_(machine, {placement.ranks_per_node}),
      routes_(routes),
      bound_(bound),
      notes_(notes),
      shares_known_(hierarchy.processes == placement.processes &&
                    hierarchy.ranks_per_node == placement.ranks_per_node) {
  if (placement.processes > 1)
    (void)paths_.to(placement.nodes == 1 ? Across::same_node : Across::other_node);  // is it there?
  if (notes == nullptr || placement.processes == 1) return;
  if (placement.nodes > 1 && placement.ranks_per_node > 1 && !shares_known_)
    notes->emplace_back("messages that stay within a node: estimated, its ranks owning a box");
  if (machine.device.kind == "gpu")
    notes->emplace_back(
        "copies between host and device are not counted: messages as from the host");
}

HaloTimes AmgExchanges::of(const AmgOperator& one, double active) const {
  if (placement_.processes == 1 || one.max_sends <= 0) return {};
  const double all_bytes = sizeof(double) * one.max_elements, bytes = all_bytes / one.max_sends;
  const double on_node = std::ceil(std::max(1., active / placement_.nodes));
  const double near = one.max_sends * share_near(one, on_node), far = one.max_sends - near;
  // An operation reads 12 bytes an entry and 16 a row before its messages.
  const HaloExchange halo{
      .messages = {{Across::same_node, near, bytes}, {Across::other_node, far, bytes}},
      .swept_bytes = 12 * one.busiest_nonzeros + 16 * one.busiest_rows,
      .contention_s = far > 0 ? routes_.exchange_s(active, one.max_sends, all_bytes) : 0};
  const HaloCost cost(paths_, static_cast<int>(on_node));
  if (notes_ != nullptr) cost.note(halo, *notes_);
  return cost.times(halo, bound_);
}

double AmgExchanges::among(double ranks) const {
  const int whole = static_cast<int>(std::ceil(ranks));
  if (whole <= 1) return 0;
  std::vector<std::string> unused;
  return paths_.allreduce(whole, bound_, notes_ != nullptr ? *notes_ : unused) +
         routes_.gathering_s(ranks);
}

double AmgExchanges::share_near(const AmgOperator& one, double on_node) const {
  if (placement_.nodes == 1) return 1;
  if (placement_.ranks_per_node == 1) return 0;
  if (shares_known_) return one.own_node_share;
  // A box of so many boxes: the inner ones of its sides, and no more neighbours than it holds.
  return std::min(1 - 1 / std::cbrt(on_node), (on_node - 1) / one.max_sends);
}

}  // namespace bellwether
