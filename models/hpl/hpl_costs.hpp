// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/hpl/hpl_problem.hpp"
#include "models/hpl/hpl_routes.hpp"
#include "models/machine/machine.hpp"
#include "models/machine/quantity.hpp"
#include "models/network/link.hpp"

namespace bellwether {

/// A path that ranks send on at a bound; `sharing` of them at once share its bandwidth.
struct HplPath {
  const LinkTiming* timing = nullptr;  ///< null: nobody to send to
  Bound bound = Bound::value;
  double sharing = 1;
  /// Seconds of `count` messages one after another of bytes / count each; 0 without a path.
  [[nodiscard]] double seconds(double count, double bytes) const;
};

/// Messages in both directions at once between ranks of a process column.
struct HplExchange {
  std::optional<ExchangeTimer> timer;  ///< none: nobody to exchange with
  Bound bound = Bound::value;
  [[nodiscard]] double seconds(double bytes) const {
    return timer ? timer->seconds(bytes, bound) : 0;
  }
};

/// The paths of a grid, consecutive ranks on a node.
struct HplPaths {
  HplPath row_within, row_between;  ///< from a process row's ranks to each other, within a node
  HplPath column;                   ///< the same along a process column
  HplExchange exchange;             ///< there, all process columns at once
  HplExchange pivot;                ///< there, one process column alone
  bool column_within = true;        ///< a process column stands on one node
  double most_eager_bytes = 0;  ///< of a panel to another node that leaves before it is asked for
  int columns_on_node = 1;      ///< ranks of a process row that stand on one node
  std::shared_ptr<const HplRoutes> routes = {};  ///< null: of the topology nothing is counted
  std::optional<Paths> between = {};  ///< of messages that leave a node; none: no rank has any

  [[nodiscard]] int node_of(int process_column) const { return process_column / columns_on_node; }
  /// What a panel that goes to another node takes of its sender's own time, and as much of its
  /// receiver's.
  [[nodiscard]] double own_time_between(double bytes) const {
    return between ? between->own_time(between->to(Across::other_node), bytes, row_between.bound)
                   : 0;
  }
};

/// Routes are those of other paths where given, which costs less for many ranks. The machine must
/// outlive them. Throws BadInput naming the link if ranks have no path to each other.
HplPaths hpl_paths(const Machine& machine, const ProcessGrid& grid, int ranks_per_node, Bound bound,
                   const std::shared_ptr<const HplRoutes>& routes = {});

/// Who factors panels: the processor that updates, in turn; a host beside its device's update; or a
/// device beside its own update, on another stream.
enum class PanelsBy : unsigned char { updater, host, stream };

/// What the operations of a step cost one rank at a bound; the machine must outlive it. Tables are
/// as in HplKernelParameters.
struct HplCosts {
  /// Of products of depth k.
  struct Product {
    double k = 0;
    double flops_per_s = 0;
    double half_m = 0, half_n = 0;
  };
  struct PanelOf {
    double width = 0;
    std::vector<std::pair<double, double>> seconds_of_rows;
    double inverse_s = 0;
  };

  double gemm_flops_per_s = 0;
  double half_m = 0, half_n = 0, half_k = 0;
  double gemm_bytes_per_s = 0;  ///< at which A, B and C (twice) pass at least; 0: within the ramp
  std::vector<Product> gemm_by_k;  ///< empty: by the above
  std::vector<Product> triangles;  ///< empty: of products
  std::vector<PanelOf> panels;     ///< empty: by the following
  double panel_flops_per_s = 0;
  double panel_column_s = 0;  ///< beside these flops
  /// Bandwidth that a panel is swept at log2(NB) times; 0: within the panel's rate.
  double panel_sweep_bytes_per_s = 0;
  double panel_copy_bytes_per_s = 0;
  double memory_bytes_per_s = 0;
  double swap_bytes_per_s = 0;
  double solve_bytes_per_s = 0;
  double broadcast_bytes_per_s = 0;  ///< 0: as the link within a node
  std::optional<double> pivot_s;
  double launch_s = 0;
  PanelsBy panels_by = PanelsBy::updater;
  HplPath to_host, to_device;  ///< of panels that are factored beside the update
  [[nodiscard]] bool panels_beside() const { return panels_by != PanelsBy::updater; }
  [[nodiscard]] bool has_inverse() const { return panels_by != PanelsBy::stream; }

  /// C(m x n) -= A(m x k) B(k x n), as GemmRamp says; the rate linear in 1/k between two k.
  [[nodiscard]] double gemm(double m, double n, double k) const;
  /// U = inv(L11) W (w x n), or solved with L11: without a table products in four strips, 5/8 of a
  /// square's.
  [[nodiscard]] double triangle(double w, double n) const;
  /// A panel of w columns and m rows, the first w of them those of the diagonal block: its copy
  /// out of the matrix, that of U11 back, its factorization, linear in m and per column linear in w
  /// between what was measured, and the inverse of its triangle, if there is one.
  [[nodiscard]] double panel(double m, double w) const;
  /// So many doubles, each read and written.
  [[nodiscard]] double copy_rows(double doubles) const;
  /// Rows of U, and of the triangle on its diagonal, of so many doubles.
  [[nodiscard]] double sweep(double doubles) const;

 private:
  [[nodiscard]] double factor(double m, double w) const;
  [[nodiscard]] double inverse(double w) const;
};

/// Whose panels a prediction is of (HplProblem::panel): as asked, else the device's where it was
/// calibrated for them and the grid has one row of processes.
std::string predicted_panel(const Machine& machine, const std::string& asked,
                            const ProcessGrid& grid);

/// Of a rank that shares its node with so many in all. With panels of `panel` (HplProblem::panel),
/// which means nothing where there is no GPU. Derived costs are noted.
HplCosts hpl_costs(const Machine& machine, int ranks_on_node, Bound bound,
                   std::vector<std::string>& notes, const std::string& panel = {});

}  // namespace bellwether
