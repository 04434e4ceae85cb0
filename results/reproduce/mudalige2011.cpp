// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "models/airfoil/op2_halos.hpp"
#include "results/reproduce/mudalige2011_section_4.hpp"
#include "results/reproduce/papers.hpp"

namespace bellwether {
namespace {

using nlohmann::json;

constexpr double fitted_tolerance = 0.002;  // the machine files' costs have four digits

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
    result.numbers.push_back({Evidence::restatement,
                              fmt::format("Table 1, rank {}, lists that agree", rank), published,
                              agreeing, "lists", 0., note});
  }
}

/// Table 3's clusters, and beside the model what linear scaling from the fitted row gives.
void add_table_3(const json& paper, const PaperMachines& machines, Reproduction& result) {
  const json& table = paper.at("table_3");
  const AirfoilMesh mesh = mudalige_mesh(paper.at("meshes").at("1.5M"));
  const double iterations = paper.at("iterations").at("value");
  struct Distance {
    double model = 0, linear = 0;
    int rows = 0;
  };
  std::map<std::string, Distance> distances;
  double core_seconds = 0;  // of the fitted row, which comes first
  for (const json& row : table.at("clusters")) {
    const Machine& machine = machines.at(row.at("machine"));
    const bool fitted = row.at("fitted");
    const int ranks = row.at("ranks");
    const double published = row.at("seconds");
    if (fitted) core_seconds = published * ranks;
    const double linear = core_seconds / ranks / published - 1;
    ReproducedNumber number{
        fitted ? Evidence::fitted : Evidence::measurement,
        fmt::format("Table 3, {}, {} {}", row.at("system").get<std::string>(), ranks,
                    row.at("unit").get<std::string>()),
        published,
        iterations * mudalige_seconds(machine, mesh, ranks),
        "s",
        fitted ? fitted_tolerance : measured_tolerance,
        fitted ? "fitted to this row: machine file and model belong together, no more"
               : fmt::format("held out; linear scaling from the fitted row {:.4g} s, {:+.2f} %",
                             core_seconds / ranks, 100 * linear)};
    if (!fitted) {
      Distance& distance = distances[row.at("system")];
      distance.model += std::abs(*number.error());
      distance.linear += std::abs(linear);
      ++distance.rows;
    }
    result.numbers.push_back(number);
  }
  for (const auto& [system, distance] : distances)
    result.trends.push_back(
        {fmt::format("Table 3, {}: nearer than linear scaling from the fitted row", system),
         distance.model < distance.linear,
         fmt::format("{:.1f} % on the average, linear scaling {:.1f} %",
                     100 * distance.model / distance.rows, 100 * distance.linear / distance.rows)});
  for (const json& row : table.at("single_nodes"))
    result.numbers.push_back({Evidence::measurement,
                              fmt::format("Table 3, {}", row.at("system").get<std::string>()),
                              row.at("seconds"), std::nullopt, "s", std::nullopt,
                              "measured on one node; the paper gives no cost per loop for it"});
}

void add_section_3(const json& paper, const Machine& hector, Reproduction& result) {
  const json& section = paper.at("section_3");
  const AirfoilMesh mesh = mudalige_mesh(paper.at("meshes").at("1.5M"));
  int best = 0;
  double least = 0, gain = 0;
  for (const int cores : section.at("best_hector_cores").at("candidates")) {
    const double overlapping = mudalige_seconds(hector, mesh, cores);
    gain = std::max(gain, 1 - overlapping / mudalige_seconds(hector, mesh, cores, false));
    if (best != 0 && overlapping >= least) continue;
    best = cores;
    least = overlapping;
  }
  result.numbers.push_back({Evidence::measurement,
                            "Section 3, HECToR cores of the best run time, 1.5M edges",
                            section.at("best_hector_cores").at("value"), best, "cores",
                            measured_tolerance, "of up to 1920 cores"});
  result.numbers.push_back(
      {Evidence::measurement, "Section 3, most gained by overlapping on HECToR",
       100 * section.at("overlap_gain").at("value").get<double>(), 100 * gain, "%",
       measured_tolerance, "up to 1920 cores, with assumed L, B, L_onchip"});
}

}  // namespace

Reproduction reproduce_mudalige2011(const PaperMachines& machines) {
  const json& paper = published("mudalige2011");
  Reproduction result = reproduction_of(paper);
  add_table_1(paper, result);
  add_table_3(paper, machines, result);
  add_section_3(paper, machines.at("hector"), result);
  add_mudalige_section_4(paper, machines, result);
  note_known_misses(paper, result.numbers);
  return result;
}

}  // namespace bellwether
