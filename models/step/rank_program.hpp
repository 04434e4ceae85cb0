// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "models/network/halo_cost.hpp"
#include "models/scaling/rank_prediction.hpp"
#include "models/trace/trace.hpp"

namespace bellwether {

/// A rank's exchange with its neighbours, which are all at theirs. Seconds; terms are literals.
struct RankExchange {
  HaloTimes times;
  double pack_s = 0;                ///< before it; unpacking takes as long
  const char* network = "network";  ///< the term of its messages
  const char* meanwhile = nullptr;  ///< the term of what is computed while they are under way
  double meanwhile_s = 0;
  double hides_s = 0;    ///< computation that can hide messages, with overlap or without
  bool overlap = false;  ///< it does
  int messages = 0;      ///< which of the rank's messages

  [[nodiscard]] double hidden_s() const { return overlap ? times.hidden(hides_s) : 0; }
};

/// A step of a rank of an application whose neighbours go along with it, operation by operation.
class RankProgram {
 public:
  RankProgram() { operations_.reserve(4); }
  void compute(const char* term, double seconds) { add(Compute{term, seconds}, seconds); }
  /// For others, or between its operations.
  void wait(const char* term, double seconds) { add(Wait{term, seconds}, seconds); }
  void exchange(const RankExchange& one);
  /// Sums over all ranks, one after another, together of so many seconds.
  void reduce(double seconds, int sums, double bytes) {
    add(Reduce{seconds, sums, bytes}, seconds);
  }

  [[nodiscard]] double total() const { return total_s_; }
  /// Its terms, without notes.
  [[nodiscard]] RankStep step() const;

  std::optional<ComputeTime> compute_time;  ///< as in Prediction

 private:
  friend class RankTrace;
  struct Compute {
    const char* term;
    double seconds;
  };
  struct Wait {
    const char* term;
    double seconds;
  };
  struct Reduce {
    double seconds;
    int sums;
    double bytes;
  };
  using Operation = std::variant<Compute, Wait, RankExchange, Reduce>;

  void add(Operation operation, double seconds) {
    operations_.push_back(operation);
    total_s_ += seconds;
  }

  std::vector<Operation> operations_;
  double total_s_ = 0;
};

/// A rank's messages of an exchange, all under way at once.
struct RankMessages {
  struct Message {
    int peer;
    double bytes;
    int tag;
  };
  std::vector<Message> in, out;
};

/// The trace of an application of such ranks. Copies of a GPU stand before and after messages.
class RankTrace : public Trace {
 public:
  using Trace::Trace;
  void step(int rank, TraceSink& sink) const final;

 protected:
  [[nodiscard]] virtual RankProgram program(int rank) const = 0;
  /// Of an exchange, in rounds.
  [[nodiscard]] virtual std::vector<RankMessages> messages(int rank, int which) const = 0;
};

}  // namespace bellwether
