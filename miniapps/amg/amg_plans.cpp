// SPDX-License-Identifier: MIT
// What the options ask for: cases, and the matrix of each.
#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "miniapps/amg/amg_case.hpp"
#include "miniapps/amg/hypre/hypre_solver.hpp"
#include "miniapps/amg/matrices/matrix_file.hpp"
#include "miniapps/amg/matrices/stencil_rows.hpp"
#include "miniapps/driver/options.hpp"
#include "models/stencil/decomposition.hpp"

namespace bellwether {
namespace {

/// Entries of this rank.
double own_entries(const AmgRows& rows) {
  double entries = 0;
  for_each_stretch(rows, [&](long long, const AmgStretch& all) {
    entries += static_cast<double>(all.columns.size());
  });
  return entries;
}

/// `read`: the matrix of a file, as soon as it was read.
AmgSource matrix_of(const CaseSite& site, const AmgOptions& options,
                    std::shared_ptr<const AmgRows>& read) {
  if (options.matrix.empty())
    return stencil_matrix(options, site.session.rank(), site.session.size());
  if (!read)
    site.build("read matrix", [&] {
      read = read_matrix(site.session, options.matrix, std::numeric_limits<HYPRE_BigInt>::max(),
                         site.heartbeat);
    });
  return {read, options.matrix, "rows", own_entries(*read)};
}

}  // namespace

nlohmann::json amg_problem(const AmgOptions& options) {
  nlohmann::json all = options.matrix.empty() ? nlohmann::json{{"problem", options.problem},
                                                               {"stencil", options.stencil},
                                                               {"cells", options.cells},
                                                               {"scaling", options.scaling}}
                                              : nlohmann::json{{"matrix", options.matrix}};
  if (options.right_hand_side != AmgOptions().right_hand_side)
    all["right_hand_side"] = options.right_hand_side;
  return all;
}

nlohmann::json amg_variant(const AmgOptions& options, bool overlap) {
  nlohmann::json all = {{"overlap", on_or_off(overlap)},
                        {"coarsening", options.coarsening},
                        {"interpolation", options.interpolation},
                        {"pmax", options.pmax},
                        {"aggressive_levels", options.aggressive_levels},
                        {"relax", options.relax},
                        {"sweeps", options.sweeps},
                        {"solver", options.solver},
                        {"tolerance", options.tolerance}};
  if (options.threads > 0) all["threads"] = options.threads;
  return all;
}

AmgSource stencil_matrix(const AmgOptions& options, int rank, int ranks) {
  AmgStencil problem{options.problem, options.stencil, options.cells};
  if (options.scaling == "weak") problem.cells = cells_of_all(options.cells, ranks);
  auto rows = std::make_unique<StencilRows>(problem, rank, ranks);
  const std::string name = fmt::format("{} {}-point {}x{}x{}", problem.name, problem.points,
                                       problem.cells[0], problem.cells[1], problem.cells[2]);
  const std::string layout = rows->layout();
  const double entries = problem.points * static_cast<double>(rows->end() - rows->begin());
  return {std::move(rows), name, layout, entries, problem.least_eigenvalue()};
}

std::vector<CasePlan> amg_plans(const AmgOptions& options) {
  std::vector<CasePlan> plans;
  const auto read = std::make_shared<std::shared_ptr<const AmgRows>>();  // once for all cases
  for (const int threads : options.threads_asked()) {
    HypreLibrary::check_threads(threads);
    for (const bool overlap : options.overlap.modes()) {
      AmgOptions one = options;
      one.threads = threads;
      plans.push_back(
          {amg_problem(one), amg_variant(one, overlap), [one, overlap, read](const CaseSite& site) {
             return make_amg_case(site, one, overlap, matrix_of(site, one, *read));
           }});
    }
  }
  return plans;
}

}  // namespace bellwether
