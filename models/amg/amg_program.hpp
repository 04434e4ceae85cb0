// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "models/amg/amg_hierarchy.hpp"
#include "models/step/rank_program.hpp"

namespace bellwether {

/// What of BoomerAMG's options the time of a cycle depends on beyond the hierarchy, by the names of
/// the mini-app's options.
struct AmgVariant {
  std::string relax = "hybrid-gauss-seidel";  ///< or l1-gauss-seidel, l1-jacobi, chebyshev
  int sweeps = 1;                             ///< on each side of the cycle
  std::string solver = "amg";                 ///< or pcg: a step is one of its iterations
};

/// What a sweep does in hypre.
struct AmgRelaxation {
  const char* name;
  int products;   ///< times that it goes through the matrix
  int exchanges;  ///< of the vector
  bool overlaps;  ///< its exchanges with products
};
/// Throws BadInput for a name that it does not know.
const AmgRelaxation& amg_relaxation(const std::string& name);

enum class AmgStage { krylov, relax, residual, restriction, coarse_solve, interpolation };

/// An operation of a level, with the exchange of its vector. Those of the interpolation from the
/// next coarser level and of its transpose belong to the finer level.
struct AmgStepOperation {
  AmgStage stage;
  std::size_t level;
  double compute_s = 0;
  double own_share = 0;     ///< of compute_s, what needs no other process's values
  HaloTimes messages = {};  ///< of one exchange
  int exchanges = 1;        ///< each with its part of compute_s
  double fork_join_s = 0;   ///< of its parallel loops, in no other time

  [[nodiscard]] bool multiplies_transfer() const {
    return stage == AmgStage::restriction || stage == AmgStage::interpolation;
  }
  /// The level that the paper counts it to: of interpolation that which it comes from.
  [[nodiscard]] std::size_t paper_level() const {
    return level + (stage == AmgStage::interpolation ? 1 : 0);
  }
  [[nodiscard]] double hidden_s(bool overlap) const {
    return overlap ? exchanges * messages.hidden(own_share * compute_s / exchanges) : 0;
  }
  /// What is not hidden.
  [[nodiscard]] double network_s(bool overlap) const {
    return exchanges * messages.network - hidden_s(overlap);
  }
  [[nodiscard]] double total_s(bool overlap = false) const {
    return compute_s + fork_join_s + network_s(overlap);
  }
};

/// A step in hypre's order, without times: the product of an iteration of conjugate gradients, and
/// the cycle, V(sweeps, sweeps).
std::vector<AmgStepOperation> amg_operations(std::size_t levels, const AmgVariant& variant);

/// The step with its times.
struct AmgStep {
  std::vector<AmgStepOperation> operations;
  double vectors_s = 0;  ///< with pcg, computation on vectors
  double reduce_s = 0;   ///< with pcg, the reductions of its inner products

  /// A process's part, of one that has rows of all levels for which `has_rows` holds. Its terms are
  /// compute.<group> and network.<group> for each amg_group(), and with pcg compute.krylov and
  /// reduce; of one process those of compute alone. An exchange's messages are number
  /// amg_messages().
  [[nodiscard]] RankProgram program(const AmgHierarchy& hierarchy, bool overlap,
                                    const std::function<bool(std::size_t level)>& has_rows) const;
};

/// The number of an operation's messages, and back.
constexpr int amg_stages = 6;
constexpr int amg_messages(AmgStage stage, std::size_t level) {
  return amg_stages * static_cast<int>(level) + static_cast<int>(stage);
}
constexpr std::pair<AmgStage, std::size_t> amg_exchange_of(int messages) {
  return {static_cast<AmgStage>(messages % amg_stages),
          static_cast<std::size_t>(messages / amg_stages)};
}

}  // namespace bellwether
