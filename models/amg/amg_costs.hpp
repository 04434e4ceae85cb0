// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "models/amg/amg_hierarchy.hpp"
#include "models/amg/amg_kernel.hpp"
#include "models/machine/machine.hpp"
#include "models/machine/quantity.hpp"

namespace bellwether {

/// How a solve cycle is put on a machine.
struct AmgPlacement {
  int nodes = 1;
  int processes = 1;         ///< MPI ranks
  int ranks_per_node = 1;    ///< n_MPI
  int threads_per_rank = 1;  ///< n_OMP

  [[nodiscard]] int on_node() const { return std::min(processes, ranks_per_node); }
};

/// Notes that a rank has other threads than its operations were calibrated with, which changes
/// nothing. `notes` may be null.
void note_amg_threads(const AmgKernelParameters& kernels, int threads,
                      std::vector<std::string>* notes);

/// What the machine charges a cycle, at one bound of its intervals.
class AmgCosts {
 public:
  /// The paper's form takes one latency and bandwidth per link, the refined form the link's
  /// segments, and charges contention for memory to the time that memory takes. What the machine
  /// lacks is derived where that makes sense; a line for each such thing, and for what is left out,
  /// is added to `notes` unless that is null. Throws BadInput naming machine and key where nothing
  /// sensible can be derived, or where the placement asks for threads that the machine does not
  /// know.
  AmgCosts(const Machine& machine, const AmgPlacement& placement, bool refined, Bound bound,
           std::vector<std::string>* notes);

  /// Seconds of a thread per flop of a product with a level's rows, of which each thread has so
  /// many. Paper: t_i P_SMT(min(n_MPI, n_SMT)) P_OMP. Refined: this of the part of t_i in which its
  /// bytes pass at the bandwidth that t_i was measured at, all cores at work; P_SMT(n_SMT) of the
  /// rest. Of `serial` code one thread of each rank works, and P_OMP is 1. Of a
  /// machine that was calibrated, whatever is published of none: from its cold products of as many
  /// rows.
  [[nodiscard]] double flop_time(std::size_t level, double nonzeros_per_row, double rows = 1,
                                 bool serial = false) const;

  /// p alpha(h) + n beta (B_max/B + m/l), m being the messages of all `active` processes.
  [[nodiscard]] double messages(const AmgOperator& one, double active) const;

  /// One message of so many doubles when no other is under way.
  [[nodiscard]] double lone_message(double elements) const;

  /// Overhead of one parallel loop.
  [[nodiscard]] double fork_join() const { return fork_join_s_; }

  /// Share of messages() that goes on while the ranks compute.
  [[nodiscard]] double hideable(const AmgOperator& one) const {
    if (!hideable_ || one.max_sends <= 0) return 1;
    return hideable_(one.max_elements / one.max_sends * sizeof(double));
  }

 private:
  [[nodiscard]] double wire(double sends, double elements, double contention) const;

  std::vector<double> level_flop_time_s_;  ///< measured; empty: from the memory bandwidth
  std::optional<AmgKernel> product_;       ///< calibrated, where those are not known
  double seconds_per_byte_ = 0;            ///< of memory, where neither is
  int threads_ = 1;                        ///< of a rank
  double thread_penalty_ = 1;              ///< P_OMP
  double core_penalty_ = 1;                ///< P_SMT(min(n_MPI, n_SMT))
  double issue_penalty_ = 1;               ///< P_SMT(n_SMT)
  double bandwidth_then_ = 1;              ///< of a thread when t_i was measured, all cores at work
  double fork_join_s_ = 0;
  const LinkTiming* link_ = nullptr;  ///< null: one process, no messages
  bool refined_;
  Bound bound_;
  double hop_latency_s_ = 0;  ///< (h - h_m) gamma
  double limited_ = 1;        ///< B_max / B
  double links_ = 0;          ///< l; 0: not known, no contention
  std::function<double(double bytes)> hideable_;
};

}  // namespace bellwether
