// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "models/amg/amg_cycle.hpp"
#include "models/amg/amg_extrapolation.hpp"
#include "models/amg/amg_run.hpp"
#include "results/reproduce/papers.hpp"

namespace bellwether {
namespace {

// The suite's own demands: on what the paper lets compute, and where hierarchies are extrapolated.
constexpr double gahvari_tolerance = 0.01;
constexpr double gahvari_extrapolated_tolerance = 0.04;

/// One published mix: ranks on a node, threads on a core, and what the paper says of its cycle.
struct Cycle {
  std::string table;
  int nodes;
  int cores_per_node;
  int ranks_per_node;
  int threads_per_core;
  double modelled_ms;
  double actual_ms;

  [[nodiscard]] std::string item() const {
    return fmt::format("Table {}, {} MPI, {} SMT", table, ranks_per_node, threads_per_core);
  }
  [[nodiscard]] AmgPlacement placement() const {
    return {.nodes = nodes,
            .processes = nodes * ranks_per_node,
            .ranks_per_node = ranks_per_node,
            .threads_per_rank = cores_per_node * threads_per_core / ranks_per_node};
  }
};

std::vector<Cycle> published_cycles(const nlohmann::json& paper) {
  std::vector<Cycle> cycles;
  for (const nlohmann::json& table : paper.at("cycle_times")) {
    const int nodes = table.at("nodes");
    for (const nlohmann::json& row : table.at("rows"))
      for (int column = 0; column < 4; ++column)
        if (!row.at("modelled_ms").at(column).is_null())
          cycles.push_back({table.at("table"), nodes, table.at("cores").get<int>() / nodes,
                            row.at("ranks_per_node"), column + 1, row.at("modelled_ms").at(column),
                            row.at("actual_ms").at(column)});
  }
  return cycles;
}

class Paper {
 public:
  Paper(const nlohmann::json& document, const Machine& machine)
      : machine_(machine), family_(published_hierarchies()), cycles_(published_cycles(document)) {
    points_per_core_ = 1;
    for (const nlohmann::json& points : document.at("points_per_core"))
      points_per_core_ *= points.get<double>();
  }

  [[nodiscard]] const std::vector<Cycle>& cycles() const { return cycles_; }

  [[nodiscard]] bool hierarchy_known(const Cycle& cycle) const {
    const AmgHierarchy hierarchy = hierarchy_of(cycle);
    return std::any_of(family_.known().begin(), family_.known().end(),
                       [&hierarchy](const AmgHierarchy& one) {
                         return one.processes == hierarchy.processes &&
                                one.levels[0].unknowns == hierarchy.levels[0].unknowns;
                       });
  }

  [[nodiscard]] double milliseconds(const Cycle& cycle, const char* form) const {
    return 1e3 * prediction(cycle, form).total_s;
  }

  /// Of a cycle's milliseconds those of messages, by the refined form.
  [[nodiscard]] double in_messages(const Cycle& cycle) const {
    double sum = 0;
    for (const Term& term : prediction(cycle, "refined").terms)
      if (term.name.starts_with("network")) sum += 1e3 * term.seconds;
    return sum;
  }

  /// Milliseconds of each level of a cycle but the coarsest, which Figures 5 and 6 leave out.
  [[nodiscard]] std::vector<double> levels(const Cycle& cycle, bool refined) const {
    const AmgHierarchy hierarchy = hierarchy_of(cycle);
    const AmgCosts costs(machine_, cycle.placement(), refined, Bound::value, nullptr);
    const AmgStep step = refined ? amg_cycle_refined(hierarchy, cycle.placement(), costs)
                                 : amg_cycle_paper(hierarchy, cycle.placement(), costs);
    std::vector<double> milliseconds(hierarchy.levels.size());
    for (const AmgStepOperation& one : step.operations)
      milliseconds[one.paper_level()] += 1e3 * one.total_s();
    milliseconds.pop_back();
    return milliseconds;
  }

  /// Mean distance of a form's times from the measured ones, over the mixes that `chosen` takes.
  template <class Chosen>
  [[nodiscard]] double mean_distance(const char* form, Chosen chosen) const {
    double sum = 0;
    int count = 0;
    for (const Cycle& cycle : cycles_)
      if (chosen(cycle)) {
        sum += std::abs(milliseconds(cycle, form) / cycle.actual_ms - 1);
        ++count;
      }
    return sum / count;
  }

  /// The mix of a table with the least time.
  template <class Time>
  [[nodiscard]] const Cycle& best(const std::string& table, Time time) const {
    const Cycle* found = nullptr;
    for (const Cycle& cycle : cycles_)
      if (cycle.table == table && (found == nullptr || time(cycle) < time(*found))) found = &cycle;
    return *found;
  }

 private:
  [[nodiscard]] Prediction prediction(const Cycle& cycle, const char* form) const {
    return predict_amg_run(machine_, hierarchy_of(cycle), cycle.placement(), {}, form, false);
  }
  [[nodiscard]] AmgHierarchy hierarchy_of(const Cycle& cycle) const {
    return family_.at(points_per_core_ * cycle.nodes * cycle.cores_per_node,
                      cycle.placement().processes);
  }

  const Machine& machine_;
  AmgFamily family_;
  std::vector<Cycle> cycles_;
  double points_per_core_ = 0;
};

constexpr const char* extrapolated = "hierarchy not published: extrapolated from Table VIII";
constexpr const char* cycle_tables[] = {"V", "VI", "VII"};

void add_modelled(const Paper& paper, std::vector<ReproducedNumber>& numbers) {
  for (const Cycle& cycle : paper.cycles()) {
    ReproducedNumber number{Evidence::model_value,
                            cycle.item() + ", modelled",
                            cycle.modelled_ms,
                            paper.milliseconds(cycle, "paper"),
                            "ms",
                            gahvari_extrapolated_tolerance,
                            extrapolated};
    if (paper.hierarchy_known(cycle)) {
      number.tolerance = gahvari_tolerance;
      number.note = "hierarchy of the 4 SMT column: it depends on ranks, not on threads";
      if (cycle.threads_per_core == 4) {
        number.evidence = Evidence::fitted;
        number.note = "what the paper leaves open was chosen by it: P, m and h";
      }
    }
    numbers.push_back(number);
  }
}

std::string mix(const Cycle& cycle) {
  return fmt::format("{} MPI, {} SMT", cycle.ranks_per_node, cycle.threads_per_core);
}

std::string listed(const std::vector<double>& values) {
  std::vector<std::string> words;
  for (const double value : values) words.push_back(fmt::format("{:.3g}", value));
  return fmt::format("{}", fmt::join(words, ", "));
}

/// Figures 5 and 6 print no numbers: what the model gives, level by level, on 8192 cores.
void add_levels(const Paper& paper, std::vector<std::string>& statements) {
  const auto say = [&](const char* figure, const Cycle& cycle) {
    statements.push_back(fmt::format(
        "{} (computed), 8192 cores, {}, ms by level, the finest first: paper form {}; refined {}",
        figure, mix(cycle), listed(paper.levels(cycle, false)), listed(paper.levels(cycle, true))));
  };
  for (const Cycle& cycle : paper.cycles())
    if (cycle.table == "VII" && cycle.ranks_per_node > 1 && cycle.threads_per_core == 4 &&
        paper.hierarchy_known(cycle))
      say("Figure 5", cycle);
  for (const Cycle& cycle : paper.cycles())
    if (cycle.table == "VII" && cycle.ranks_per_node == 1) say("Figures 5 and 6", cycle);
}

/// What Section V.C sees in Figure 6: one rank per node, with 16 to 64 threads.
void add_figure_6(const Paper& paper, std::vector<ReproducedTrend>& trends) {
  constexpr std::size_t coarse = 5;  // from 18132 unknowns of 512 million on
  for (const bool refined : {false, true}) {
    bool finer_faster = true, coarser_slower = true;
    std::string fine_text, coarse_text;
    for (const char* table : cycle_tables) {
      std::vector<double> fine, rest;
      for (const Cycle& cycle : paper.cycles()) {
        if (cycle.table != table || cycle.ranks_per_node != 1) continue;
        const std::vector<double> levels = paper.levels(cycle, refined);
        fine.push_back(levels.front());
        rest.push_back(std::accumulate(
            levels.begin() + static_cast<long>(std::min(coarse, levels.size())), levels.end(), 0.));
      }
      finer_faster &= fine.back() < fine.front();
      coarser_slower &= rest.back() > rest.front();
      fine_text += fmt::format("{}{}", fine_text.empty() ? "" : "; ", listed(fine));
      coarse_text += fmt::format("{}{}", coarse_text.empty() ? "" : "; ", listed(rest));
    }
    const char* form = refined ? "refined" : "paper";
    constexpr const char* unit = "ms with 16, 32, 48, 64 threads on 128; 1024; 8192 cores";
    trends.push_back({fmt::format("Figure 6, more threads, finest level faster, {} form", form),
                      finer_faster, fmt::format("{} {}", fine_text, unit)});
    trends.push_back({fmt::format("Figure 6, more threads, coarse levels slower, {} form", form),
                      coarser_slower, fmt::format("{} {}", coarse_text, unit)});
  }
}

void add_trends(const Paper& paper, std::vector<ReproducedTrend>& trends) {
  for (const char* form : {"paper", "refined"}) {
    bool same = true;
    std::string text;
    for (const char* table : cycle_tables) {
      const Cycle& measured = paper.best(table, [](const Cycle& one) { return one.actual_ms; });
      const Cycle& best =
          paper.best(table, [&](const Cycle& one) { return paper.milliseconds(one, form); });
      same &= &best == &measured;
      text += fmt::format("{}{:.1f} ms, best {:.1f} with {}", text.empty() ? "" : "; ",
                          paper.milliseconds(measured, form), paper.milliseconds(best, form),
                          mix(best));
    }
    trends.push_back(
        {fmt::format("Section V.C, 32 MPI, 2 SMT is the best, {} form", form), same, text});
  }
  bool same = true;
  std::string text;
  for (const char* table : cycle_tables) {
    const Cycle& published = paper.best(table, [](const Cycle& one) { return one.modelled_ms; });
    const Cycle& best =
        paper.best(table, [&](const Cycle& one) { return paper.milliseconds(one, "paper"); });
    same &= &best == &published;
    text += fmt::format("{}{}, printed {}", text.empty() ? "" : "; ", mix(best), mix(published));
  }
  trends.push_back({"Tables V to VII, the best modelled mix", same, text});
  bool third = true;
  std::string others;
  for (const Cycle& cycle : paper.cycles()) {
    if (cycle.threads_per_core != 3 || cycle.ranks_per_node < 4) continue;
    const Cycle* best = &cycle;
    for (const Cycle& one : paper.cycles())
      if (one.table == cycle.table && one.ranks_per_node == cycle.ranks_per_node &&
          paper.milliseconds(one, "paper") < paper.milliseconds(*best, "paper"))
        best = &one;
    third &= best == &cycle;
    if (best != &cycle)
      others +=
          fmt::format("{}{} of Table {}", others.empty() ? "" : ", ", mix(*best), best->table);
  }
  trends.push_back({"Section V.C, from 4 MPI on 3 SMT is the best, paper form", third,
                    third ? "with 4, 8 and 16 MPI" : "faster: " + others});
  add_figure_6(paper, trends);
}

void add_actual(const Paper& paper, std::vector<ReproducedNumber>& numbers) {
  for (const Cycle& cycle : paper.cycles())
    numbers.push_back({Evidence::fitted, cycle.item() + ", actual", cycle.actual_ms,
                       paper.milliseconds(cycle, "refined"), "ms", measured_tolerance,
                       fmt::format("refined form (paper's model {:+.1f} %)",
                                   100 * (cycle.modelled_ms / cycle.actual_ms - 1))});
}

/// Section V.C's trace: what the slowest process spent in MPI.
void add_trace(const Paper& paper, const nlohmann::json& trace,
               std::vector<ReproducedNumber>& numbers) {
  for (const nlohmann::json& row : trace.at("rows"))
    for (const Cycle& cycle : paper.cycles())
      if (cycle.table == trace.at("table").get<std::string>() && cycle.threads_per_core == 4 &&
          cycle.ranks_per_node == row.at("ranks_per_node"))
        numbers.push_back(
            {Evidence::measurement,
             fmt::format("Section V.C, {} on {} cores, in MPI", mix(cycle),
                         cycle.nodes * cycle.cores_per_node),
             row.at("mpi_ms"), paper.in_messages(cycle), "ms", measured_tolerance,
             fmt::format("{} ms of it in MPI_Waitall", row.at("waitall_ms").get<double>())});
}

std::string distance_statement(const Paper& paper) {
  const auto all = [](const Cycle&) { return true; };
  const auto enough_ranks = [](const Cycle& cycle) {
    return 8 * cycle.ranks_per_node >= cycle.cores_per_node * cycle.threads_per_core;
  };
  return fmt::format(
      "mean distance from the measured times of Tables V to VII: paper form {:.1f} %, refined form "
      "{:.1f} %; where a rank has at most 8 threads {:.1f} % and {:.1f} %",
      100 * paper.mean_distance("paper", all), 100 * paper.mean_distance("refined", all),
      100 * paper.mean_distance("paper", enough_ranks),
      100 * paper.mean_distance("refined", enough_ranks));
}

}  // namespace

Reproduction reproduce_gahvari2012(const PaperMachines& machines) {
  const nlohmann::json& document = published("gahvari2012");
  const Paper paper(document, machines.at("grotius"));
  Reproduction result = reproduction_of(document);
  result.statements.push_back(distance_statement(paper));
  add_levels(paper, result.statements);
  add_modelled(paper, result.numbers);
  add_actual(paper, result.numbers);
  add_trace(paper, document.at("mpi_trace"), result.numbers);
  note_known_misses(document, result.numbers);
  add_trends(paper, result.trends);
  return result;
}

}  // namespace bellwether
