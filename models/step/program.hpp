// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/network/routes.hpp"
#include "models/noise/drawn_delays.hpp"
#include "models/trace/trace.hpp"

namespace bellwether {

/// What an actor's time counts as: the engine's two, and from `own_terms` on a program's own.
enum StepTerm : int {
  waiting,  ///< until the stage's lead sends
  network,  ///< from then on, for messages
  own_terms,
};

/// Seconds by StepTerm.
using StepTerms = std::array<double, own_terms + 8>;

/// Messages that each process of an actor exchanges with those `distance` before and behind it, so
/// many times one after another, each time `stride` further.
struct MemberExchange {
  int times;
  double bytes;  ///< of each, either way
  int distance = 1, stride = 0;
};

/// Computation in pieces, between which messages are looked for.
struct PiecedWork {
  StepTerms shares{};  ///< of its seconds, by what they count as
  double seconds = 0;
  double piece_s = 0;   ///< 0: looked for all the time
  double computed = 1;  ///< share that is no messages among the actor's processes
  const std::vector<MemberExchange>* exchanges = nullptr;  ///< these

  static PiecedWork of(int term, double seconds, double piece_s = 0) {
    PiecedWork work{.seconds = seconds, .piece_s = piece_s};
    work.shares[static_cast<std::size_t>(term)] = 1;
    return work;
  }
  /// The same, but so many seconds of it.
  [[nodiscard]] PiecedWork part(double part_s) const {
    PiecedWork work = *this;
    work.seconds = part_s;
    return work;
  }
  /// Seconds until the end of a piece after which something is there, all at most.
  [[nodiscard]] double until_seen(double there_s) const {
    if (there_s <= 0 || seconds <= 0) return 0;
    return std::min(seconds, piece_s > 0 ? std::ceil(there_s / piece_s) * piece_s : there_s);
  }
};

/// A message takes `before_s`, and then its bytes, `bytes_s` where no others share its links.
struct MessageCost {
  enum Protocol {
    eager,       ///< copied aside
    rendezvous,  ///< begins once its receiver has come to it, and then leaves the sender's memory
    copied,      ///< the same, but the receiver copies it, over no link
  } protocol = eager;
  double before_s = 0, bytes_s = 0;
  double hideable = 1;   ///< share in which the receiver can compute
  double sender_s = 0;   ///< of the sender's own time, before it computes on
  double after_s = 0;    ///< then until it is there, when the next one may be on the link
  int segments = 1;      ///< each passed on as soon as it is there
  bool in_turn = false;  ///< it sets out once the one before has left
};
struct SentMessage {
  int to;
  const MessageCost* cost;
};

/// Takes the operations of one actor (a rank) in the order in which it does them. `slot`: 0 or 1,
/// which of the actor's two buffers a message lies in, the same at both ends.
class StepSink {
 public:
  virtual ~StepSink() = default;
  virtual void compute(const PiecedWork& work) = 0;
  void compute(int term, double seconds) { compute(PiecedWork::of(term, seconds)); }
  /// What is to be sent: by all processes of an actor in step, and by its host where it has one,
  /// beside what it computes then.
  virtual void make(const PiecedWork& work) = 0;
  /// By a device, which no detours of the host delay.
  virtual void copy(int term, double seconds) = 0;
  virtual void start_receive(int from, const MessageCost& cost, double bytes, int slot) = 0;
  /// Until the message is seen to be there, or all is done. Returns the seconds that are left.
  virtual double compute_until_received(const PiecedWork& work, int slot) = 0;
  virtual void wait_received(int from, int slot) = 0;
  /// Until what was sent from there has left.
  virtual void wait_sent(int slot) = 0;
  /// At once, but each that is `in_turn` once the one before has left; what is received in this
  /// slot as its segments come. Does the work meanwhile, looking between the pieces; null: waits
  /// until the last has set out.
  virtual void send(const std::vector<SentMessage>& to, double bytes, int slot,
                    const PiecedWork* work) = 0;
};

/// What all actors do in a step that goes stage by stage: in turn one leads and sends, and those
/// after it receive, each only from one before itself. An actor is a rank, or several that go on
/// together: of each `member` the ranks of all actors follow one another. Safe to ask from several
/// threads.
class StepProgram {
 public:
  /// An actor's part of a stage. What it receives it starts to receive first.
  using Stage = std::function<void(int actor, StepSink& sink)>;

  virtual ~StepProgram() = default;
  [[nodiscard]] virtual int actors() const = 0;
  [[nodiscard]] virtual int members() const { return 1; }
  [[nodiscard]] virtual int stages() const = 0;
  /// Of actors as if they were ranks.
  [[nodiscard]] virtual const ExchangeRoutes& routes() const = 0;
  /// Whether each has a host beside its device, which makes, copies, sends and receives.
  [[nodiscard]] virtual bool has_hosts() const { return false; }
  /// By which delays are drawn.
  [[nodiscard]] virtual WorkGroup group(int actor) const {
    return {.node = static_cast<std::size_t>(routes().node_of(actor))};
  }
  /// Led by actor `turn` modulo their number. The work is that of stage `item`: the same where all
  /// stages are followed, else one that stands for `each`.
  [[nodiscard]] virtual Stage stage(int turn, int item, double each) const = 0;
  /// What a rank does after all stages, which counts apart.
  virtual void finish(int /*rank*/, TraceSink& /*sink*/) const {}
};

/// The same as a trace: who looks for a message does so when the engine has it there, who sends in
/// turn when the message before would by itself have left. Copies are computation.
std::unique_ptr<Trace> program_trace(ScalingPoint point, std::unique_ptr<const StepProgram> program,
                                     std::vector<std::string> notes);

}  // namespace bellwether
