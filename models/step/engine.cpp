// SPDX-License-Identifier: MIT
#include "models/step/engine.hpp"

#include <algorithm>
#include <utility>

#include "models/network/shared_links.hpp"

namespace bellwether {
namespace {

constexpr double most_parts = 1 << 16, fewest_stages = 8;

std::size_t as_size(int count) { return static_cast<std::size_t>(count); }

/// The sink of whichever actor's part is evaluated.
class Engine final : public StepSink {
 public:
  Engine(const StepProgram& program, DrawnDelays* delays, StepTimes& times)
      : program_(program),
        routes_(program.routes()),
        delays_(delays),
        times_(times),
        actors_(program.actors()),
        clocks_(as_size(actors_)),
        buffers_(as_size(2 * actors_)),
        links_(routes_, actors_) {}

  /// All followed stages, each standing for `each`; for half of the times where that is done
  /// `backward` too, from the last one on.
  void run(double each, bool backward) {
    const int followed = static_cast<int>(times_.seen_after_s.size());
    const double share = each > 1 ? 0.5 : 1;
    weight_ = share * each;
    keeps_looks_ = !backward;
    share_ = weight_ / actors_;
    double before_s = 0;
    for (turn_ = 0; turn_ < followed; ++turn_) {
      followed_ = backward ? followed - 1 - turn_ : turn_;
      const auto stage = program_.stage(turn_, static_cast<int>((followed_ + 0.5) * each));
      for (place_ = 0; place_ < actors_; ++place_) {
        actor_ = (turn_ + place_) % actors_;
        piece_ = 2 * turn_;
        stage(actor_, *this);
        meet_delays(2 * turn_ + 1);
      }
      times_.total_s += weight_ * (ready_s_ - before_s);
      before_s = ready_s_;
    }
    times_.total_s += share * (*std::max_element(clocks_.begin(), clocks_.end()) - before_s);
  }

  void compute(int term, double seconds) override {
    spend(term, seconds);
    work_s_ += seconds;
  }
  void copy(int term, double seconds) override { spend(term, seconds); }
  void start_receive(int /*from*/, double /*bytes*/, int /*slot*/) override {}

  double compute_until_received(const PiecedWork& work, int slot) override {
    const double done_s = work.until_seen(buffer(actor_, slot).there_s - now());
    if (keeps_looks_)
      times_.seen_after_s[as_size(followed_)][as_size(place_)] = static_cast<float>(done_s);
    compute(work.term, done_s);
    return work.seconds - done_s;
  }

  void wait_received(int /*from*/, int slot) override {
    meet_delays(2 * turn_);
    const Buffer& message = buffer(actor_, slot);
    const double looked_s = now(), end_s = std::max(message.there_s, now()) + message.by_itself_s;
    const double waited_s = std::clamp(ready_s_ - looked_s, 0., end_s - looked_s);
    spend(waiting, waited_s);
    spend(network, end_s - looked_s - waited_s);
    if (place_ == 1)
      times_.next_way_s += weight_ * std::max(0., message.there_s + message.by_itself_s - ready_s_);
  }

  void wait_sent(int slot) override {
    meet_delays(2 * turn_);
    spend(network, std::max(0., buffer(actor_, slot).left_s - now()));
  }

  void send(const std::vector<SentMessage>& to, double /*bytes*/, int slot,
            const PiecedWork* work) override {
    const double began_s = now();
    if (place_ == 0) ready_s_ = began_s;
    buffer(actor_, slot).left_s = began_s;
    flows_.clear();
    for (std::size_t n = 0; n < to.size(); ++n)
      if (to[n].cost->protocol != MessageCost::rendezvous) add_flow(to, n, began_s);
    let_flow(to, slot);
    double turn_s = began_s, set_out_s = began_s, sender_s = 0;
    for (std::size_t n = 0; n < to.size(); ++n) {
      sender_s += to[n].cost->sender_s;
      if (to[n].cost->protocol != MessageCost::rendezvous) continue;
      set_out_s = turn_s;
      flows_.clear();
      add_flow(to, n, turn_s);
      turn_s = let_flow(to, slot);
      if (work != nullptr) turn_s = std::max(turn_s, began_s + work->until_seen(turn_s - began_s));
    }
    spend(network, sender_s);
    if (work != nullptr)
      compute(work->term, work->seconds);
    else
      spend(network, set_out_s - began_s);
  }

 private:
  /// An actor's memory for messages of a slot.
  struct Buffer {
    double there_s = 0;      ///< when what comes is, but for what the actor itself does to it
    double by_itself_s = 0;  ///< which takes so long
    double left_s = 0;       ///< when what it sent has left
  };

  double& now() { return clocks_[as_size(actor_)]; }
  Buffer& buffer(int actor, int slot) { return buffers_[as_size(2 * actor + slot)]; }

  void spend(int term, double seconds) {
    now() += seconds;
    times_.mean[as_size(term)] += share_ * seconds;
    if (place_ == 0) times_.lead[as_size(term)] += weight_ * seconds;
    if (place_ == 1) times_.next[as_size(term)] += weight_ * seconds;
  }

  /// A stage's work has two pieces, before and after its messages, as that of others on the node.
  void meet_delays(int piece) {
    if (piece != piece_) return;
    ++piece_;
    const double work_s = std::exchange(work_s_, 0);
    if (delays_ == nullptr) return;
    const Delay delay =
        delays_->next({.node = as_size(routes_.node_of(actor_))}, as_size(piece), work_s);
    times_.delays_s += share_ * delay.mean_s;
    now() += delay.latest_s;
  }

  /// Of message n, which the actor hands over at `from_s`.
  void add_flow(const std::vector<SentMessage>& to, std::size_t n, double from_s) {
    const int other = to[n].to;
    const MessageCost& cost = *to[n].cost;
    if (cost.protocol != MessageCost::eager) from_s = std::max(from_s, clocks_[as_size(other)]);
    Flow& flow = flows_.emplace_back(Flow{n, from_s + cost.before_s, cost.bytes_s});
    if (routes_.node_of(actor_) == routes_.node_of(other)) {
      if (cost.protocol != MessageCost::copied) flow.links = {routes_.links() + actor_};
      return;
    }
    routes_.route(actor_, other, flow.links);
    // Who is nearer gets more of a link: in inverse proportion to the latency.
    const double hops_s = routes_.added_latency_s(actor_, other);
    flow.start_s = std::max(from_s, flow.start_s + hops_s);
    if (cost.before_s > 0) flow.weight = 1 / std::max(0.1, 1 + hops_s / cost.before_s);
  }

  /// Returns when the last is there.
  double let_flow(const std::vector<SentMessage>& to, int slot) {
    links_.flow(flows_, now());
    double last_s = 0;
    for (const Flow& flow : flows_) {
      const MessageCost& cost = *to[flow.number].cost;
      Buffer &theirs = buffer(to[flow.number].to, slot), &ours = buffer(actor_, slot);
      theirs.by_itself_s = (1 - cost.hideable) * (flow.end_s - flow.start_s + cost.before_s);
      theirs.there_s = flow.end_s - theirs.by_itself_s;
      if (cost.protocol != MessageCost::eager) ours.left_s = std::max(ours.left_s, flow.end_s);
      last_s = std::max(last_s, flow.end_s);
    }
    return last_s;
  }

  const StepProgram& program_;
  const ExchangeRoutes& routes_;
  DrawnDelays* delays_;
  StepTimes& times_;
  int actors_;
  double weight_ = 1, share_ = 1;  // of a stage in the times, and of an actor's part
  bool keeps_looks_ = true;
  int turn_ = 0, followed_ = 0, place_ = 0, actor_ = 0;
  double ready_s_ = 0;           // when the stage's lead sends
  double work_s_ = 0;            // computed since delays were met
  int piece_ = 0;                // which of that work comes
  std::vector<double> clocks_;   // of each actor
  std::vector<Buffer> buffers_;  // two of each
  SharedLinks links_;            // between nodes, and behind them each actor's memory
  std::vector<Flow> flows_;      // that set out together
};

}  // namespace

StepTimes evaluate(const StepProgram& program, DrawnDelays* delays) {
  const double most = std::max(fewest_stages, std::floor(most_parts / program.actors()));
  const double followed = std::min<double>(program.stages(), most);
  const double each = program.stages() / followed;
  StepTimes times;
  times.seen_after_s.assign(static_cast<std::size_t>(followed),
                            std::vector<float>(as_size(program.actors())));
  Engine(program, delays, times).run(each, false);
  if (each > 1) Engine(program, delays, times).run(each, true);
  // The rest of the time actors wait.
  StepTerms& mean = times.mean;
  double own_s = times.delays_s;
  for (std::size_t term = own_terms; term < mean.size(); ++term) own_s += mean[term];
  mean[network] = std::clamp(mean[network], 0., std::max(0., times.total_s - own_s));
  mean[waiting] = std::max(0., times.total_s - own_s - mean[network]);
  times.total_s = own_s + mean[network] + mean[waiting];
  return times;
}

}  // namespace bellwether
