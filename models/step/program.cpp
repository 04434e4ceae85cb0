// SPDX-License-Identifier: MIT
#include "models/step/program.hpp"

#include <array>

#include "models/step/engine.hpp"

namespace bellwether {
namespace {

class TraceWriter final : public StepSink {
 public:
  explicit TraceWriter(TraceSink& sink) : sink_(sink) {}

  double seen_after_s = 0;  ///< of this stage, as the engine has it

  void compute(int /*term*/, double seconds) override { sink_.compute(seconds); }
  void copy(int /*term*/, double seconds) override { sink_.compute(seconds); }
  void start_receive(int from, double bytes, int slot) override {
    sink_.start_receive(from, bytes, slot);
  }
  double compute_until_received(const PiecedWork& work, int /*slot*/) override {
    const double done_s = std::min(work.seconds, seen_after_s);
    sink_.compute(done_s);
    return work.seconds - done_s;
  }
  void wait_received(int from, int slot) override { sink_.wait_received(from, slot); }
  void wait_sent(int slot) override {
    for (const int to : leaving_[slot]) sink_.wait_sent(to, slot);
    leaving_[slot].clear();
  }
  void send(const std::vector<SentMessage>& to, double bytes, int slot,
            const PiecedWork* work) override {
    PiecedWork left = work != nullptr ? *work : PiecedWork{};
    for (const auto& [other, cost] : to) {
      sink_.start_send(other, bytes, slot);
      if (other == to.back().to || cost->protocol != MessageCost::rendezvous) {
        leaving_[slot].push_back(other);
        continue;
      }
      const double done_s = left.until_seen(cost->before_s + cost->bytes_s);
      sink_.compute(done_s);
      left.seconds -= done_s;
      sink_.wait_sent(other, slot);
    }
    sink_.compute(left.seconds);
  }

 private:
  TraceSink& sink_;
  std::array<std::vector<int>, 2> leaving_;  ///< to whom, from each slot
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
    TraceWriter writer(sink);
    const auto followed = static_cast<long>(seen_after_s_.size());
    const int actors = program_->actors(), stages = program_->stages();
    for (int n = 0; n < stages; ++n) {
      const auto place = static_cast<std::size_t>((rank - n % actors + actors) % actors);
      writer.seen_after_s = seen_after_s_[static_cast<std::size_t>(n * followed / stages)][place];
      program_->stage(n, n)(rank, writer);
    }
    sink.wait_all();
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
