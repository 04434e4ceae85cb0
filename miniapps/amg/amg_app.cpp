// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <array>
#include <charconv>

#include "miniapps/driver/registry.hpp"
#include "models/amg/amg_curve.hpp"
#include "models/errors.hpp"
#include "models/machine/strict_json.hpp"
#include "results/reproduce/published.hpp"

namespace bellwether {
namespace {

/// RxT: ranks of a node and threads of each rank.
AmgMix parse_mix(const std::string& text) {
  AmgMix mix{};
  const char* const end = text.data() + text.size();
  const auto ranks = std::from_chars(text.data(), end, mix.ranks_per_node);
  if (ranks.ec == std::errc() && ranks.ptr != end && *ranks.ptr == 'x') {
    const auto threads = std::from_chars(ranks.ptr + 1, end, mix.threads_per_rank);
    if (threads.ec == std::errc() && threads.ptr == end && mix.ranks_per_node > 0 &&
        mix.threads_per_rank > 0)
      return mix;
  }
  throw BadInput(fmt::format(
      "--mix: found \"{}\", expected best, or ranks of a node x threads of a rank as in 16x4",
      text));
}

class AmgApp final : public App {
 public:
  [[nodiscard]] const char* name() const override { return "amg"; }
  [[nodiscard]] const char* summary() const override {
    return "Algebraic multigrid, one solve cycle: 3-D 7-point Laplacian, V-cycle, one smoothing "
           "step on each side. Counted per cycle: unknowns of the finest level. --ranks counts "
           "hardware threads, --ranks-per-node those of a node: as ranks of one thread each, MPI "
           "only. --mix puts the same hardware to use as fewer ranks of several threads";
  }
  void add_problem_options(Options& options) override {
    options.add({.names = "--cells",
                 .target = &cells_,
                 .help = "Unknowns in x, y and z of the finest grid",
                 .type = "NX NY NZ",
                 .check = whole_number(1, most_cells)});
    options.add({.names = "--unknowns",
                 .target = &unknowns_,
                 .help = "Unknowns of the finest level, in place of --cells; without either those "
                         "of --hierarchy's first",
                 .check = whole_number(1, most_unknowns),
                 .excludes = {"--cells"}});
  }
  void add_prediction_options(Options& options) override {
    options.add_choice(
        "--scaling", scaling_, {"strong", "weak"},
        "strong: the unknowns are the whole problem's; weak: each hardware thread's");
    options.add({.names = "--mix",
                 .target = &mix_,
                 .help = "RxT: ranks of a node x threads of a rank, as 16x4; best: the fastest of "
                         "all that the machine knows, by the refined form unless --form paper",
                 .shows_default = true});
    options.add({.names = "--hierarchy",
                 .target = &hierarchy_file_,
                 .help = "JSON file with \"hierarchies\" of this problem, as results/published/"
                         "gahvari2012.json; without it that paper's (7-point Laplacian, "
                         "BoomerAMG). Other rank counts and unknowns are extrapolated from them",
                 .check = not_empty("a file")});
  }
  void check() const override {
    if (cells_[0] == 0 && unknowns_ == 0 && hierarchy_file_.empty())
      throw BadInput(
          "amg: found no problem, expected --cells NX NY NZ, --unknowns N or --hierarchy FILE");
    if (cells_[0] == 0 && unknowns_ == 0 && scaling_ == "weak")
      throw BadInput(
          "--scaling weak: found no --cells or --unknowns, expected those of a hardware thread");
    if (mix_ != "best") (void)parse_mix(mix_);
  }
  [[nodiscard]] std::vector<ScalingPoint> predict(const Machine& machine,
                                                  const PredictionRequest& request) const override {
    AmgStudy study;
    study.unknowns = unknowns();
    study.per_thread = scaling_ == "weak";
    if (mix_ != "best") study.mix = parse_mix(mix_);
    return amg_curve(machine, AmgFamily(hierarchies()), study, request);
  }
  [[nodiscard]] StepWork work() const override {
    StepWork work;
    work.units = unknowns();
    work.unit = "unknowns/s";
    work.per_rank = scaling_ == "weak";
    return work;
  }
  [[nodiscard]] const char* step_name() const override { return "solve cycle"; }

 private:
  static constexpr long long most_cells = 1LL << 20;
  static constexpr long long most_unknowns = 1LL << 60;

  [[nodiscard]] std::vector<AmgHierarchy> hierarchies() const {
    if (hierarchy_file_.empty())
      return parse_hierarchies(published("gahvari2012"), "gahvari2012.json");
    return parse_hierarchies(read_json_file(hierarchy_file_), hierarchy_file_);
  }
  [[nodiscard]] double unknowns() const {
    if (cells_[0] > 0)
      return 1.0 * static_cast<double>(cells_[0]) * static_cast<double>(cells_[1]) *
             static_cast<double>(cells_[2]);
    if (unknowns_ > 0) return static_cast<double>(unknowns_);
    return hierarchies().front().levels.front().unknowns;
  }

  std::array<long long, 3> cells_{};  // 0: not given
  long long unknowns_ = 0;            // 0: not given
  std::string scaling_ = "strong", mix_ = "best", hierarchy_file_;
};

}  // namespace

std::unique_ptr<App> make_amg_app() { return std::make_unique<AmgApp>(); }

}  // namespace bellwether
