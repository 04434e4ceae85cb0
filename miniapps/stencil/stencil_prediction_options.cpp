// SPDX-License-Identifier: MIT
#include "miniapps/stencil/stencil_prediction_options.hpp"

#include <CLI/CLI.hpp>

#include "miniapps/driver/option_checks.hpp"

namespace bellwether {

void StencilPredictionOptions::add_to(CLI::App& command, bool chooses_stores) {
  command.add_option("--halo", halo_, "staged or direct")
      ->capture_default_str()
      ->check(CLI::IsMember(std::vector<std::string>{"staged", "direct"}));
  if (chooses_stores)
    command.add_option("--stores", stores_, "auto, cached or streaming (CPUs)")
        ->capture_default_str()
        ->check(CLI::IsMember(std::vector<std::string>{"auto", "cached", "streaming"}));
  command
      .add_option("--split", split_,
                  "Directions that --decomposition auto may divide; yz as in the paper's runs")
      ->capture_default_str()
      ->check(CLI::IsMember(std::vector<std::string>{"xyz", "yz", "z"}));
  command
      .add_option("--rank-rate", rank_rate_,
                  "Measured rate of one rank, cells/s, in place of the machine's")
      ->check(positive_number());
}

StencilStudy StencilPredictionOptions::study(const PredictionRequest& request,
                                             const StencilProblem& problem) const {
  StencilStudy study;
  study.cells = problem.grid();
  study.periodic = problem.periodic();
  study.request = request;
  study.variant = {problem.precision, false, halo_ == "staged", stores_};
  for (int direction = 0; direction < 3; ++direction)
    study.split[direction] = split_.find("xyz"[direction]) != split_.npos;
  if (rank_rate_ > 0) study.cells_per_s = rank_rate_;
  if (const auto shape = parse_ranks(problem.decomposition); shape[0] != 0)
    study.decomposition = shape;
  return study;
}

}  // namespace bellwether
