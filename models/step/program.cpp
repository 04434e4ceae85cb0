// SPDX-License-Identifier: MIT
#include "models/step/program.hpp"

#include <array>

#include "models/step/engine.hpp"

namespace bellwether {
namespace {

constexpr int exchange_tag = 2;  // beside those of the slots

class TraceWriter final : public StepSink {
 public:
  TraceWriter(const StepProgram& program, int rank, TraceSink& sink)
      : actors_(program.actors()),
        members_(program.members()),
        actor_(rank % actors_),
        first_(rank - actor_),
        sink_(sink) {}

  double seen_after_s = 0;  ///< of this stage, as the engine has it

  void compute(const PiecedWork& work) override {
    if (work.exchanges != nullptr)
      for (const MemberExchange& some : *work.exchanges)
        for (int time = 0; time < some.times; ++time)
          exchange(some.distance + time * some.stride, some.bytes);
    sink_.compute(work.computed * work.seconds);
  }
  void make(const PiecedWork& work) override { compute(work); }
  void copy(int /*term*/, double seconds) override { sink_.compute(seconds); }
  void start_receive(int from, const MessageCost& cost, double bytes, int slot) override {
    for (int segment = 0; segment < cost.segments; ++segment)
      sink_.start_receive(first_ + from, bytes / cost.segments, slot);
    coming_[slot] = {from, cost.segments};
  }
  double compute_until_received(const PiecedWork& work, int /*slot*/) override {
    const double done_s = std::min(work.seconds, seen_after_s);
    compute(work.part(done_s));
    return work.seconds - done_s;
  }
  void wait_received(int /*from*/, int slot) override {
    while (coming_[slot].segments > 0) wait_segment(slot);
  }
  void wait_sent(int slot) override {
    for (const int to : leaving_[slot]) sink_.wait_sent(first_ + to, slot);
    leaving_[slot].clear();
  }
  void send(const std::vector<SentMessage>& to, double bytes, int slot,
            const PiecedWork* work) override {
    PiecedWork left = work != nullptr ? *work : PiecedWork{};
    const int segments = to.empty() ? 0 : to.front().cost->segments;
    for (int segment = 0; segment < segments; ++segment) {
      if (coming_[slot].segments > 0) wait_segment(slot);
      for (const auto& [other, cost] : to) {
        sink_.start_send(first_ + other, bytes / segments, slot);
        if (other == to.back().to || !cost->in_turn) {
          leaving_[slot].push_back(other);
          continue;
        }
        const double done_s = left.until_seen(cost->before_s + cost->bytes_s + cost->after_s);
        compute(left.part(done_s));
        left.seconds -= done_s;
        left.exchanges = nullptr;
        sink_.wait_sent(first_ + other, slot);
      }
    }
    compute(left);
  }

 private:
  struct Coming {
    int from = 0, segments = 0;
  };
  void wait_segment(int slot) {
    sink_.wait_received(first_ + coming_[slot].from, slot);
    --coming_[slot].segments;
  }
  /// With those so far before and behind it.
  void exchange(int distance, double bytes) {
    const int member = first_ / actors_;
    const auto rank_at = [&](int on) {
      return (member + on + members_) % members_ * actors_ + actor_;
    };
    sink_.start_receive(rank_at(-distance), bytes, exchange_tag);
    sink_.start_send(rank_at(distance), bytes, exchange_tag);
    sink_.wait_received(rank_at(-distance), exchange_tag);
    sink_.wait_sent(rank_at(distance), exchange_tag);
  }

  int actors_, members_, actor_;
  int first_;  ///< rank of its member
  TraceSink& sink_;
  std::array<std::vector<int>, 2> leaving_;  ///< to whom, from each slot
  std::array<Coming, 2> coming_;
};

class ProgramTrace final : public Trace {
 public:
  ProgramTrace(ScalingPoint point, std::unique_ptr<const StepProgram> program,
               std::vector<std::string> notes)
      : Trace(std::move(point)),
        program_(std::move(program)),
        notes_(std::move(notes)),
        seen_after_s_(evaluate(*program_).seen_after_s) {}
  [[nodiscard]] std::vector<std::string> notes() const override { return notes_; }
  void step(int rank, TraceSink& sink) const override {
    TraceWriter writer(*program_, rank, sink);
    const auto followed = static_cast<long>(seen_after_s_.size());
    const int actors = program_->actors(), stages = program_->stages();
    for (int n = 0; n < stages; ++n) {
      const auto place = static_cast<std::size_t>((rank % actors - n % actors + actors) % actors);
      writer.seen_after_s = seen_after_s_[static_cast<std::size_t>(n * followed / stages)][place];
      program_->stage(n, n, 1)(rank % actors, writer);
    }
    sink.wait_all();
    program_->finish(rank, sink);
  }

 private:
  std::unique_ptr<const StepProgram> program_;
  std::vector<std::string> notes_;
  std::vector<std::vector<float>> seen_after_s_;
};

}  // namespace

std::unique_ptr<Trace> program_trace(ScalingPoint point, std::unique_ptr<const StepProgram> program,
                                     std::vector<std::string> notes) {
  return std::make_unique<ProgramTrace>(std::move(point), std::move(program), std::move(notes));
}

}  // namespace bellwether
