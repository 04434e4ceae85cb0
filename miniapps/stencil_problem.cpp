// SPDX-License-Identifier: MIT
#include "miniapps/stencil_problem.hpp"

#include <fmt/format.h>

#include "miniapps/option_checks.hpp"
#include "models/decomposition.hpp"
#include "models/errors.hpp"

namespace bellwether {
namespace {

void check_one_of(const char* option, const std::string& found, const char* first,
                  const char* second) {
  if (found != first && found != second)
    throw BadInput(fmt::format("{}: found '{}', expected {} or {}", option, found, first, second));
}

}  // namespace

std::array<int, 3> StencilProblem::grid() const {
  return {static_cast<int>(cells[0]), static_cast<int>(cells[1]), static_cast<int>(cells[2])};
}

double StencilProblem::volume() const {
  return static_cast<double>(cells[0]) * static_cast<double>(cells[1]) *
         static_cast<double>(cells[2]);
}

void StencilProblem::add_options(CLI::App& command, const char* boundary_help) {
  command.add_option("--cells", cells, "Cells in x, y and z (x is contiguous)")
      ->required()
      ->type_name("NX NY NZ")
      ->check(whole_number(1, most_cells));
  command.add_option("--precision", precision, "f32 or f64")->capture_default_str();
  command
      .add_option("--decomposition", decomposition,
                  "Ranks in x, y and z as PXxPYxPZ; auto: what the models predict fastest")
      ->capture_default_str();
  command.add_option("--boundary", boundary, boundary_help)->capture_default_str();
}

void validate(const StencilProblem& problem, const char* walls) {
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
  check_one_of("--precision", problem.precision, "f32", "f64");
  check_one_of("--boundary", problem.boundary, "periodic", walls);
}

}  // namespace bellwether
