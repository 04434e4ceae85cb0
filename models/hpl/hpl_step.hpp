// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "models/hpl/hpl_costs.hpp"
#include "models/hpl/hpl_problem.hpp"
#include "models/step/program.hpp"

namespace bellwether {

/// What a process' time counts as in a factorization.
struct HplTerm {
  enum : int { panel = own_terms, trsm, gemm, swap, to_host, to_device, pivot, swap_network };
};

/// Work of the processes of a column, as computation with the messages that it begins with.
struct HplWork {
  StepTerms terms{};
  std::vector<MemberExchange> exchanges = {};
  double link_s = 0;  ///< that these fill a node's link, each way

  [[nodiscard]] double total() const;
  [[nodiscard]] PiecedWork pieces() const;
};

/// What the steps of a factorization cost the processes of the busiest row. The machine must
/// outlive it.
class HplSteps {
 public:
  HplSteps(HplCosts costs, HplPaths paths, HplProblem problem);

  [[nodiscard]] const HplProblem& problem() const { return problem_; }
  [[nodiscard]] const HplCosts& costs() const { return costs_; }
  [[nodiscard]] const HplPaths& paths() const { return paths_; }
  [[nodiscard]] long width(long panel) const;
  /// Columns beyond the panel that a process column updates, the right-hand side included.
  [[nodiscard]] long columns(long panel, int process_column) const;
  /// The same of the process column that has the last block, on the average of the panels about it.
  [[nodiscard]] double busiest_columns(long panel) const;

  /// The panel's factorization by its owners, with the exchange of pivots; and its copies: of what
  /// its host factors or sends, and of what comes to a device that does not have it.
  [[nodiscard]] HplWork factorization(long panel) const;
  [[nodiscard]] double to_host(long panel) const;
  [[nodiscard]] double to_device(long panel) const;
  /// Update by the panel of so many columns of one process: swaps strip by strip, one product. In
  /// parts, of the swaps and U what is longer than the product, beside which they go on.
  [[nodiscard]] HplWork update(long panel, double columns, bool in_parts = false) const;
  /// Whether look-ahead updates in two parts: devices whose rows pass over messages.
  [[nodiscard]] bool in_parts() const { return levels_ > 0 && costs_.panels_beside(); }
  /// Pivots, inverse if there is one, and panel.
  [[nodiscard]] double message_bytes(long panel) const;
  /// On its way to another process of the row; `edge`: as far as the topology makes it.
  [[nodiscard]] MessageCost within_node(long panel) const;
  [[nodiscard]] MessageCost between_nodes(long panel, const HplEdge& edge) const;

  /// Of the back substitution: the computation of a mean process, and all of it. From the last
  /// block up, its owner sends its solution once it has the others' sums, which its rows of the
  /// next block are taken off first.
  [[nodiscard]] double solve_s() const;
  [[nodiscard]] double solved_after_s() const;

 private:
  [[nodiscard]] long rows_from(long length) const;
  /// Of the panel in the memory of a process: the diagonal block's, which all have, and those
  /// below.
  [[nodiscard]] double rows(long panel) const;
  [[nodiscard]] double pivots(double w, HplWork& made) const;
  void add_swaps(double w, double height, double columns, HplWork& update) const;
  /// With its messages, seconds.
  [[nodiscard]] double exchange(const MemberExchange& some, HplWork& work) const;
  [[nodiscard]] double solve_messages(double w) const;

  HplCosts costs_;
  HplPaths paths_;
  HplProblem problem_;
  int levels_;            ///< ceil(log2 P), 0 for one
  bool swaps_in_memory_;  ///< of the node
  double in_rounds_;      ///< columns up to which rows are swapped in rounds
  double strip_ = 1;      ///< columns whose rows are swapped at once
};

}  // namespace bellwether
