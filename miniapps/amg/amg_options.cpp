// SPDX-License-Identifier: MIT
#include "miniapps/amg/amg_options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/errors.hpp"
#include "models/stencil/decomposition.hpp"
#include "models/text_lines.hpp"

namespace bellwether {
namespace {

constexpr long long most_cells = 1LL << 20;  // in a direction
constexpr long long most_unknowns = 1LL << 60;
constexpr int most_entries = 1000;  // of an interpolation row
constexpr int most_levels = 25;     // hypre's own limit
constexpr int most_sweeps = 100;
constexpr int most_threads = 4096;

double product(const std::array<long long, 3>& cells) {
  return 1.0 * static_cast<double>(cells[0]) * static_cast<double>(cells[1]) *
         static_cast<double>(cells[2]);
}

const std::vector<std::string>& relaxations() {
  static const std::vector<std::string> names{"hybrid-gauss-seidel", "l1-gauss-seidel", "l1-jacobi",
                                              "chebyshev"};
  return names;
}

std::vector<std::string> with_auto(std::vector<std::string> names) {
  names.insert(names.begin(), "auto");
  return names;
}

WordCheck tolerance_check() {
  return [number = positive_number()](const std::string& word) {
    if (number(word).empty() && *parse_number<double>(word) < 1) return std::string();
    return fmt::format("found '{}', expected a number above 0 and below 1", word);
  };
}

/// RxT: ranks of a node and threads of each rank.
AmgMix parse_mix(const std::string& text) {
  if (const std::vector<std::string> words = split(text, 'x'); words.size() == 2) {
    const int ranks = parse_number<int>(words[0]).value_or(0);
    const int threads = parse_number<int>(words[1]).value_or(0);
    if (ranks > 0 && threads > 0) return {ranks, threads};
  }
  throw BadInput(fmt::format(
      "--mix: found \"{}\", expected best, or ranks of a node x threads of a rank as in 16x4",
      text));
}

void add_problem(AmgOptions& asked, Options& options) {
  options.add("--cells", &asked.cells, "Unknowns in x, y and z of the finest grid",
              {.type = "NX NY NZ", .check = whole_number(1, most_cells)});
  options.add_choice("--scaling", asked.scaling, {"strong", "weak"},
                     "strong: --cells are the whole problem's; weak: each rank's");
  options.add_choice("--problem", asked.problem, {"laplace", "anisotropic", "jumps"},
                     "laplace; anisotropic: coupled with 1 along x, 0.1 along y, 0.01 along z; "
                     "jumps: coefficient 1000 in the middle half of each direction, 1 around");
  options.add("--stencil", &asked.stencil, "Points of the stencil; 27 is of laplace alone",
              {.type = "7|27", .check = one_of({"7", "27"}), .shows_default = true});
  options.add("--matrix", &asked.matrix,
              "In place of a grid, a matrix: a Matrix Market file (coordinate; real or "
              "integer; general or symmetric), or hypre's IJ files by the name that "
              "stands before .00000",
              {.type = "FILE",
               .check = not_empty("a file"),
               .excludes = {"--cells", "--scaling", "--problem", "--stencil"}});
  options.add_choice("--right-hand-side", asked.right_hand_side, {"product", "ones"},
                     "product: the matrix' with known numbers, which the solution is held against; "
                     "ones: as hypre's own driver ij has it, whose solution is not known");
}

void add_method(AmgOptions& asked, Options& options) {
  options.add_choice("--coarsening", asked.coarsening, {"hmis", "pmis", "falgout"},
                     "How unknowns of the next level are chosen; on a GPU pmis is the default");
  options.add_choice("--interpolation", asked.interpolation, {"ext+i", "classical", "direct"},
                     "Of extended+i type, classical (modified) or direct");
  options.add("--pmax", &asked.pmax, "Entries that a row of the interpolation keeps; 0: all",
              {.check = whole_number(0, most_entries), .shows_default = true});
  options.add("--aggressive-levels", &asked.aggressive_levels,
              "Levels, from the finest on, that are coarsened aggressively",
              {.check = whole_number(0, most_levels), .shows_default = true});
  options.add_choice("--relax", asked.relax, relaxations(),
                     "Relaxation; Gauss-Seidel is hybrid: within a rank, Jacobi between ranks; on "
                     "a GPU l1-jacobi is the default, and --overlap on");
  options.add("--sweeps", &asked.sweeps,
              "Sweeps of relaxation on each side of the coarse correction",
              {.check = whole_number(1, most_sweeps), .shows_default = true});
  options.add_choice("--solver", asked.solver, {"amg", "pcg"},
                     "amg: cycles alone; pcg: conjugate gradients with a cycle as preconditioner");
  options.add("--tolerance", &asked.tolerance,
              "Residual at which the solve is done, relative to the right-hand side",
              {.check = tolerance_check(), .shows_default = true});
  options.add("--threads", &asked.thread_counts,
              "OpenMP threads of a rank, where hypre has them, or a list of such numbers "
              "as 1,2,4; 0: as the environment says",
              {.type = "N[,N...]", .shows_default = true});
}

}  // namespace

void AmgOptions::add_to(Options& options) {
  add_problem(*this, options);
  add_method(*this, options);
  overlap.add_to(options);
  options.begin_group("Output");
  options.add_flag("--details", details, "Print each operation's time on each level");
}

void AmgOptions::choose_for_gpu(const Options& given) {
  if (!given.given("--coarsening")) coarsening = "pmis";
  if (!given.given("--relax")) relax = "l1-jacobi";
  if (!given.given("--overlap")) overlap.use(true);
}

void AmgOptions::check() const {
  if (cells[0] == 0 && matrix.empty())
    throw BadInput("amg: found no problem, expected --cells NX NY NZ or --matrix FILE");
  if (stencil == 27 && problem != "laplace")
    throw BadInput(
        fmt::format("--stencil: found 27, which is of --problem laplace alone, "
                    "expected 7 for {}",
                    problem));
  (void)threads_asked();
}

std::vector<int> AmgOptions::threads_asked() const {
  std::vector<int> all;
  for (const std::string& word : split(thread_counts, ',')) {
    const int number = parse_number<int>(word).value_or(-1);
    const bool known = std::find(all.begin(), all.end(), number) != all.end();
    if (known || number < (thread_counts == word ? 0 : 1) || number > most_threads)
      throw BadInput(fmt::format(
          "--threads: found '{}', expected a number from 0 to {}, or a list of different ones from "
          "1 on as 1,2,4",
          thread_counts, most_threads));
    all.push_back(number);
  }
  return all;
}

void AmgPredictionOptions::add_to(Options& options) {
  options.add("--cells", &cells_, "Unknowns in x, y and z of the finest grid",
              {.type = "NX NY NZ", .check = whole_number(1, most_cells)});
  options.add("--unknowns", &unknowns_,
              "Unknowns of the finest level, in place of --cells; without either those "
              "of --hierarchy's first",
              {.check = whole_number(1, most_unknowns), .excludes = {"--cells"}});
  options.add("--mix", &mix_,
              "RxT: ranks of a node x threads of a rank, as 16x4; best: the fastest of "
              "all that the machine knows, by the refined form unless --form paper",
              {.shows_default = true});
  options.add("--hierarchy", &hierarchy_file_,
              "Hierarchies of this problem: a results file of run amg, or JSON with "
              "\"hierarchies\" as models/amg/gahvari2012_hierarchies.json; without it that "
              "paper's (7-point Laplacian, BoomerAMG). Other rank counts and unknowns are "
              "extrapolated from them",
              {.type = "FILE", .check = not_empty("a file")});
  options.add_choice(
      "--relax", relax_, with_auto(relaxations()),
      "Relaxation; auto: as in the results file of --hierarchy, else hybrid-gauss-seidel, on a "
      "GPU l1-jacobi");
  options.add("--sweeps", &sweeps_,
              "Sweeps of relaxation on each side of the coarse correction; auto: as in the "
              "results file of --hierarchy, else 1",
              {.check = or_auto(whole_number(1, most_sweeps)), .shows_default = true});
  options.add_choice("--solver", solver_, {"auto", "amg", "pcg"},
                     "A cycle alone, or an iteration of conjugate gradients with one; auto: as in "
                     "the results file of --hierarchy, else amg");
}

void AmgPredictionOptions::check() const {
  if (!has_size() && hierarchy_file_.empty())
    throw BadInput(
        "amg: found no problem, expected --cells NX NY NZ, --unknowns N or --hierarchy FILE");
  if (mix_ != "best") (void)parse_mix(mix_);
  (void)known();
}

void AmgPredictionOptions::grow(int threads) {
  if (!has_size())
    throw BadInput(
        "--scaling weak: found no --cells or --unknowns, expected those of a hardware thread");
  if (cells_[0] > 0) cells_ = cells_of_all(cells_, threads);
  unknowns_ *= threads;
}

const KnownHierarchies& AmgPredictionOptions::known() const {
  if (!known_)
    known_ = hierarchy_file_.empty() ? KnownHierarchies{published_hierarchies(), {}}
                                     : read_hierarchies(hierarchy_file_);
  return *known_;
}

AmgVariant AmgPredictionOptions::variant() const {
  AmgVariant variant = known().variant.value_or(AmgVariant());
  if (relax_ != "auto") variant.relax = relax_;
  if (sweeps_ != "auto") variant.sweeps = *parse_number<int>(sweeps_);
  if (solver_ != "auto") variant.solver = solver_;
  return variant;
}

AmgStudy AmgPredictionOptions::study(const Machine& machine) const {
  AmgStudy study;
  study.unknowns = unknowns();
  study.variant = variant();
  const AmgKernelParameters* const kernels = amg_kernels(machine);
  if (relax_ == "auto" && !known().variant && kernels != nullptr && kernels->gauss_seidel.empty())
    study.variant.relax = "l1-jacobi";
  if (mix_ != "best") study.mix = parse_mix(mix_);
  return study;
}

double AmgPredictionOptions::unknowns() const {
  if (cells_[0] > 0) return product(cells_);
  if (unknowns_ > 0) return static_cast<double>(unknowns_);
  return hierarchies().front().levels.front().unknowns;
}

}  // namespace bellwether
