// SPDX-License-Identifier: MIT
#include "models/cholesky/panel_links.hpp"

#include <algorithm>

#include "models/network/link.hpp"

namespace bellwether {
namespace {

PanelLink link_of(const LinkTiming& timing, double bytes, double hideable, Bound bound) {
  const double alone = link_time(timing, bytes, bound);
  const double bytes_s = link_time(timing, bytes, bound, 2) - alone;
  return {std::max(0., alone - bytes_s), std::min(bytes_s, alone), hideable};
}

PanelLink message_over(const Paths& paths, const Path& path, double bytes, Bound bound) {
  PanelLink link = link_of(path.link->one_way, bytes, paths.hideable_share(path, bound), bound);
  link.rendezvous = link.in_turn = bytes > eager_limit_bytes(*path.link);
  return link;
}

}  // namespace

PanelLinks::PanelLinks(const Machine& machine, const Paths& paths, int ranks,
                       const LinkTiming* copied)
    : paths_(paths),
      copied_(copied),
      routes_(machine, paths.placement(), ranks),
      own_(section<CholeskyParameters>(machine)),
      link_share_(routes_.counts() ? network_bandwidth(machine) / routes_.link_bandwidth() : 1) {}

PanelLink PanelLinks::between_nodes(double bytes, Bound bound) const {
  const Path path = paths_.to(Across::other_node);
  PanelLink link = message_over(paths_, path, bytes, bound);
  link.bytes_s *= link_share_;
  link.sender_s = paths_.own_time(path, bytes, bound);
  if (own_ != nullptr && own_->message_added_s)
    link.before_s += cost_at(*own_->message_added_s, bound);
  return link;
}

PanelLink PanelLinks::within_node(double bytes, Bound bound) const {
  if (copies()) {
    // The receiver copies it when it comes to it; only that it is told of it can be hidden, but for
    // what being told, and telling, takes of a rank's own time.
    PanelLink copy = link_of(*copied_, bytes, 0, bound);
    if (copied_->overhead_s)
      copy.sender_s = std::min(cost_at(*copied_->overhead_s, bound), copy.before_s);
    copy.rendezvous = true;  // it stays where its sender has it
    copy.hideable = (copy.before_s - copy.sender_s) / (copy.before_s + copy.bytes_s);
    return copy;
  }
  return message_over(paths_, paths_.to(Across::same_node), bytes, bound);
}

}  // namespace bellwether
