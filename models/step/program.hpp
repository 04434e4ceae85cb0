// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/network/routes.hpp"
#include "models/trace/trace.hpp"

namespace bellwether {

/// What an actor's time counts as: the engine's two, and from `own_terms` on a program's own.
enum StepTerm : int {
  waiting,  ///< until the stage's lead sends
  network,  ///< from then on, for messages
  own_terms,
};

/// Computation in pieces, between which messages are looked for.
struct PiecedWork {
  int term;
  double seconds, piece_s;

  /// Seconds until the end of a piece after which something is there, all at most.
  [[nodiscard]] double until_seen(double there_s) const {
    if (there_s <= 0 || seconds <= 0) return 0;
    return std::min(seconds, std::ceil(there_s / piece_s) * piece_s);
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
  double hideable = 1;  ///< share in which the receiver can compute
  double sender_s = 0;  ///< of the sender's own time, before it computes on
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
  virtual void compute(int term, double seconds) = 0;
  /// By a device, which no detours of the host delay.
  virtual void copy(int term, double seconds) = 0;
  virtual void start_receive(int from, double bytes, int slot) = 0;
  /// Until the message is seen to be there, or all is done. Returns the seconds that are left.
  virtual double compute_until_received(const PiecedWork& work, int slot) = 0;
  virtual void wait_received(int from, int slot) = 0;
  /// Until what was sent from there has left.
  virtual void wait_sent(int slot) = 0;
  /// At once, but each `rendezvous` once the one before has left. Does the work meanwhile, looking
  /// between the pieces; null: waits until the last has set out.
  virtual void send(const std::vector<SentMessage>& to, double bytes, int slot,
                    const PiecedWork* work) = 0;
};

/// What all actors, a rank each, do in a step that goes stage by stage: in turn one leads and
/// sends, and those after it receive, each only from one before itself. Safe to ask from several
/// threads.
class StepProgram {
 public:
  /// An actor's part of a stage. What it receives it starts to receive first.
  using Stage = std::function<void(int actor, StepSink& sink)>;

  virtual ~StepProgram() = default;
  [[nodiscard]] virtual int actors() const = 0;
  [[nodiscard]] virtual int stages() const = 0;
  [[nodiscard]] virtual const ExchangeRoutes& routes() const = 0;
  /// Led by actor `turn` modulo their number. The work is that of stage `item`: the same where all
  /// stages are followed.
  [[nodiscard]] virtual Stage stage(int turn, int item) const = 0;
};

/// The same as a trace: who looks for a message does so when the engine has it there, who sends in
/// turn when the message before would by itself have left. Copies are computation.
std::unique_ptr<Trace> program_trace(ScalingPoint point, std::unique_ptr<const StepProgram> program,
                                     std::vector<std::string> notes);

}  // namespace bellwether
