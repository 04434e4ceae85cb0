// SPDX-License-Identifier: MIT
#include "results/reproduce/mudalige2011_section_4.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

namespace bellwether {
namespace {

using nlohmann::json;

constexpr int most_gpus = 4096;  // halos are counted so far

/// One iteration in the paper's form, on a counted partition.
Prediction iteration(const Machine& machine, const AirfoilMesh& mesh, int ranks, bool overlap) {
  return airfoil_curve(machine, {.mesh = mesh, .halo_sizes = "counted"},
                       {.ranks = {ranks},
                        .overlap = {overlap},
                        .forms = {"paper"},
                        .ranks_per_node = machine.layout.ranks_per_node})
      .front()
      .prediction;
}

/// PCIe, MPI messages and reductions that are not hidden, of the total.
double exposed_share(const Machine& machine, const AirfoilMesh& mesh, int ranks) {
  const Prediction one = iteration(machine, mesh, ranks, true);
  double exposed = 0;
  for (const Term& term : one.terms)
    if (!term.name.starts_with("compute.")) exposed += term.seconds;
  return exposed / one.total_s;
}

Machine with_costs(const Machine& gpus, double factor, double start_up_s) {
  Machine changed = gpus;
  constexpr double few = 1, many = 1e9;  // linear between them: a n + c
  for (std::vector<AirfoilLoopPoint>& curve :
       section<AirfoilParameters>(changed)->loops.at("f64")) {
    if (curve.empty()) continue;
    const double a = factor * curve.back().seconds_per_element.value;
    curve = {{few, Quantity::exact(a + start_up_s / few)},
             {many, Quantity::exact(a + start_up_s / many)}};
  }
  return changed;
}

/// The least number of GPUs that takes no longer than `limit_s`.
std::optional<double> gpus_within(const Machine& gpus, const AirfoilMesh& mesh, double limit_s) {
  for (int number = 1; number <= most_gpus; ++number)
    if (mudalige_seconds(gpus, mesh, number) <= limit_s) return number;
  return std::nullopt;
}

/// -d log T / d log N between so many GPUs: 1 where time falls as it ideally does.
double slope(const Machine& gpus, const AirfoilMesh& mesh, int from, int to) {
  return std::log(mudalige_seconds(gpus, mesh, from) / mudalige_seconds(gpus, mesh, to)) /
         std::log(static_cast<double>(to) / from);
}

/// On a plateau the time falls by less than this slope: doubling saves less than an eighth.
constexpr double plateau_slope = 0.2;

/// Where it begins, of powers of two.
double plateau(const Machine& gpus, const AirfoilMesh& mesh) {
  int number = 1;
  while (2 * number <= most_gpus && slope(gpus, mesh, number, 2 * number) >= plateau_slope)
    number *= 2;
  return number;
}

/// The loops' cost per element of one size, or with the start-up that 36 GPUs let one expect.
struct Cluster {
  std::string costs;  ///< "constant rate"
  Machine gpus;
};

void add_equivalence(const Cluster& cluster, const AirfoilMesh& mesh, double limit_s,
                     const std::string& cores, double published, const std::string& note,
                     std::vector<ReproducedNumber>& numbers) {
  const std::optional<double> within = gpus_within(cluster.gpus, mesh, limit_s);
  numbers.push_back(
      {Evidence::measurement,
       fmt::format("Section 4, C2070s equal to {}, 26M edges, {}", cores, cluster.costs), published,
       within, "GPUs", measured_tolerance,
       within ? note : fmt::format("not within {} GPUs", most_gpus)});
}

void add_plateau(const Cluster& cluster, const AirfoilMesh& mesh, const json& section_4,
                 Reproduction& result) {
  const int published = section_4.at("plateau_gpus").at("value");
  const int before = section_4.at("equivalence").at("gpus");
  result.numbers.push_back(
      {Evidence::fitted,
       fmt::format("Section 4, C2070s from which doubling pays no more, {}", cluster.costs),
       static_cast<double>(published), plateau(cluster.gpus, mesh), "GPUs", measured_tolerance,
       fmt::format(
           "pays no more: a slope of less than {}, chosen in sight of 128; of powers of two",
           plateau_slope)});
  const double up = slope(cluster.gpus, mesh, before, published);
  const double beyond = slope(cluster.gpus, mesh, published, 2 * published);
  result.trends.push_back({fmt::format("Section 4, C2070s scale up to {}, then a plateau, {}",
                                       published, cluster.costs),
                           up >= plateau_slope && beyond < plateau_slope,
                           fmt::format("slope {:.2f} from {} to {} GPUs, {:.2f} from {} to {}", up,
                                       before, published, beyond, published, 2 * published)});
}

/// Seconds of so many iterations on so many ranks each.
std::string curve(const Machine& machine, const AirfoilMesh& mesh, const std::vector<int>& units,
                  int ranks_of_unit, double iterations, bool overlap = true) {
  std::vector<std::string> words;
  for (const int number : units)
    words.push_back(fmt::format(
        "{:.4g}", iterations * mudalige_seconds(machine, mesh, number * ranks_of_unit, overlap)));
  return fmt::format("{}", fmt::join(words, ", "));
}

void add_figures(const json& paper, const PaperMachines& machines, const std::vector<Cluster>& all,
                 std::vector<std::string>& statements) {
  const double iterations = paper.at("iterations").at("value");
  const AirfoilMesh small = mudalige_mesh(paper.at("meshes").at("1.5M"));
  const AirfoilMesh large = mudalige_mesh(paper.at("meshes").at("26M"));
  const std::vector<int> cores =
      paper.at("section_3").at("best_hector_cores").at("candidates").get<std::vector<int>>();
  const Machine &hector = machines.at("hector"), &cx1 = machines.at("cx1");
  statements.push_back(
      fmt::format("Figure 3 (computed), HECToR, 1.5M edges, seconds on {} cores: {}; blocking {}",
                  fmt::join(cores, ", "), curve(hector, small, cores, 1, iterations),
                  curve(hector, small, cores, 1, iterations, false)));
  const json& figure = paper.at("section_4").at("figure_5");
  const std::vector<int> nodes = figure.at("nodes").get<std::vector<int>>();
  std::string text = fmt::format(
      "Figure 5 (computed), 26M edges, seconds on {} nodes: HECToR (24 cores a node) {}; CX1 (12) "
      "{}",
      fmt::join(nodes, ", "),
      curve(hector, large, nodes, figure.at("hector_cores_of_node"), iterations),
      curve(cx1, large, nodes, figure.at("cx1_cores_of_node"), iterations));
  for (const Cluster& one : all)
    text +=
        fmt::format("; C2070 (1), {}, {}", one.costs, curve(one.gpus, large, nodes, 1, iterations));
  statements.push_back(text);
}

void add_overheads(const json& overheads, const Machine& gpus, const AirfoilMesh& mesh,
                   std::vector<ReproducedTrend>& trends) {
  const int published_gpus = overheads.at("gpus");
  const double share = overheads.at("share");
  const double exposed = exposed_share(gpus, mesh, published_gpus);
  int most = published_gpus;
  constexpr int step = 16;
  while (exposed_share(gpus, mesh, most) > share && most > step) most -= step;
  while (most + step <= most_gpus && exposed_share(gpus, mesh, most + step) <= share) most += step;
  trends.push_back(
      {fmt::format("Section 4, exposed PCIe and MPI below {:.0f} % up to {} C2070s", 100 * share,
                   published_gpus),
       exposed <= share,
       fmt::format("{:.1f} %, below it up to {} in steps of {}; with assumed loops and InfiniBand",
                   100 * exposed, most, step)});
}

}  // namespace

AirfoilMesh mudalige_mesh(const json& mesh) {
  return {mesh.at("assumed_shape").at(0), mesh.at("assumed_shape").at(1)};
}

double mudalige_seconds(const Machine& machine, const AirfoilMesh& mesh, int ranks, bool overlap) {
  return iteration(machine, mesh, ranks, overlap).total_s;
}

std::optional<LoopStartUp> fit_loop_start_up(const Machine& gpus, const AirfoilMesh& mesh,
                                             double single_s, const AirfoilMesh& large, int number,
                                             double cluster_s) {
  const auto machine = [&](double start_up_s) {
    const double fixed = mudalige_seconds(with_costs(gpus, 0, start_up_s), mesh, 1);
    const double whole = mudalige_seconds(with_costs(gpus, 1, start_up_s), mesh, 1);
    return with_costs(gpus, (single_s - fixed) / (whole - fixed), start_up_s);
  };
  const auto misses = [&](double start_up_s) {
    return mudalige_seconds(machine(start_up_s), large, number) - cluster_s;
  };
  // Nine calls an iteration: beyond this the start-ups alone take as long as the one GPU.
  double low = 0, high = (single_s - mudalige_seconds(with_costs(gpus, 0, 0), mesh, 1)) / 9;
  if (high <= 0 || misses(low) > 0 || misses(0.999 * high) < 0) return std::nullopt;
  for (int halving = 0; halving < 40; ++halving) {
    const double middle = (low + high) / 2;
    (misses(middle) < 0 ? low : high) = middle;
  }
  return LoopStartUp{low, machine(low)};
}

void add_mudalige_section_4(const json& paper, const PaperMachines& machines,
                            Reproduction& result) {
  const json& section_4 = paper.at("section_4");
  const AirfoilMesh small = mudalige_mesh(paper.at("meshes").at("1.5M"));
  const AirfoilMesh mesh = mudalige_mesh(paper.at("meshes").at("26M"));
  const Machine& gpus = machines.at("c2070-cluster");
  const auto* loops = section<AirfoilParameters>(gpus);
  need(gpus, loops != nullptr && loops->loops.contains("f64"), "airfoil.loops.f64");
  const json& equal = section_4.at("equivalence");
  const int number = equal.at("gpus");
  const double hector = mudalige_seconds(machines.at("hector"), mesh, equal.at("hector_cores"));
  const double cx1 = mudalige_seconds(machines.at("cx1"), mesh, equal.at("cx1_cores"));
  const std::string hector_cores =
      fmt::format("{} HECToR cores", equal.at("hector_cores").get<int>());
  const std::string cx1_cores = fmt::format("{} CX1 cores", equal.at("cx1_cores").get<int>());

  std::vector<Cluster> clusters = {{"constant rate", gpus}};
  add_equivalence(clusters[0], mesh, hector, hector_cores, number, "", result.numbers);
  add_equivalence(clusters[0], mesh, cx1, cx1_cores, number, "", result.numbers);
  const double iterations = paper.at("iterations").at("value");
  const double single_s =
      paper.at("table_3").at("clusters").front().at("seconds").get<double>() / iterations;
  if (const auto fit = fit_loop_start_up(gpus, small, single_s, mesh, number, hector)) {
    clusters.push_back({"a n + c", fit->machine});
    result.statements.push_back(fmt::format(
        "GPU loops that take a n + c a call, from two published points, 13.20 s on one C2070 and "
        "{} C2070s equal to {} (whose time is the model's): c = {:.0f} us, of {:.1f} ms that an "
        "iteration of 720000 cells takes {:.1f}. What Section 4 says besides, no fit saw",
        number, hector_cores, 1e6 * fit->start_up_s, 1e3 * single_s, 9e3 * fit->start_up_s));
    add_equivalence(clusters[1], mesh, cx1, cx1_cores, number, "c is fitted to HECToR's",
                    result.numbers);
  } else {
    result.numbers.push_back(
        {Evidence::measurement,
         fmt::format("Section 4, C2070s equal to {}, 26M edges, a n + c", cx1_cores),
         static_cast<double>(number), std::nullopt, "GPUs", std::nullopt,
         "no start-up c of the loops from 0 on meets both published points"});
  }
  result.numbers.push_back(
      {Evidence::measurement,
       fmt::format("Section 4, time of {} over {}, 26M edges", hector_cores, cx1_cores), 1,
       hector / cx1, "", measured_tolerance, "both are said to equal 36 C2070"});
  for (const Cluster& one : clusters) add_plateau(one, mesh, section_4, result);
  add_overheads(section_4.at("overheads"), gpus, mesh, result.trends);
  add_figures(paper, machines, clusters, result.statements);
}

}  // namespace bellwether
