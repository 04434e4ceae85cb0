// SPDX-License-Identifier: MIT
#pragma once

#include <HYPRE_parcsr_ls.h>

#include <array>
#include <cstddef>
#include <vector>

#include "miniapps/amg/hypre/hypre_timer.hpp"
#include "miniapps/amg/hypre/message_timer.hpp"

namespace bellwether {

/// What a V-cycle does on a level; interpolation and restriction are those between the level and
/// the next coarser one.
enum class CycleOperation { relax, residual, restriction, interpolation, coarse_solve };
inline constexpr std::array<const char*, 5> cycle_operation_names{"relax", "residual", "restrict",
                                                                  "interpolate", "coarse_solve"};

/// Seconds of one operation: `network` within MPI's calls, by the host's clock, `compute` all else.
struct AmgSeconds {
  double compute = 0, network = 0;
  long sends = 0;  ///< messages to other ranks
};

/// Of all levels, finest first, each operation's, in the order of CycleOperation.
using AmgLevelSeconds = std::vector<std::array<AmgSeconds, cycle_operation_names.size()>>;

/// Collective where the matrix was never multiplied with: messages that this rank sends and
/// receives for a product.
int messages_exchanged(HYPRE_ParCSRMatrix matrix);

/// A V-cycle of BoomerAMG by the functions that hypre's own calls, with the same bits, each timed,
/// and its MPI. Overlap on is hypre's way; off, every exchange is waited for first.
class HypreCycle {
 public:
  /// The solver was set up, with a V-cycle and two levels at least, and outlives the cycle.
  HypreCycle(HYPRE_Solver solver, bool overlap);

  /// Collective: u, an approximation of A u = f, becomes a better one. Throws std::runtime_error
  /// for an error of hypre's, or where its messages go another way than this hypre's headers say.
  void run(HYPRE_ParVector f, HYPRE_ParVector u);
  /// The same from u = 0, whatever it holds.
  void run_from_zero(HYPRE_ParVector f, HYPRE_ParVector u);

  /// Of the last run, on this rank.
  [[nodiscard]] const AmgLevelSeconds& seconds() const { return seconds_; }
  [[nodiscard]] std::size_t levels() const { return seconds_.size(); }

 private:
  template <class Body>
  void time(MessageTimer& messages, std::size_t level, CycleOperation operation,
            HYPRE_ParCSRMatrix matrix, Body&& body);
  void relax(MessageTimer& messages, std::size_t level, int side);
  void add_up();

  /// An operation that was run, from the mark before its own on, and its part of MPI.
  struct Timed {
    std::size_t level;
    CycleOperation operation;
    HypreTimer::Mark end;
    double network;
    long sends;
  };

  HYPRE_Solver solver_;
  bool overlap_;
  HypreTimer timer_;
  std::vector<Timed> timed_;
  AmgLevelSeconds seconds_;
};

}  // namespace bellwether
