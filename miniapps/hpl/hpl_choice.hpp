// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "miniapps/driver/app.hpp"
#include "miniapps/hpl/hpl_variant.hpp"
#include "models/hpl/hpl_problem.hpp"

namespace bellwether {

/// NB where no machine file says which is fastest.
inline constexpr int block_without_machine = 192;

/// NB where the device factors panels: its products are fast from there on (kernels/hpl).
inline constexpr int block_of_device_panels = 512;

/// A factorization as a run is asked for it; what is absent is chosen where it runs.
struct HplAsked {
  std::optional<long> size;         ///< absent: what fills the memory
  std::optional<int> block;         ///< absent: the fastest
  std::optional<ProcessGrid> grid;  ///< absent: the fastest of all ranks
  HplVariant variant;
  std::string grid_from = "--grid";  ///< what messages say of where the grid stands
};

/// {"size": N, "block": NB, "grid": [P, Q]}, "auto" for what is absent.
nlohmann::json to_json(const HplAsked& asked);

/// What is absent is what the refined form predicts fastest on the machine; without one NB is
/// block_without_machine and the grid the nearest to a square. N is the largest multiple of NB that
/// 80 % of the memory of the grid's ranks hold, `rank_bytes` each. Where the device factors panels,
/// which it can if the matrix lies in its memory (`on_host` false), and the machine was not
/// calibrated for them, NB is block_of_device_panels.
HplProblem chosen_problem(const HplAsked& asked, const Machine* machine, int ranks,
                          int ranks_per_node, double rank_bytes, bool on_host = true);

/// Collective: the same on this site, rank 0's choice on all ranks. Throws BadInput for a grid of
/// more processes than ranks.
HplProblem chosen_problem(const HplAsked& asked, const CaseSite& site);

/// What is chosen without a machine, and ranks that have no part in a grid, each said once.
std::vector<std::string> remarks_of(const std::vector<HplAsked>& asked, const CaseSite& site);

}  // namespace bellwether
