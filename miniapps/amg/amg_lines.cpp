// SPDX-License-Identifier: MIT
#include "miniapps/amg/amg_lines.hpp"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <optional>

#include "models/amg/amg_hierarchy.hpp"
#include "results/statistics.hpp"

namespace bellwether {
namespace {

AmgHierarchy hierarchy_of(const Record& record) {
  const nlohmann::json document = {{"hierarchies", {record.result.at("hierarchy")}}};
  return parse_hierarchies(document, "result").front();
}

double nonzeros(const AmgLevel& level, const AmgOperator& one) {
  return one.total_nonzeros > 0 ? one.total_nonzeros : level.unknowns * one.nonzeros_per_row;
}

/// A sum over all levels, as a multiple of the finest one's.
template <class Count>
double complexity(const AmgHierarchy& hierarchy, const Count& count) {
  double sum = 0;
  for (const AmgLevel& level : hierarchy.levels) sum += count(level);
  return sum / count(hierarchy.levels.front());
}

std::string message_heading() {
  return fmt::format(" {:>12} {:>9} {:>9}", "neighbours", "messages", "bytes");
}

std::string message_columns(const AmgLevel& level, const AmgOperator& one) {
  constexpr double bytes_of_element = 8;
  return fmt::format(" {:12.0f} {:9.0f} {:9.0f}", one.max_sends,
                     one.average_sends * level.active_processes,
                     bytes_of_element * one.max_elements);
}

/// A level's matrix.
std::string matrix_lines(const AmgHierarchy& hierarchy, bool messages) {
  std::string text = fmt::format("{:>5} {:>11} {:>12} {:>8} {:>6}{}\n", "level", "rows", "nonzeros",
                                 "per row", "ranks", messages ? message_heading() : "");
  for (std::size_t i = 0; i < hierarchy.levels.size(); ++i) {
    const AmgLevel& level = hierarchy.levels[i];
    text +=
        fmt::format("{:5} {:11.0f} {:12.0f} {:8.1f} {:6.0f}{}\n", i, level.unknowns,
                    nonzeros(level, level.solve), level.solve.nonzeros_per_row,
                    level.active_processes, messages ? message_columns(level, level.solve) : "");
  }
  return text;
}

/// The interpolation to a level, P, and its transpose.
std::string interpolation_lines(const AmgHierarchy& hierarchy, bool messages) {
  std::string text = fmt::format("\n{:>26}", "P from the next level");
  if (messages) text += fmt::format("{:>33}{:>33}", "to multiply by P", "by its transpose");
  text += fmt::format("\n{:>5} {:>11} {:>8}{}\n", "level", "nonzeros", "per row",
                      messages ? message_heading() + message_heading() : "");
  for (std::size_t i = 0; i + 1 < hierarchy.levels.size(); ++i) {
    const AmgLevel& level = hierarchy.levels[i];
    const AmgOperator& p = level.interpolation;
    text += fmt::format("{:5} {:11.0f} {:8.1f}{}{}\n", i, nonzeros(level, p), p.nonzeros_per_row,
                        messages ? message_columns(level, p) : "",
                        messages ? message_columns(level, level.restriction.value_or(p)) : "");
  }
  return text;
}

struct Operation {
  const char* key;
  const char* heading;
};
constexpr std::array<Operation, 5> operations{{{"relax", "relax"},
                                               {"residual", "residual"},
                                               {"restrict", "restrict"},
                                               {"interpolate", "interpolate"},
                                               {"coarse_solve", "coarse solve"}}};

struct Work {
  double compute = 0, network = 0;
};
using LevelWork = std::array<std::optional<Work>, operations.size()>;

LevelWork work_of(const nlohmann::json& level) {
  LevelWork work;
  for (std::size_t i = 0; i < operations.size(); ++i)
    if (const auto found = level.find(operations[i].key); found != level.end())
      work[i] = Work{found->at("compute"), found->at("network")};
  return work;
}

double seconds_of(const LevelWork& level) {
  double sum = 0;
  for (const std::optional<Work>& work : level)
    if (work) sum += work->compute + work->network;
  return sum;
}

std::string work_line(const std::string& label, const LevelWork& level, const TimeUnit& unit) {
  std::string text = fmt::format("{:>5}", label);
  for (const std::optional<Work>& work : level)
    text += work ? fmt::format(" {:8.3f} {:7.3f}", work->compute * unit.per_second,
                               work->network * unit.per_second)
                 : fmt::format(" {:>8} {:>7}", "", "");
  return text + fmt::format(" {:9.3f}\n", seconds_of(level) * unit.per_second);
}

}  // namespace

std::string amg_hierarchy_lines(const Record& record, bool details) {
  const AmgHierarchy hierarchy = hierarchy_of(record);
  const bool messages = hierarchy.processes > 1;
  return fmt::format("\noperator complexity {:.3f}, grid complexity {:.3f}{}\n",
                     complexity(hierarchy,
                                [](const AmgLevel& level) { return nonzeros(level, level.solve); }),
                     complexity(hierarchy, [](const AmgLevel& level) { return level.unknowns; }),
                     messages ? "; to multiply: messages of all ranks, neighbours and bytes of the "
                                "busiest"
                              : "") +
         matrix_lines(hierarchy, messages) +
         (details ? interpolation_lines(hierarchy, messages) : "");
}

std::string amg_level_lines(const Record& record) {
  if (!record.verification.passed) return "";
  std::vector<LevelWork> levels;
  for (const nlohmann::json& level : record.result.at("levels")) levels.push_back(work_of(level));
  LevelWork all;
  for (const LevelWork& level : levels)
    for (std::size_t i = 0; i < level.size(); ++i) {
      if (!level[i]) continue;
      if (!all[i]) all[i].emplace();
      all[i]->compute += level[i]->compute;
      all[i]->network += level[i]->network;
    }
  const TimeUnit unit = time_unit(seconds_of(all));
  std::string text = fmt::format("\n{:>5}", unit.name), second = fmt::format("{:>5}", "level");
  for (const Operation& operation : operations) {
    text += fmt::format(" {:>16}", operation.heading);
    second += fmt::format(" {:>8} {:>7}", "compute", "network");
  }
  text += "\n" + second + fmt::format(" {:>9}\n", "total");
  for (std::size_t i = 0; i < levels.size(); ++i)
    text += work_line(fmt::format("{}", i), levels[i], unit);
  return text + work_line("all", all, unit);
}

std::string amg_prediction_lines(const Record& record) {
  const auto predicted = record.result.find("levels_predicted");
  if (!record.verification.passed || predicted == record.result.end()) return "";
  const nlohmann::json& measured = record.result.at("levels");
  const auto sums = [](const nlohmann::json& level) {
    Work sum;
    for (const std::optional<Work>& work : work_of(level))
      if (work) {
        sum.compute += work->compute;
        sum.network += work->network;
      }
    return sum;
  };
  double total = 0;
  for (const nlohmann::json& level : measured) total += seconds_of(work_of(level));
  const TimeUnit unit = time_unit(total);
  const auto columns = [&unit](double expected, double found) {
    return fmt::format("  {:9.3f} {:9.3f} {:>7}", expected * unit.per_second,
                       found * unit.per_second,
                       found > 0 ? fmt::format("{:+.0f} %", 100 * (expected / found - 1)) : "");
  };
  std::string text = fmt::format("\n{:>5}  {:>27}  {:>27}  {:>27}  {:>8}\nlevel", unit.name,
                                 "compute", "network", "both", "of cycle");
  for (int n = 0; n < 3; ++n)
    text += fmt::format("  {:>9} {:>9} {:>7}", "predicted", "measured", "error");
  for (std::size_t i = 0; i < measured.size(); ++i) {
    const Work expected = sums(predicted->at(i)), found = sums(measured[i]);
    const double all = found.compute + found.network;
    text += fmt::format("\n{:5}", i) + columns(expected.compute, found.compute) +
            columns(expected.network, found.network) +
            columns(expected.compute + expected.network, all) +
            fmt::format("  {:6.1f} %", 100 * all / total);
  }
  return text + "\n";
}

std::string amg_overlap_line(const Record& record) {
  if (record.ranks == 1) return "";
  if (record.variant.at("overlap") == "off")
    return "overlap off: every exchange is waited for before anything is computed\n";
  const std::string relax = record.variant.at("relax");
  return fmt::format(
      "overlap on: products{} compute with a rank's own values while others' travel{}\n",
      relax.ends_with("gauss-seidel") ? "" : " and relaxation",
      relax.ends_with("gauss-seidel") ? "; Gauss-Seidel waits for them first" : "");
}

std::string amg_solve_lines(const Record& record) {
  if (!record.verification.passed) return "";
  const nlohmann::json& result = record.result;
  const long cycles = result.at("cycles");
  std::string text = fmt::format(
      "\nsolved in {} {}{}: residual {:.2e}, by a factor of {:.3f} each{}\n", cycles,
      record.variant.at("solver") == "pcg" ? "iteration" : "cycle", cycles == 1 ? "" : "s",
      result.at("residual").get<double>(), result.at("convergence_factor").get<double>(),
      result.contains("error")
          ? fmt::format("; error of the solution {:.2e}", result.at("error").get<double>())
          : "");
  if (const auto merit = result.find("figure_of_merit"); merit != result.end())
    text += fmt::format(
        "figure of merit {:.3e}: {:.4g} entries of all levels / (setup {:.3g} s + 3 x solve {:.3g} "
        "s), as AMG2023's problem 2 has it\n",
        merit->at("value").get<double>(), merit->at("nonzeros").get<double>(),
        merit->at("setup_s").get<double>(), merit->at("solve_s").get<double>());
  return text;
}

}  // namespace bellwether
