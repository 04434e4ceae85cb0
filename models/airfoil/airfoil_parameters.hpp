// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/machine/machine.hpp"

namespace bellwether {

template <class T>
struct JsonType;

/// The five parallel loops of an iteration, in their order (Mudalige et al., Eq. 1). The first runs
/// once per iteration, the others twice. Three are ours: update_adt, an update and the adt_calc
/// after it in one pass over the cells; stage, res_calc, bres_calc and update_adt in one, where
/// each cell gathers its fluxes; and tiled_stage, these three a tile of the mesh after the other,
/// so that what they hand on stays in a core's caches.
enum class AirfoilLoop {
  save_soln,
  adt_calc,
  res_calc,
  bres_calc,
  update,
  update_adt,
  stage,
  tiled_stage
};
inline constexpr std::array<const char*, 8> airfoil_loop_names = {
    "save_soln", "adt_calc",   "res_calc", "bres_calc",
    "update",    "update_adt", "stage",    "tiled_stage"};

/// Which loops make an iteration: the paper's five; this suite's res_calc, bres_calc and
/// update_adt, which save nothing and reduce nothing; or its stages alone, by gathers or by tiles.
enum class AirfoilSequence { five, fused, gather, tiled };
/// Whether a stage is one loop, which is timed as a whole.
constexpr bool has_stages(AirfoilSequence sequence) {
  return sequence == AirfoilSequence::gather || sequence == AirfoilSequence::tiled;
}

/// What an element costs in one call of a loop over so many: cells for save_soln, adt_calc, update,
/// update_adt and stages, edges for res_calc, boundary edges for bres_calc. On a GPU without the
/// launches of its kernels.
struct AirfoilLoopPoint {
  double elements;
  Quantity seconds_per_element;
};
/// One curve for each loop, ascending elements, at least one point; those of update_adt and the
/// stages may be empty.
using AirfoilLoopCurves = std::array<std::vector<AirfoilLoopPoint>, airfoil_loop_names.size()>;

/// What the Airfoil models need of a machine beyond its links: what each loop costs a rank, with
/// all ranks of a node at work.
struct AirfoilParameters {
  static constexpr const char* section_name = "airfoil";
  std::map<std::string, AirfoilLoopCurves> loops;  ///< by precision, "f32" or "f64"
  /// What kept two edges from adding to one cell at once in res_calc and bres_calc when they were
  /// measured: "plain" (one thread), "colours" or "atomics". Absent: not known.
  std::optional<std::string> increments;
  /// C of Eq. 7: ranks whose messages go through one network card; 1: each device has its own.
  /// Absent: all ranks of a node share one.
  std::optional<int> ranks_per_nic;
  /// On a GPU: colours of the edges, each one kernel launch, so that no two edges of one colour
  /// write to the same cell. Absent: one launch (atomic additions).
  std::optional<Quantity> res_calc_colours;
  std::optional<Quantity> bres_calc_colours;
};

/// C of Eq. 7: ranks whose messages share a network card, of so many on a node; as many where the
/// machine does not say.
int airfoil_ranks_per_nic(const Machine& machine, int on_node);

/// How the section stands in a machine file.
JsonType<AirfoilParameters> airfoil_parameters_type();

}  // namespace bellwether
