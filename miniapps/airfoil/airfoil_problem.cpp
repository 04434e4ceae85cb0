// SPDX-License-Identifier: MIT
#include "miniapps/airfoil/airfoil_problem.hpp"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "miniapps/airfoil/airfoil_iteration.hpp"
#include "miniapps/driver/options.hpp"
#include "models/errors.hpp"

namespace bellwether {
namespace {

constexpr long long most_in_a_direction = 1'000'000;
constexpr std::int64_t most_elements = std::numeric_limits<std::int32_t>::max();

struct Loop {
  AirfoilKernel kernel;
  std::int64_t elements;
  double times;  ///< in an iteration
};

std::vector<Loop> loops_of(const AirfoilCounts& counts, AirfoilSequence sequence) {
  using enum AirfoilKernel;
  if (sequence == AirfoilSequence::gather) return {{stage, counts.cells, 2}};
  const Loop edges{res_calc, counts.edges, 2}, boundary{bres_calc, counts.boundary_edges, 2};
  if (sequence != AirfoilSequence::five) return {edges, boundary, {update_adt, counts.cells, 2}};
  return {{save_soln, counts.cells, 1},
          {adt_calc, counts.cells, 2},
          edges,
          boundary,
          {update, counts.cells, 2}};
}

}  // namespace

std::string AirfoilProblem::mesh_name() const {
  return is_generated() ? fmt::format("{}x{}", cells[0], cells[1]) : file;
}

void AirfoilProblem::add_options(Options& options) {
  options.add("--cells", &cells,
              "C-mesh of 3 I J cells: I columns along the airfoil and along each side of "
              "the wake, J rows outwards (400 600: 720000 cells, 1.44 million edges)",
              {.type = "I J", .check = whole_number(1, most_in_a_direction)});
  add_precision_option(options, precision);
  options.add_choice("--loops", loops, {"five", "fused"},
                     "five: OP2's loops, the change summed over ranks in each update; fused: the "
                     "same bits with nothing saved, adt_calc done in update, the change computed "
                     "at the end; one thread goes through them tile by tile");
  options.add("--increments", &increments,
              "What keeps two edges from adding to one cell at once. gather: none adds, "
              "each cell computes the fluxes of its edges, in the order of the mesh's, in "
              "one fused loop: the same bits on any ranks and device. atomics: each edge "
              "adds atomically. colours: edges of a colour have no cell in common. plain: "
              "one thread runs them in their order. Default: gather on a GPU (five loops: "
              "atomics), colours for several threads, plain for one",
              {.check = one_of({"gather", "atomics", "colours", "plain"})});
}

void AirfoilProblem::add_run_options(Options& options) {
  options.add("--mesh", &file,
              "In place of --cells: a mesh in OP2's format for Airfoil, HDF5 where its "
              "name ends in .h5 or .hdf5, else ASCII",
              {.type = "FILE", .check = not_empty("a file")});
  options.add("--partitioner", &partitioner,
              "How cells are dealt out to ranks: scotch (PT-Scotch, by their neighbours), "
              "rcb (bisected by coordinates) or block (as the mesh numbers them)",
              {.shows_default = true});
}

void validate(const AirfoilProblem& problem) {
  if (problem.increments == "gather" && !problem.is_fused())
    throw BadInput(
        "--increments gather, --loops five: found both, expected one of them: a gather "
        "is one loop");
  (void)partitioner_named(problem.partitioner);
}

nlohmann::json to_json(const AirfoilProblem& problem) {
  nlohmann::json json{{"precision", problem.precision}, {"partitioner", problem.partitioner}};
  if (problem.is_generated())
    json["cells"] = problem.cells;
  else
    json["mesh"] = problem.file;
  return json;
}

StepWork airfoil_step_work(const AirfoilCounts& counts, const std::string& precision,
                           AirfoilSequence sequence) {
  StepWork work{.units = static_cast<double>(counts.cells), .unit = "cells/s"};
  work.precision = precision;
  const int of_value = static_cast<int>(value_bytes(precision));
  for (const Loop& loop : loops_of(counts, sequence)) {
    const auto bytes = static_cast<double>(airfoil_bytes(loop.kernel, counts, of_value));
    work.term_bytes.emplace_back(phase_of(loop.kernel), loop.times * bytes);
    work.bytes += loop.times * bytes;
    work.flops += loop.times * airfoil_flops(loop.kernel) * static_cast<double>(loop.elements);
  }
  if (sequence == AirfoilSequence::tiled) {
    work.bytes = 2 * static_cast<double>(airfoil_tiled_bytes(counts, of_value));
    work.term_bytes = {{phase_of(AirfoilKernel::stage), work.bytes}};
  }
  if (sequence == AirfoilSequence::five)
    work.flops += 2.0 * airfoil_change_flops * static_cast<double>(counts.cells);
  return work;
}

AirfoilMesh airfoil_mesh_of(const std::array<std::int64_t, 2>& cells) {
  const AirfoilMesh mesh{cells[0], cells[1]};
  // As real numbers first: the product of the largest would not fit into 64 bits.
  const double count = 3.0 * static_cast<double>(cells[0]) * static_cast<double>(cells[1]);
  if (count > static_cast<double>(most_elements) || mesh.edges() > most_elements)
    throw BadInput(fmt::format("--cells: found {} x {}, expected a mesh of at most {} edges",
                               cells[0], cells[1], most_elements));
  return mesh;
}

}  // namespace bellwether
