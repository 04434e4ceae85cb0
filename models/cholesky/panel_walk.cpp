// SPDX-License-Identifier: MIT
#include "models/cholesky/panel_walk.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace bellwether {
namespace {

constexpr double most_messages = 1 << 16;
constexpr double fewest_panels = 8;
constexpr double never = std::numeric_limits<double>::infinity();

/// A message on its links: from when to when, and its share of each.
struct Sent {
  double start_s, end_s, rate;
};

/// A message whose bytes set out at a time: what is left of them, in seconds where it is alone, and
/// when they are there.
struct Flow {
  int to;
  double start_s, left_s;
  double weight;
  std::vector<int> links;
  double rate = 1;
  double end_s = 0;
  bool is_there = false;
};

/// Links, and when messages that passed on panels before are on them.
class SharedLinks {
 public:
  SharedLinks(int links, const ExchangeRoutes* routes)
      : routes_(routes),
        busy_(static_cast<std::size_t>(links)),
        weights_(static_cast<std::size_t>(links)) {}

  /// Lets messages flow: those that were sent before keep what they have of a link, and these share
  /// the rest, each getting what the link of its way that most share has for it. Nothing is asked
  /// about times before `now` any more.
  void flow(std::vector<Flow>& flows, double now) {
    for (const Flow& one : flows)
      for (const int link : one.links)
        std::erase_if(on(link), [now](const Sent& other) { return other.end_s <= now; });
    now = never;
    const double bytes_s = flows.empty() ? 0 : flows.front().left_s;
    for (const Flow& one : flows) now = std::min(now, one.start_s);
    for (std::size_t left = flows.size(); left > 0;) {
      const double next = set_rates(flows, now);
      for (Flow& one : flows) {
        if (one.is_there || one.start_s > now) continue;
        one.is_there = one.rate > 0 && now + one.left_s / one.rate <= next;
        one.left_s = std::max(0., one.left_s - (next - now) * one.rate);
        if (!one.is_there) continue;
        one.end_s = next;
        --left;
      }
      now = next;
    }
    for (const Flow& one : flows) {
      const double rate = one.end_s > one.start_s ? bytes_s / (one.end_s - one.start_s) : 0;
      for (const int link : one.links) on(link).push_back({one.start_s, one.end_s, rate});
    }
  }

 private:
  std::vector<Sent>& on(int link) { return busy_[static_cast<std::size_t>(link)]; }

  [[nodiscard]] double width(int link) const {
    return routes_ != nullptr ? routes_->link_width(link) : 1;
  }

  /// Of those that are under way; until when they hold.
  double set_rates(std::vector<Flow>& flows, double now) {
    const auto under_way = [now](const Flow& one) { return !one.is_there && one.start_s <= now; };
    double next = never;
    for (const Flow& one : flows) {
      if (one.start_s > now) next = std::min(next, one.start_s);
      if (!under_way(one)) continue;
      for (const int link : one.links) weights_[static_cast<std::size_t>(link)] += one.weight;
    }
    for (Flow& one : flows) {
      if (!under_way(one)) continue;
      one.rate = 1;
      for (const int link : one.links) {
        double free = width(link);
        for (const Sent& other : on(link)) {
          for (const double change : {other.start_s, other.end_s})
            if (change > now) next = std::min(next, change);
          if (other.start_s <= now && now < other.end_s) free -= other.rate;
        }
        one.rate = std::min(
            one.rate, std::max(0., free) * one.weight / weights_[static_cast<std::size_t>(link)]);
      }
      if (one.rate > 0) next = std::min(next, now + one.left_s / one.rate);
    }
    for (const Flow& one : flows)
      for (const int link : one.links) weights_[static_cast<std::size_t>(link)] = 0;
    return next;
  }

  const ExchangeRoutes* routes_;         ///< null: links of memory
  std::vector<std::vector<Sent>> busy_;  // by link
  std::vector<double> weights_;
};

class Walk {
 public:
  Walk(const PanelCosts& costs, const CholeskyRun& run, const PanelLinks& links, Bound bound,
       PanelLooks* looks, DrawnDelays* delays)
      : costs_(costs),
        run_(run),
        links_(links),
        bound_(bound),
        looks_(looks),
        delays_(delays),
        ranks_(run.ranks),
        clock_(ranks_),
        there_(ranks_),
        by_itself_(ranks_),
        network_(links.routes().links(), &links.routes()),
        memory_(run.ranks, nullptr) {
    for (auto& left : left_) left.resize(ranks_);
  }

  /// Of that many panels; `backward`: from the last one on.
  PanelWalk go(int looked_at, bool backward) {
    const double each = costs_.count() / static_cast<double>(looked_at);
    if (looks_ != nullptr) looks_->each = each;
    double before = 0;
    weight_ = each;
    for (int step = 0; step < looked_at; ++step) {
      const int place = backward ? looked_at - 1 - step : step;
      const int panel = static_cast<int>((place + 0.5) * each);
      const double ready = travel(step, panel);
      all_.total_s += weight_ * (ready - before);
      before = ready;
    }
    all_.total_s += *std::max_element(clock_.begin(), clock_.end()) - before;
    const double other = all_.scale_s + all_.update_s + all_.to_host_s + all_.to_device_s;
    all_.network_s = std::clamp(all_.network_s, 0., std::max(0., all_.total_s - other));
    all_.wait_s = std::max(0., all_.total_s - other - all_.network_s - all_.delays_s);
    all_.total_s = other + all_.network_s + all_.wait_s + all_.delays_s;
    return all_;
  }

 private:
  /// The panel's way to all ranks, while they update by the one before it. Seconds until its owner
  /// sends it.
  double travel(int step, int panel) {
    const int before = panel - 1;
    const auto root = static_cast<std::size_t>(step) % ranks_;
    std::vector<double>& left = left_[static_cast<std::size_t>(step % 2)];
    const double bytes = costs_.bytes(panel);
    const double to_host = costs_.to_host_s(panel), to_device = costs_.to_device_s(panel);
    const double share = weight_ / static_cast<double>(ranks_);
    const double value_s = before < 0 ? 0 : costs_.value_s(before);
    const double piece_s = before < 0 ? 0 : costs_.piece_s(before);
    if (ranks_ > 1) {
      const RankPlacement& placement = costs_.paths().placement();
      if (placement.nodes(run_.ranks) > 1) between_ = links_.between_nodes(bytes, bound_);
      if (placement.on_node(run_.ranks) > 1) within_ = links_.within_node(bytes, bound_);
    }
    if (looks_ != nullptr) looks_->after_s.emplace_back(ranks_);
    double ready = 0;
    for (std::size_t distance = 0; distance < ranks_; ++distance) {
      const std::size_t rank = (root + distance) % ranks_;
      const double all =
          before < 0 ? 0
                     : costs_.update_s(before, static_cast<int>((distance + 1) % ranks_), value_s);
      all_.update_s += share * all;
      all_.imbalance_s += (distance == 0 ? weight_ : 0) * all - share * all;
      double& now = clock_[rank];
      double first = all;
      double passed_on;
      if (distance == 0) {
        if (run_.overlap && before >= 0) first = std::min(all, costs_.next_s(before));
        const double factor = costs_.factor_s(panel);
        all_.scale_s += share * factor;
        all_.to_host_s += share * to_host;
        const double done = now + first + factor + late_s(rank, 2 * step, first + factor) + to_host;
        ready = passed_on = std::max(done, left[rank]);
        all_.network_s += share * (passed_on - done);
      } else {
        const double until = there_[rank] - by_itself_[rank];
        if (run_.overlap && before >= 0 && passes_on(distance))
          first = looks_after(until - now, all, piece_s);
        if (looks_ != nullptr) looks_->after_s.back()[distance] = static_cast<float>(first);
        const double looked = now + first + late_s(rank, 2 * step, first);
        const double here = std::max(until, looked) + by_itself_[rank] + to_device;
        passed_on = std::max(here, left[rank]);
        const double waited = std::clamp(ready - looked, 0., passed_on - looked - to_device);
        all_.to_device_s += share * to_device;
        all_.network_s += share * (passed_on - looked - waited - to_device);
        if (distance == 1) {
          all_.way_s += weight_ * (std::max(0., there_[rank] - ready) + to_host + to_device);
          all_.exposed_s += weight_ * (passed_on - std::max(ready, std::min(looked, passed_on)));
        }
      }
      const double rest = all - first;
      const PassedOn passed = pass_on(rank, distance, passed_on, run_.overlap ? rest : 0, piece_s);
      left[rank] = passed.left_s;
      const double sent = passed.sender_s + (run_.overlap ? 0 : passed.set_out_s - passed_on);
      all_.network_s += share * sent;
      now = passed_on + sent + rest + late_s(rank, 2 * step + 1, rest);
    }
    return ready;
  }

  [[nodiscard]] bool passes_on(std::size_t distance) const {
    return distance % 2 == 0 && distance + 1 < ranks_;
  }

  /// A rank that has something to pass on looks for it between the pieces of its update.
  static double looks_after(double there_after, double all, double piece) {
    if (there_after <= 0 || all <= 0) return 0;
    return std::min(all, std::ceil(there_after / piece) * piece);
  }

  /// By its detours in that piece of its work.
  double late_s(std::size_t rank, int piece, double work_s) {
    if (delays_ == nullptr) return 0;
    const Delay delay =
        delays_->next({.node = node(rank)}, static_cast<std::uint64_t>(piece), work_s);
    all_.delays_s += weight_ / static_cast<double>(ranks_) * delay.mean_s;
    return delay.latest_s;
  }

  [[nodiscard]] std::size_t node(std::size_t rank) const {
    return rank / static_cast<std::size_t>(run_.ranks_per_node);
  }

  struct PassedOn {
    double left_s = 0;     ///< when the rank may use the memory again
    double set_out_s = 0;  ///< when the last message in turn does
    double sender_s = 0;   ///< of the rank's own time
  };

  /// To its children, the nearest first: at once, or each message once its sender sees that the one
  /// before has left. It computes for `update_s` from `now` on, and looks between the pieces.
  PassedOn pass_on(std::size_t rank, std::size_t distance, double now, double update_s,
                   double piece_s) {
    const auto seen = [=](double left) {
      const double looked = now + looks_after(left - now, update_s, piece_s);
      return std::max(left, looked);
    };
    near_.clear();
    far_.clear();
    PassedOn all{now, now, 0};
    double turn = now;
    for (std::size_t reach = 1; distance + reach < ranks_ && (distance & reach) == 0; reach *= 2) {
      const std::size_t to = (rank + reach) % ranks_;
      const bool is_near = node(to) == node(rank);
      const PanelLink& link = is_near ? within_ : between_;
      all.sender_s += link.sender_s;
      if (link.in_turn) all.set_out_s = turn;
      Flow flow = flow_to(to, rank, is_near, link.in_turn ? turn : now);
      if (!link.in_turn) {
        (is_near ? near_ : far_).push_back(std::move(flow));
        continue;
      }
      in_turn_.assign(1, std::move(flow));
      send(in_turn_, is_near, now);
      turn = seen(in_turn_.front().end_s);
      all.left_s = std::max(all.left_s, in_turn_.front().end_s);
    }
    for (const bool is_near : {true, false}) {
      std::vector<Flow>& flows = is_near ? near_ : far_;
      send(flows, is_near, now);
      if ((is_near ? within_ : between_).rendezvous)
        for (const Flow& flow : flows) all.left_s = std::max(all.left_s, flow.end_s);
    }
    return all;
  }

  /// A panel's message that its sender hands over at `from`.
  Flow flow_to(std::size_t to, std::size_t rank, bool is_near, double from) {
    const PanelLink& link = is_near ? within_ : between_;
    const double begun = link.rendezvous ? std::max(from, clock_[to]) : from;
    Flow flow{static_cast<int>(to), begun + link.before_s, link.bytes_s, 1, {}};
    if (is_near) {
      if (!links_.copies()) flow.links = {static_cast<int>(rank)};
      return flow;
    }
    const ExchangeRoutes& routes = links_.routes();
    routes.route(static_cast<int>(rank), flow.to, flow.links);
    // Who is nearer gets more of a link: in inverse proportion to the latency.
    const double hops_s = routes.added_latency_s(static_cast<int>(rank), flow.to);
    flow.start_s = std::max(begun, flow.start_s + hops_s);
    if (link.before_s > 0) flow.weight = 1 / std::max(0.1, 1 + hops_s / link.before_s);
    return flow;
  }

  /// Lets messages of one rank flow together. Nothing is asked about times before `now` any more.
  void send(std::vector<Flow>& flows, bool is_near, double now) {
    const PanelLink& link = is_near ? within_ : between_;
    (is_near ? memory_ : network_).flow(flows, now);
    for (const Flow& flow : flows) {
      const auto to = static_cast<std::size_t>(flow.to);
      there_[to] = flow.end_s;
      by_itself_[to] = (1 - link.hideable) * (flow.end_s - flow.start_s + link.before_s);
    }
  }

  const PanelCosts& costs_;
  const CholeskyRun& run_;
  const PanelLinks& links_;
  Bound bound_;
  PanelLooks* looks_;
  DrawnDelays* delays_;
  std::size_t ranks_;
  PanelWalk all_;
  double weight_ = 1;
  PanelLink between_, within_;               // of this panel
  std::vector<double> clock_;                // of each rank
  std::vector<double> there_;                // when this panel is, if the rank does not compute
  std::vector<double> by_itself_;            // of which its CPU moves it
  std::array<std::vector<double>, 2> left_;  // when the panels of each slot have left the rank
  SharedLinks network_, memory_;             // of nodes, and of each rank
  std::vector<Flow> near_, far_, in_turn_;
};

}  // namespace

double PanelLooks::of(int panel, int distance) const {
  const auto step = static_cast<std::size_t>(panel / each);
  return after_s[std::min(step, after_s.size() - 1)][static_cast<std::size_t>(distance)];
}

PanelWalk walk_panels(const PanelCosts& costs, const CholeskyRun& run, const PanelLinks& links,
                      Bound bound, PanelLooks* looks, DrawnDelays* delays) {
  const double most = std::max(fewest_panels, std::floor(most_messages / run.ranks));
  const int looked_at = static_cast<int>(std::min<double>(costs.count(), most));
  PanelWalk all = Walk(costs, run, links, bound, looks, delays).go(looked_at, false);
  if (looked_at == costs.count()) return all;
  const PanelWalk backward = Walk(costs, run, links, bound, nullptr, delays).go(looked_at, true);
  for (double PanelWalk::*part :
       {&PanelWalk::total_s, &PanelWalk::scale_s, &PanelWalk::update_s, &PanelWalk::wait_s,
        &PanelWalk::network_s, &PanelWalk::to_host_s, &PanelWalk::to_device_s, &PanelWalk::delays_s,
        &PanelWalk::imbalance_s, &PanelWalk::way_s, &PanelWalk::exposed_s})
    all.*part = (all.*part + backward.*part) / 2;
  return all;
}

}  // namespace bellwether
