// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "models/airfoil/airfoil_curve.hpp"
#include "models/airfoil/op2_halos.hpp"
#include "models/machine/machine_file.hpp"
#include "results/reproduce/papers.hpp"
#include "results/reproduce/published.hpp"

namespace bellwether {
namespace {

using nlohmann::json;

AirfoilMesh mesh_of(const json& mesh) {
  return {mesh.at("assumed_shape").at(0), mesh.at("assumed_shape").at(1)};
}

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
double seconds(const Machine& machine, const AirfoilMesh& mesh, int ranks, bool overlap = true) {
  return iteration(machine, mesh, ranks, overlap).total_s;
}

/// PCIe, MPI messages and reductions that are not hidden, of the total.
double exposed_share(const Machine& machine, const AirfoilMesh& mesh, int ranks) {
  const Prediction one = iteration(machine, mesh, ranks, true);
  double exposed = 0;
  for (const Term& term : one.terms)
    if (!term.name.starts_with("compute.")) exposed += term.seconds;
  return exposed / one.total_s;
}

void add_table_1(const json& paper, Reproduction& result) {
  const json& figure = paper.at("figure_2");
  const auto owners = [](const json& names) {
    std::vector<int> ranks;
    for (const json& name : names) ranks.push_back(name == "X" ? 0 : 1);
    return ranks;
  };
  const std::vector<ElementMap> maps = {
      {1, 0, figure.at("cell_map").get<std::vector<std::vector<int>>>()}};
  for (const char* rank : {"X", "Y"}) {
    const std::vector<HaloLists> lists =
        op2_halos({owners(figure.at("node_owners")), owners(figure.at("cell_owners"))}, maps,
                  rank[0] == 'X' ? 0 : 1);
    double published = 0, agreeing = 0;
    std::string note;
    for (const int set : {0, 1}) {
      const json& row = paper.at("table_1").at(rank).at(set == 0 ? "nodes" : "cells");
      const auto compare = [&](const char* name, const std::vector<int>& computed) {
        const std::string correction = fmt::format("{}_corrected", name);
        const bool corrected = row.contains(correction);
        const std::vector<int> printed = corrected ? row.at(correction) : row.at(name);
        if (corrected)
          note = fmt::format("cells, {}: {}", name, row.at("comment").get<std::string>());
        published += 1;
        agreeing += printed == computed;
      };
      compare("core", lists[set].core);
      compare("ieh", lists[set].ieh);
      compare("eeh", lists[set].eeh);
      compare("inh", lists[set].inh);
      compare("enh", lists[set].enh);
    }
    result.numbers.push_back({fmt::format("Table 1, rank {}, lists that agree", rank), published,
                              agreeing, "lists", 0., note});
  }
}

void add_table_3(const json& paper, Reproduction& result) {
  const json& table = paper.at("table_3");
  const AirfoilMesh mesh = mesh_of(paper.at("meshes").at("1.5M"));
  const double iterations = paper.at("iterations").at("value");
  const double largest_error = paper.at("section_4").at("model_accuracy").at("largest_error");
  for (const json& row : table.at("clusters")) {
    const Machine machine = find_machine(row.at("machine"));
    const bool fitted = row.at("fitted");
    result.numbers.push_back(
        {fmt::format("Table 3, {}, {} {}", row.at("system").get<std::string>(),
                     row.at("ranks").get<int>(), row.at("unit").get<std::string>()),
         row.at("seconds"), iterations * seconds(machine, mesh, row.at("ranks")), "s",
         fitted ? std::nullopt : std::optional(largest_error),
         fitted ? "the loops' one rate is fitted to this row"
                : "tolerance: Section 4 claims an accuracy above 90 % for most runs"});
  }
  for (const json& row : table.at("single_nodes"))
    result.numbers.push_back({fmt::format("Table 3, {}", row.at("system").get<std::string>()),
                              row.at("seconds"),
                              {},
                              "s",
                              {},
                              "measured on one node; the paper gives no cost per loop for it"});
}

void add_section_3(const json& paper, Reproduction& result) {
  const json& section = paper.at("section_3");
  const AirfoilMesh mesh = mesh_of(paper.at("meshes").at("1.5M"));
  const Machine hector = find_machine("hector");
  int best = 0;
  double least = 0, gain = 0;
  for (const int cores : section.at("best_hector_cores").at("candidates")) {
    const double overlapping = seconds(hector, mesh, cores);
    gain = std::max(gain, 1 - overlapping / seconds(hector, mesh, cores, false));
    if (best != 0 && overlapping >= least) continue;
    best = cores;
    least = overlapping;
  }
  result.numbers.push_back({"Section 3, HECToR cores of the best run time, 1.5M edges",
                            section.at("best_hector_cores").at("value"),
                            best,
                            "cores",
                            {},
                            "of up to 1920 cores; the paper blames its partitions' large ieh at "
                            "scale, whose sizes it does not print; a bisection's are small"});
  result.numbers.push_back({"Section 3, most gained by overlapping on HECToR",
                            100 * section.at("overlap_gain").at("value").get<double>(),
                            100 * gain,
                            "%",
                            {},
                            "up to 1920 cores, with assumed L, B, L_onchip"});
}

/// The least number of GPUs that takes no longer than `limit_s`.
int gpus_within(const Machine& gpus, const AirfoilMesh& mesh, double limit_s) {
  int number = 1;
  while (seconds(gpus, mesh, number) > limit_s) ++number;
  return number;
}

void add_section_4(const json& paper, Reproduction& result) {
  const json& section = paper.at("section_4");
  const AirfoilMesh mesh = mesh_of(paper.at("meshes").at("26M"));
  const Machine gpus = find_machine("c2070-cluster");
  const json& equal = section.at("equivalence");
  const int hector_cores = equal.at("hector_cores"), cx1_cores = equal.at("cx1_cores");
  const double hector = seconds(find_machine("hector"), mesh, hector_cores);
  const double cx1 = seconds(find_machine("cx1"), mesh, cx1_cores);
  const std::string why =
      "needs the GPU's cost per loop at a 36th of the mesh, which was measured and not printed; "
      "here it is that of 720000 cells, and 2592 HECToR or 2010 CX1 cores equal 36 C2070 already "
      "by Table 3";
  for (const auto& [name, limit_s] : {std::pair{fmt::format("{} HECToR", hector_cores), hector},
                                      std::pair{fmt::format("{} CX1", cx1_cores), cx1}})
    result.numbers.push_back({fmt::format("Section 4, C2070s equal to {} cores, 26M edges", name),
                              equal.at("gpus"),
                              gpus_within(gpus, mesh, limit_s),
                              "GPUs",
                              {},
                              why});
  result.numbers.push_back({fmt::format("Section 4, time of {} HECToR over {} CX1 cores, 26M edges",
                                        hector_cores, cx1_cores),
                            1,
                            hector / cx1,
                            "",
                            {},
                            "both are said to equal 36 C2070"});

  // Where doubling the GPUs saves less than half of what it would ideally, a quarter of the time.
  int plateau = 1;
  while (seconds(gpus, mesh, 2 * plateau) < 0.75 * seconds(gpus, mesh, plateau)) plateau *= 2;
  result.numbers.push_back(
      {"Section 4, C2070s from which doubling them no longer pays, 26M edges",
       section.at("plateau_gpus").at("value"),
       plateau,
       "GPUs",
       {},
       "no longer pays: saves less than a quarter of the time, of powers of two; the paper finds "
       "too little parallelism in small partitions, which its unprinted loop times show and one "
       "constant rate with assumed launches cannot"});

  const int published_gpus = section.at("overheads").at("gpus");
  const double share = section.at("overheads").at("share");
  const double exposed = exposed_share(gpus, mesh, published_gpus);
  result.numbers.push_back(
      {fmt::format("Section 4, exposed PCIe and MPI time at {} C2070s, at most", published_gpus),
       100 * share,
       100 * exposed,
       "%",
       {},
       exposed <= share ? "a bound, and held" : "a bound, and exceeded"});
  int most = published_gpus;
  constexpr int step = 16;
  while (exposed_share(gpus, mesh, most) > share && most > step) most -= step;
  while (exposed_share(gpus, mesh, most + step) <= share) most += step;
  result.numbers.push_back({"Section 4, C2070s up to which it stays below that bound",
                            static_cast<double>(published_gpus),
                            most,
                            "GPUs",
                            {},
                            "in steps of 16; with assumed loops and InfiniBand"});
}

}  // namespace

Reproduction reproduce_mudalige2011() {
  const json& paper = published("mudalige2011");
  Reproduction result{
      .paper = paper.at("paper"),
      .title = paper.at("title"),
      .statements = {"Eq. 1-7 in the paper's form, overlapping unless said otherwise",
                     "the paper prints no cost per loop: one rate of bytes per second for "
                     "all five loops is fitted to one row of Table 3 per machine (72 HECToR "
                     "cores, 36 CX1 cores, 1 C2070); all else follows from it",
                     "the paper prints no L, B, L_onchip: assumed in the machine files, "
                     "with their reasons; C = 12 and the PCIe numbers are the paper's",
                     "halo sizes: the paper prints none; counted in recursive bisections of "
                     "C-meshes of three blocks of 400 x 600 (1.5M edges) and 1700 x 2550 cells "
                     "(26M edges), where the paper used PTScotch",
                     "GPU: one copy per data array and direction; launches of 7 us, 6 and 2 "
                     "colours assumed"},
      .numbers = {}};
  add_table_1(paper, result);
  add_table_3(paper, result);
  add_section_3(paper, result);
  add_section_4(paper, result);
  return result;
}

}  // namespace bellwether
