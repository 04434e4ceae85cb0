// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "kernels/airfoil/airfoil_work.hpp"
#include "miniapps/driver/options.hpp"
#include "miniapps/mesh/partition.hpp"
#include "models/airfoil/airfoil_mesh.hpp"
#include "models/airfoil/airfoil_parameters.hpp"
#include "models/workload.hpp"

namespace bellwether {

/// What is solved: steady inviscid flow round an airfoil on an unstructured mesh of quadrilaterals,
/// in OP2's loops (Giles, Mudalige, Sharif, Markall, Kelly 2011), and how an iteration goes.
struct AirfoilProblem {
  std::array<std::int64_t, 2> cells{};  ///< I and J of the generated mesh; 0: not given
  std::string file;                     ///< of a mesh in one of OP2's formats; empty: not given
  std::string precision = "f64";        ///< "f32" or "f64"
  std::string partitioner = has_scotch() ? "scotch" : "rcb";
  std::string loops = "fused";  ///< "fused" or "five"
  std::string increments{};     ///< by name_of(Increments); empty: the device's default
  std::string picture;          ///< VTK file for the last state, or empty

  [[nodiscard]] bool is_generated() const { return cells[0] > 0; }
  [[nodiscard]] bool is_fused() const { return loops == "fused"; }
  /// "400x600", or the file's name.
  [[nodiscard]] std::string mesh_name() const;

  /// Adds what predictions need too (--cells, --precision, --loops, --increments), and the rest.
  void add_options(Options& options);
  void add_run_options(Options& options);
};

/// How a case of it runs; the names are those of the options and the record.
struct AirfoilVariant {
  bool overlap = false;
  std::string halo = "auto";  ///< "auto", "staged" or "direct"
};

/// Throws BadInput, naming the option, for what no run could use.
void validate(const AirfoilProblem& problem);

/// As asked for: what records and resumed runs know of it.
nlohmann::json to_json(const AirfoilProblem& problem);

/// What all ranks together do in one iteration, by airfoil_bytes and airfoil_flops, as if all
/// boundary edges were at the far field; each loop's bytes by the phase that it is timed as.
StepWork airfoil_step_work(const AirfoilCounts& counts, const std::string& precision,
                           AirfoilSequence sequence);

/// The mesh of 3 I J cells, I and J at least 1. Throws BadInput that names --cells where its edges
/// cannot be counted in 32 bits, as OP2 and its files do.
AirfoilMesh airfoil_mesh_of(const std::array<std::int64_t, 2>& cells);

}  // namespace bellwether
