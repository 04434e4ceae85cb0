// SPDX-License-Identifier: MIT
#include "miniapps/stencil/stencil_options.hpp"

namespace bellwether {

void StencilRunOptions::add_to(Options& options, bool chooses_stores) {
  overlap_.add_to(options);
  add_halo_option(options, variant_.halo);
  if (chooses_stores)
    options.add_choice(
        "--stores", variant_.stores, {"auto", "cached", "streaming"},
        "cached, streaming (past a CPU's cache; first to leave a GPU's), or auto: the faster of "
        "those that the backend has, by measurement");
  options.add_choice("--rate", variant_.rate, {"roofline", "measured"},
                     "What predictions take a rank's rate from: roofline (the machine alone) or "
                     "measured (the kernel, timed in this run)",
                     "Expert");
}

std::vector<StencilRunVariant> StencilRunOptions::variants() const {
  std::vector<StencilRunVariant> all;
  const auto choices = std::make_shared<std::map<std::array<int, 3>, SweepChoice>>();
  for (const bool overlap : overlap_.modes()) {
    all.emplace_back(variant_).overlap = overlap;
    all.back().choices = choices;
  }
  return all;
}

void StencilPredictionOptions::add_to(Options& options, bool chooses_stores) {
  add_halo_option(options, halo_);
  if (chooses_stores)
    options.add_choice("--stores", stores_, {"auto", "cached", "streaming"},
                       "cached, streaming, or auto: the faster by the machine's memory curves");
  options.add_choice("--split", split_, {"xyz", "yz", "z"},
                     "Directions that --decomposition auto may divide; yz as in the paper's runs");
  options.add("--rank-rate", &rank_rate_,
              "Measured rate of one rank, cells/s, in place of the machine's",
              {.check = positive_number()});
}

StencilStudy StencilPredictionOptions::study(const Machine& machine,
                                             const PredictionRequest& request,
                                             const StencilProblem& problem) const {
  StencilStudy study;
  study.cells = problem.grid();
  study.periodic = problem.periodic();
  study.request = request;
  const bool staged = used_halo(halo_, machine.device.kind == "gpu") == "staged";
  study.variant = {problem.precision, false, staged, stores_};
  for (int direction = 0; direction < 3; ++direction)
    study.split[direction] = split_.find("xyz"[direction]) != split_.npos;
  if (rank_rate_ > 0) study.cells_per_s = rank_rate_;
  if (const auto shape = parse_ranks(problem.decomposition); shape[0] != 0)
    study.decomposition = shape;
  return study;
}

}  // namespace bellwether
