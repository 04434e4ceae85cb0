// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "models/scaling/scaling_point.hpp"

namespace bellwether {

/// Takes the operations of one rank in the order in which it does them. Messages are matched as
/// MPI's: by peer and tag, those of one pair and tag in order.
class TraceSink {
 public:
  virtual ~TraceSink() = default;
  virtual void compute(double seconds) = 0;
  /// Under way from here on, until waited for.
  virtual void start_receive(int from, double bytes, int tag) = 0;
  virtual void start_send(int to, double bytes, int tag) = 0;
  /// For the first of them from, or to, that rank: until it is there. Of a send this is later than
  /// an MPI that copies small messages lets go on, and what one with larger messages does.
  virtual void wait_received(int from, int tag) = 0;
  virtual void wait_sent(int to, int tag) = 0;
  virtual void wait_all() = 0;
  /// Started and waited for.
  virtual void receive(int from, double bytes, int tag) {
    start_receive(from, bytes, tag);
    wait_received(from, tag);
  }
  virtual void send(int to, double bytes, int tag) {
    start_send(to, bytes, tag);
    wait_sent(to, tag);
  }
  /// A sum over all ranks.
  virtual void allreduce(double bytes) = 0;
};

/// What all ranks do in a step of an application, and what its refined form expects of that: the
/// same decomposition, messages and seconds of computation. Safe to ask from several threads.
class Trace {
 public:
  explicit Trace(ScalingPoint point) : point_(std::move(point)) {}
  virtual ~Trace() = default;

  [[nodiscard]] virtual int ranks() const { return point_.ranks; }
  [[nodiscard]] const ScalingPoint& point() const { return point_; }
  /// What the trace has otherwise than the model, a line each.
  [[nodiscard]] virtual std::vector<std::string> notes() const { return {}; }
  /// One step of a rank.
  virtual void step(int rank, TraceSink& sink) const = 0;

 private:
  ScalingPoint point_;
};

/// The point of a request of one rank count, one overlap mode and the refined form alone, which is
/// what traces are asked with. `predict` takes a request as scaling curves do.
inline PredictionRequest request_of_trace(int ranks, bool overlap, int ranks_per_node) {
  return {{ranks}, {overlap}, {"refined"}, ranks_per_node};
}

}  // namespace bellwether
