// SPDX-License-Identifier: MIT
#include "models/step/engine.hpp"

#include <algorithm>
#include <utility>

#include "models/network/shared_links.hpp"

namespace bellwether {
namespace {

constexpr double fewest_stages = 4;

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
        hosts_(as_size(program.has_hosts() ? actors_ : 0)),
        buffers_(as_size(2 * actors_)),
        links_(routes_, actors_) {}

  /// All followed stages, each standing for `each`; for half of the times where that is done
  /// `backward` too, from the last one on. Then the first one comes before them once more, from
  /// which actors are as late as in all others.
  void run(double each, bool backward) {
    const int followed = static_cast<int>(times_.seen_after_s.size()), first = each > 1 ? -1 : 0;
    const double share = each > 1 ? 0.5 : 1;
    keeps_looks_ = !backward;
    double before_s = 0;
    for (int place = first; place < followed; ++place) {
      turn_ = place - first;
      weight_ = place < 0 ? 0 : share * each;
      share_ = weight_ / actors_;
      followed_ = std::max(0, place);
      if (backward) followed_ = followed - 1 - followed_;
      const auto stage = program_.stage(turn_, static_cast<int>((followed_ + 0.5) * each), each);
      for (place_ = 0; place_ < actors_; ++place_) {
        actor_ = (turn_ + place_) % actors_;
        has_met_ = false;
        stage(actor_, *this);
        if (has_hosts()) join();
        meet_delays(last_piece);
      }
      times_.total_s += weight_ * (ready_s_ - before_s);
      before_s = ready_s_;
    }
    // The last stages' messages come after all.
    if (!backward) times_.total_s += *std::max_element(clocks_.begin(), clocks_.end()) - before_s;
  }

  using StepSink::compute;
  void compute(const PiecedWork& work) override {
    for (std::size_t term = own_terms; term < work.shares.size(); ++term)
      if (work.shares[term] > 0)
        spend(static_cast<int>(term), work.shares[term] * work.seconds, now());
    work_s_ += work.computed * work.seconds;
  }
  void make(const PiecedWork& work) override {
    meet_delays(first_piece);
    const double computed_s = work.computed * work.seconds;
    if (has_hosts()) host() = std::max(host(), now());
    for (std::size_t term = own_terms; term < work.shares.size(); ++term)
      if (work.shares[term] > 0)
        spend_there(static_cast<int>(term), work.shares[term] * work.seconds);
    times_.moved_s += share_ * (work.seconds - computed_s);
    if (delays_ != nullptr) host() += drawn(made_piece, computed_s).sum_s;
  }
  void copy(int term, double seconds) override {
    spend_there(term, seconds);
    times_.moved_s += share_ * seconds;
  }
  void start_receive(int /*from*/, const MessageCost& /*cost*/, double /*bytes*/,
                     int /*slot*/) override {}

  double compute_until_received(const PiecedWork& work, int slot) override {
    const double done_s = work.until_seen(buffer(actor_, slot).first_s - now());
    if (keeps_looks_)
      times_.seen_after_s[as_size(followed_)][as_size(place_)] = static_cast<float>(done_s);
    compute(work.part(done_s));
    return work.seconds - done_s;
  }

  void wait_received(int /*from*/, int slot) override {
    meet_delays(first_piece);
    const Buffer& message = buffer(actor_, slot);
    const double looked_s = host(),
                 end_s = std::max(message.there_s, looked_s) + message.by_itself_s;
    const double waited_s = std::clamp(ready_s_ - looked_s, 0., end_s - looked_s);
    spend_there(waiting, waited_s);
    spend_there(network, end_s - looked_s - waited_s);
    times_.moved_s += share_ * message.way_s;
    if (place_ == 1)
      times_.next_way_s += weight_ * std::max(0., message.there_s + message.by_itself_s - ready_s_);
  }

  void wait_sent(int slot) override {
    meet_delays(first_piece);
    spend_there(network, std::max(0., buffer(actor_, slot).left_s - host()));
  }

  void send(const std::vector<SentMessage>& to, double /*bytes*/, int slot,
            const PiecedWork* work) override {
    Buffer& ours = buffer(actor_, slot);
    const double looked_s = host();
    if (place_ == 0) {
      ready_s_ = looked_s;
      ours = {};
    }
    // What is received sets out when it is there, and the actor has done to it what it does itself.
    const double began_s = std::max(looked_s, ours.first_s + ours.by_itself_s);
    ours.left_s = began_s;
    flows_.clear();
    for (std::size_t n = 0; n < to.size(); ++n)
      if (!to[n].cost->in_turn) add_flow(to, n, began_s);
    let_flow(to, slot);
    double turn_s = began_s, set_out_s = looked_s, sender_s = 0;
    for (std::size_t n = 0; n < to.size(); ++n) {
      sender_s += to[n].cost->sender_s;
      if (!to[n].cost->in_turn) continue;
      set_out_s = turn_s;
      flows_.clear();
      add_flow(to, n, turn_s);
      turn_s = let_flow(to, slot);
      if (work != nullptr)
        turn_s = std::max(turn_s, looked_s + work->until_seen(turn_s - looked_s));
    }
    spend_there(network, sender_s);
    if (work != nullptr)
      compute(*work);
    else
      spend_there(network, set_out_s - looked_s);
  }

 private:
  /// An actor's memory for messages of a slot.
  struct Buffer {
    double first_s = 0;      ///< when the first segment of what comes is there
    double there_s = 0;      ///< when all is, but for what the actor itself does to it
    double by_itself_s = 0;  ///< which takes so long
    double way_s = 0;        ///< from when it set out, that included
    double left_s = 0;       ///< when what it sent has left
  };
  /// A stage's work: before its messages, of what it sends, after them.
  enum Piece : int { first_piece, made_piece, last_piece, pieces };

  [[nodiscard]] bool has_hosts() const { return !hosts_.empty(); }
  double& now() { return clocks_[as_size(actor_)]; }
  double& host_of(int actor) { return (has_hosts() ? hosts_ : clocks_)[as_size(actor)]; }
  double& host() { return host_of(actor_); }
  Buffer& buffer(int actor, int slot) { return buffers_[as_size(2 * actor + slot)]; }

  void spend(int term, double seconds, double& clock) {
    clock += seconds;
    times_.mean[as_size(term)] += share_ * seconds;
    if (place_ == 0) times_.lead[as_size(term)] += weight_ * seconds;
    if (place_ == 1) times_.next[as_size(term)] += weight_ * seconds;
  }
  /// By the host, of which what the device waits for counts.
  void spend_there(int term, double seconds) {
    if (!has_hosts()) return spend(term, seconds, now());
    host() += seconds;
    beside_.emplace_back(term, seconds);
  }
  /// The device waits for its host, at last for what that did last.
  void join() {
    double late_s = std::max(0., host() - now());
    for (; !beside_.empty(); beside_.pop_back()) {
      const auto [term, seconds] = beside_.back();
      const double shown_s = std::min(late_s, seconds);
      spend(term, shown_s, now());
      late_s -= shown_s;
    }
    spend(waiting, late_s, now());
  }

  /// Others on the node come to the same pieces.
  Delay drawn(Piece piece, double work_s) {
    const Delay delay =
        delays_->next(program_.group(actor_), as_size((pieces + 1) * turn_ + piece), work_s);
    times_.delays_s += share_ * delay.mean_s;
    return delay;
  }
  void meet_delays(Piece piece) {
    if (piece == first_piece && std::exchange(has_met_, true)) return;
    const double work_s = std::exchange(work_s_, 0);
    if (delays_ != nullptr) now() += drawn(piece, work_s).latest_s;
  }

  /// Of message n, which the actor hands over at `from_s`.
  void add_flow(const std::vector<SentMessage>& to, std::size_t n, double from_s) {
    const int other = to[n].to;
    const MessageCost& cost = *to[n].cost;
    if (cost.protocol != MessageCost::eager) from_s = std::max(from_s, host_of(other));
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

  /// Returns when the last has left.
  double let_flow(const std::vector<SentMessage>& to, int slot) {
    if (flows_.empty()) return 0;
    links_.flow(flows_, host());
    double last_s = 0;
    for (const Flow& flow : flows_) {
      const MessageCost& cost = *to[flow.number].cost;
      Buffer &theirs = buffer(to[flow.number].to, slot), &ours = buffer(actor_, slot);
      const double segment_s = (flow.end_s - flow.start_s) / cost.segments;
      const double end_s =
          cost.after_s +
          (cost.segments > 1 ? std::max(flow.end_s, ours.there_s + segment_s) : flow.end_s);
      theirs.way_s = end_s - flow.start_s + cost.before_s;
      theirs.by_itself_s = (1 - cost.hideable) * theirs.way_s;
      theirs.there_s = end_s - theirs.by_itself_s;
      theirs.first_s = cost.segments > 1 ? flow.start_s + segment_s + cost.after_s : theirs.there_s;
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
  double ready_s_ = 0;                          // when the stage's lead sends
  double work_s_ = 0;                           // computed since delays were met
  bool has_met_ = false;                        // the actor before its messages
  std::vector<double> clocks_;                  // of each actor, or its device
  std::vector<double> hosts_;                   // and then its host
  std::vector<std::pair<int, double>> beside_;  // what the host did in this stage
  std::vector<Buffer> buffers_;                 // two of each
  SharedLinks links_;        // between nodes, and behind them each actor's memory
  std::vector<Flow> flows_;  // that set out together
};

}  // namespace

StepTimes evaluate(const StepProgram& program, DrawnDelays* delays, double most_parts) {
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
