// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "models/airfoil/airfoil_mesh.hpp"
#include "models/airfoil/airfoil_parameters.hpp"
#include "models/machine/machine.hpp"
#include "models/machine/quantity.hpp"

namespace bellwether {

/// The loops of an iteration in their order.
std::vector<AirfoilLoop> airfoil_loops(AirfoilSequence sequence);
/// Calls of a loop in an iteration, and the elements that each goes over.
int airfoil_calls(AirfoilLoop loop);
double airfoil_elements(const AirfoilMesh& mesh, AirfoilLoop loop);

/// Whose loops: the paper's, which read an edge's side from its two nodes, or this suite's
/// (kernels/airfoil), which keep it and go through the edge's cells alone.
enum class AirfoilTraffic { paper, own };

/// Bytes that one element of a loop moves at least: each value that it reads and each that it
/// writes once, shared between the elements that use it, and its 4-byte indices.
///   save_soln   per cell: q read, q_old written                                  8 values
///   adt_calc    per cell: q, one node's x and y read, adt written; 4 indices     7 values + 16
///   res_calc    per edge: half of a cell's q, adt, res (read and written), half of a node's x and
///               y, of two cells and half as many nodes as edges; 4 indices       7.5 values + 16
///       own     the side's x and y in place of the node's; 2 indices             8.5 values + 8
///   bres_calc   per boundary edge: x and y of one node, a cell's q, adt, res (read and written);
///               2 nodes', 1 cell's index and the kind of boundary                15 values + 16
///       own     the side's x and y in place of the node's; 1 index, the kind     15 values + 8
///   update      per cell: q_old, adt read, q written, res read and written       17 values
///   update_adt  per cell: update and adt_calc, one after the other               24 values + 16
///       own     q_old, one node's x and y, a perimeter read, adt and res both,
///               q written; 4 indices                                             21 values + 16
///   stage       per cell: q and adt read and written, one node's x and y, a perimeter and, in
///               every second call, q_old read; 4 nodes', 4 neighbours' indices   15 values + 32
///   tiled_stage per cell: the same but for the neighbours, res read and written, and of two edges
///               the side's x and y and 2 indices                                 27 values + 32
/// Throws BadInput for a precision other than "f32" and "f64".
double airfoil_loop_bytes(AirfoilLoop loop, const std::string& precision,
                          AirfoilTraffic traffic = AirfoilTraffic::paper);

/// Device memory that the mesh and its state take of all ranks together: of a cell q, q_old, adt
/// and res (13 values) and its 4 nodes, of a node x and y, of an edge 2 nodes and 2 cells, of a
/// boundary edge 2 nodes, its cell and its kind; 4-byte indices.
double airfoil_bytes(const AirfoilMesh& mesh, const std::string& precision);

/// What the loops cost on a machine in a precision, from its airfoil section, or from what the
/// machine does tell.
class AirfoilLoopCosts {
 public:
  /// Where the machine has no costs in this precision, those of the other scaled by the loops'
  /// bytes, or else bytes / memory bandwidth; both are said in `notes`. Where it has none of
  /// update_adt, those of update and adt_calc; of stage, bytes / memory bandwidth; of tiled_stage,
  /// those of res_calc and update_adt. On so many ranks of a node; 0: as many as the machine's.
  AirfoilLoopCosts(const Machine& machine, const std::string& precision, int ranks_on_node = 0);

  /// Seconds of a call over `elements`, without launches: w(n) n. Linear in n between the two
  /// points around n; beyond the curve's ends the end's cost per element holds. Where bytes give
  /// costs, they are those of this suite's loops.
  [[nodiscard]] double seconds(AirfoilLoop loop, double elements, Bound bound) const;
  /// The same as the paper takes it: on a CPU the one cost per element of the largest set that was
  /// measured, on a GPU that at the set's size; by the bytes of the paper's loops.
  [[nodiscard]] double paper_seconds(AirfoilLoop loop, double elements, Bound bound) const;
  /// Whether the machine's costs of update_adt are its own.
  [[nodiscard]] bool has_update_adt() const { return has_update_adt_; }
  /// Whether those of stage were measured, or no loop's were.
  [[nodiscard]] bool has_stage() const { return has_stage_; }
  /// Whether the machine gathers unless asked for something else: a CPU's file that has stage at
  /// one size only has it for those who ask.
  [[nodiscard]] bool gathers() const { return gathers_; }
  /// Whether those of tiled_stage were measured.
  [[nodiscard]] bool has_tiled_stage() const { return has_tiled_stage_; }
  /// As AirfoilParameters says; empty where the machine does not.
  [[nodiscard]] const std::string& increments() const { return increments_; }
  /// Whether `elements` lie more than a tenth below or above the sizes that were measured.
  [[nodiscard]] bool outside(AirfoilLoop loop, double elements) const;
  /// Seconds of one kernel launch; 0 on a CPU.
  [[nodiscard]] double launch(Bound bound) const;
  /// Launches of a call: the loop's colours on a GPU, 1 without.
  [[nodiscard]] double launches(AirfoilLoop loop, Bound bound) const;
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

 private:
  AirfoilLoopCurves curves_, paper_curves_;
  bool on_gpu_;
  bool derived_ = false;
  bool has_update_adt_ = true, has_stage_ = true, gathers_ = true, has_tiled_stage_ = true;
  std::string increments_;
  Quantity launch_s_ = Quantity::exact(0);
  Quantity res_calc_colours_ = Quantity::exact(1);
  Quantity bres_calc_colours_ = Quantity::exact(1);
  std::vector<std::string> notes_;
};

}  // namespace bellwether
