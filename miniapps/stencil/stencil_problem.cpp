// SPDX-License-Identifier: MIT
#include "miniapps/stencil/stencil_problem.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "miniapps/driver/options.hpp"
#include "models/errors.hpp"
#include "models/stencil/decomposition.hpp"
#include "models/stencil/stencil_model.hpp"

namespace bellwether {
std::array<int, 3> StencilProblem::grid() const {
  return {static_cast<int>(cells[0]), static_cast<int>(cells[1]), static_cast<int>(cells[2])};
}

double StencilProblem::volume() const {
  return static_cast<double>(cells[0]) * static_cast<double>(cells[1]) *
         static_cast<double>(cells[2]);
}

void StencilProblem::add_options(Options& options, const char* walls, const char* boundary_help) {
  options.add("--cells", &cells, "Cells in x, y and z (x is contiguous)",
              {.type = "NX NY NZ", .check = whole_number(1, most_cells), .required = true});
  add_precision_option(options, precision);
  options.add("--decomposition", &decomposition,
              "Ranks in x, y and z as PXxPYxPZ; auto: what the models predict fastest",
              {.shows_default = true});
  options.add_choice("--boundary", boundary, {"periodic", walls}, boundary_help);
}

void validate(const StencilProblem& problem) {
  constexpr long long most = StencilProblem::most_cells;
  for (const long long n : problem.cells)
    if (n < 1 || n > most)
      throw BadInput(
          fmt::format("--cells: found {}, expected three numbers from 1 to {}", n, most));
  constexpr long long most_in_all = StencilProblem::most_cells_in_all;
  if (problem.volume() > static_cast<double>(most_in_all))
    throw BadInput(fmt::format("--cells: found {} x {} x {}, expected at most {} cells in all",
                               problem.cells[0], problem.cells[1], problem.cells[2], most_in_all));
  (void)parse_ranks(problem.decomposition);
}

nlohmann::json to_json(const StencilProblem& problem) {
  return {{"cells", problem.cells},
          {"precision", problem.precision},
          {"decomposition", problem.decomposition},
          {"boundary", problem.boundary}};
}

nlohmann::json to_json(const StencilRunVariant& variant) {
  nlohmann::json json = {{"overlap", on_or_off(variant.overlap)},
                         {"halo", variant.halo},
                         {"stores", variant.stores},
                         {"rate", variant.rate}};
  return json;
}

StepWork stencil_work(const StencilProblem& problem, const StencilKernel& kernel, double cells) {
  const double values = kernel.read_values + kernel.written_values;
  StepWork work{cells, "cells/s", cells * values * problem.value_bytes(), cells * kernel.flops};
  if (kernel.in_place) work.limit = WorkLimit::update_in_place;
  work.precision = problem.precision;
  return work;
}

std::string counted_text(const StencilKernel& kernel) {
  const double values = kernel.read_values + kernel.written_values;
  return fmt::format("{} flops, and {} value{} read and {} written ({} bytes f32, {} bytes f64)",
                     kernel.flops, kernel.read_values, kernel.read_values == 1 ? "" : "s",
                     kernel.written_values, values * value_bytes("f32"),
                     values * value_bytes("f64"));
}

Decomposition decompose(const StencilProblem& problem, const StencilKernel& kernel, int ranks,
                        const Machine* machine, const StencilVariant& variant,
                        const RankPlacement& placement) {
  std::array<int, 3> shape = parse_ranks(problem.decomposition);
  if (shape == std::array<int, 3>{}) {
    shape = machine == nullptr ? least_surface(ranks, problem.grid())
                               : fastest_decomposition(*machine, kernel, problem.grid(), ranks,
                                                       problem.periodic(), variant, placement);
  }
  const long long product = 1LL * shape[0] * shape[1] * shape[2];
  if (product != ranks)
    throw BadInput(
        fmt::format("--decomposition: {} is for {} ranks, and there {} {} (mpirun -n {}, or "
                    "--decomposition auto)",
                    problem.decomposition, product, ranks == 1 ? "is" : "are", ranks, product));
  return {problem.grid(), shape, problem.periodic()};
}

StencilVariant stencil_variant(const StencilProblem& problem, const StencilRunVariant& variant,
                               const std::string& stores) {
  return {problem.precision, variant.overlap, variant.halo == "staged", stores};
}

std::string stencil_title(const std::string& app, const StencilProblem& problem,
                          const Decomposition& decomposition, bool predicted,
                          const std::string& device, bool overlap) {
  const int ranks = decomposition.size();
  const char* chosen = "";
  if (problem.decomposition == "auto" && ranks > 1)
    chosen = predicted ? ", predicted fastest" : ", least surface";
  return fmt::format("{} {}x{}x{} {}, {} rank{} ({}{}), {}, overlap {}", app, problem.cells[0],
                     problem.cells[1], problem.cells[2], problem.precision, ranks,
                     ranks == 1 ? "" : "s", decomposition.name(), chosen, device,
                     on_or_off(overlap));
}

}  // namespace bellwether
