// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "models/hpl/hpl_costs.hpp"
#include "models/hpl/hpl_problem.hpp"
#include "models/hpl/swap_sharing.hpp"

namespace bellwether {

/// The terms of a factorization.
enum class HplTerm : unsigned char {
  panel,
  trsm,
  gemm,
  solve,
  swap,
  to_host,
  to_device,
  wait,
  pivot,
  broadcast,
  swap_network,
  solve_network
};
inline constexpr std::array<const char*, 12> hpl_term_names{
    "compute.panel", "compute.trsm",      "compute.gemm",   "compute.solve",
    "swap",          "copy.to_host",      "copy.to_device", "wait",
    "network.pivot", "network.broadcast", "network.swap",   "network.solve"};

/// Seconds by term.
class HplTerms {
 public:
  double& operator[](HplTerm term) { return seconds_[static_cast<std::size_t>(term)]; }
  double operator[](HplTerm term) const { return seconds_[static_cast<std::size_t>(term)]; }
  /// Adds so many times the other's.
  void add(const HplTerms& other, double times = 1) {
    for (std::size_t term = 0; term < seconds_.size(); ++term)
      seconds_[term] += times * other.seconds_[term];
  }
  [[nodiscard]] double total() const {
    double sum = 0;
    for (const double one : seconds_) sum += one;
    return sum;
  }

 private:
  std::array<double, hpl_term_names.size()> seconds_{};
};

/// A panel's way from one process of a row to another.
struct HplHop {
  double ready_s = 0;     ///< until the receiver knows that it can be had
  double move_s = 0;      ///< then until it has it
  bool own_time = false;  ///< the receiver copies it itself
  bool asked = false;     ///< it moves once the receiver has asked for it
  double own_s = 0;       ///< of its sender's own time while it computes, and of its receiver's
};

/// Exchanges along a process column, one after another: the first with the processes `distance`
/// before and behind, each further one `stride` further on: with a stride with all others.
struct HplExchanges {
  int times = 0;
  double bytes = 0;  ///< of each, either way
  int distance = 1;
  int stride = 0;
};

/// What the steps of a factorization cost the processes of the busiest row; costs and paths must
/// outlive it.
class HplSteps {
 public:
  HplSteps(const HplCosts& costs, const HplPaths& paths, const HplProblem& problem);

  [[nodiscard]] const HplProblem& problem() const { return problem_; }
  [[nodiscard]] const HplCosts& costs() const { return costs_; }
  [[nodiscard]] const HplPaths& paths() const { return paths_; }
  [[nodiscard]] long width(long panel) const;
  /// Which process column has it.
  [[nodiscard]] int owner(long panel) const {
    return static_cast<int>(panel % problem_.grid.columns);
  }
  /// Columns beyond the panel that a process column updates, the right-hand side included.
  [[nodiscard]] long columns(long panel, int process_column) const;
  /// The same of the process column that has the last block, on the average of the panels about it.
  [[nodiscard]] double busiest_columns(long panel) const;
  /// Of them the next panel's.
  [[nodiscard]] long next_columns(long panel) const;

  /// What its owner does until it can be sent: copies, factorization, pivots.
  [[nodiscard]] HplTerms factorization(long panel) const;
  /// Update by the panel of so many columns of one process: swaps strip by strip, one product.
  /// No other process column shares links with it.
  [[nodiscard]] HplTerms update(long panel, double columns) const;
  /// Of such an update what comes before the product, from 0 on.
  [[nodiscard]] ColumnSwaps column_swaps(long panel, double columns) const;
  /// The messages of such an update's swaps, in their order.
  [[nodiscard]] std::vector<HplExchanges> swap_messages(long panel, double columns) const;
  /// Seconds for which the messages of such an update's swaps fill a node's link, each way.
  [[nodiscard]] double swap_link_s(long panel, double columns) const;
  /// Whether processes of a column agree on each pivot by messages, and these.
  [[nodiscard]] bool sends_pivots() const;
  [[nodiscard]] double pivot_bytes(double w) const;
  /// Pivots, inverse if there is one, and panel.
  [[nodiscard]] double message_bytes(long panel) const;
  /// The same of w columns and so many rows.
  [[nodiscard]] double message_bytes(double rows, double w) const;
  [[nodiscard]] HplHop hop(double bytes, bool between_nodes) const;
  /// Whether panels pass through the host: it factors them, or has to send them.
  [[nodiscard]] bool copies_panels() const;
  /// The panel from there to a device that does not have it.
  [[nodiscard]] double to_device(long panel) const;
  /// The same to its owner's: a device that factored it has it.
  [[nodiscard]] double to_owners_device(long panel) const {
    return costs_.panels_by == PanelsBy::host ? to_device(panel) : 0;
  }

 private:
  [[nodiscard]] long rows_from(long length) const;
  [[nodiscard]] double pivot(double w) const;
  [[nodiscard]] HplTerms row_swaps(double w, double height, double columns) const;
  [[nodiscard]] HplTerms swaps(long panel, double columns) const;
  /// Calls with each group of a strip's exchanges.
  template <class Visit>
  void visit_exchanges(double w, double height, double columns, Visit visit) const;
  /// Of exchanges one after another, with what the topology adds.
  [[nodiscard]] double seconds(const HplExchanges& some) const;
  /// By the topology: of one of them, or of all if they are with all others.
  [[nodiscard]] const HplColumnAdded& added_to(const HplExchanges& some) const;
  [[nodiscard]] bool swaps_in_rounds(double columns) const { return columns <= in_rounds_; }

  const HplCosts& costs_;
  const HplPaths& paths_;
  const HplProblem problem_;
  int levels_;            ///< ceil(log2 P), 0 for one
  bool swaps_in_memory_;  ///< of the node
  double in_rounds_;      ///< columns up to which rows are swapped in rounds
  double whole_pivot_ = 0;
  double strip_ = 1;  ///< columns whose rows are swapped at once
};

/// Seconds of the messages of w doubles that gather a block's partial sums along the row and send
/// its solution along the column, one after another.
double solve_messages(const HplSteps& steps, double w);

/// Seconds of sending all of x to all processes of a row.
double gathering(const HplSteps& steps);

/// Of a panel's message from one process column to another, on another node.
HplEdge edge_between(const HplSteps& steps, int from, int to);

/// Seconds that a panel of so many bytes takes on such a way.
double move_s(const HplSteps& steps, double bytes, const HplEdge& edge);

/// Adds what shows of a panel's making and moving where something else goes on meanwhile.
void add_exposed(const HplTerms& made, double exposed_s, HplTerms& terms);

}  // namespace bellwether
