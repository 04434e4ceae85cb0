// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "models/amg/amg_curve.hpp"
#include "models/hpl/hpl_refined.hpp"
#include "models/machine/device_classes.hpp"
#include "models/machine/machine_json.hpp"
#include "models/median.hpp"
#include "models/scaling/extrapolation.hpp"
#include "models/stencil/stencil_refined.hpp"
#include "results/reproduce/papers.hpp"

namespace bellwether {
namespace {

using nlohmann::json;
using Numbers = std::vector<ReproducedNumber>;

using Interval = std::array<double, 2>;

ReproducedNumber measured(const std::string& item, double published, double computed,
                          const char* unit, const Interval& interval,
                          const std::string& note = {}) {
  ReproducedNumber number{Evidence::measurement, item, published, computed, unit,
                          std::nullopt,          note};
  number.interval = interval;
  return number;
}

/// A rate, of so much work a step: its interval's ends are those of the time, the other way round.
ReproducedNumber rate(const std::string& item, double published, const char* unit, double work,
                      const Prediction& step, const std::string& note = {}) {
  return measured(item, published, work / step.total_s, unit,
                  {work / step.high_s, work / step.low_s}, note);
}

ReproducedNumber milliseconds(const std::string& item, double published, const Prediction& step) {
  return measured(item, published, 1e3 * step.total_s, "ms", {1e3 * step.low_s, 1e3 * step.high_s});
}

/// What a user would write of a row's devices from their data sheet.
Machine data_sheet_machine(const json& row, const json& lbm) {
  const int count = row.value("count", 1);
  const double peak = 1e12 * row.at("peak").get<double>();
  json machine = {
      {"schema", machine_schema},
      {"name", row.at("device")},
      {"source", lbm.at("source")},
      {"layout",
       {{"ranks", count}, {"ranks_per_node", count}, {"cores_per_node", row.value("cores", 0)}}},
      {"device",
       {{"name", row.at("vendor").get<std::string>() + " " + row.at("device").get<std::string>()},
        {"kind", row.at("kind")},
        {"peak_flops_per_s", {{"f32", peak}}},
        {"memory_bandwidth_bytes_per_s", 1e9 * row.at("bandwidth").get<double>()}}},
      {"links", json::object()}};
  const auto link = [](double bytes_per_s, double latency_s) {
    return json{{"latency_s", latency_s}, {"bandwidth_bytes_per_s", bytes_per_s}};
  };
  if (count > 1) {
    const double host = 1e9 * row.at("host_link").get<double>();
    constexpr double copy_s = 5e-6, message_s = 1e-6;
    machine["links"] = {
        {"host_to_device", link(host, copy_s)},
        {"device_to_host", link(host, copy_s)},
        {"shared_memory", link(1e9 * lbm.at("shared_memory_gb_s").get<double>(), message_s)}};
  }
  return parse_machine(machine, "outside.json");
}

Numbers lattice_boltzmann_rates(const json& lbm, const char* table) {
  const int side = lbm.at("cells_of_device");
  Numbers numbers;
  for (const json& row : lbm.at(table)) {
    const Machine machine = data_sheet_machine(row, lbm);
    const int count = machine.layout.ranks;
    const std::array<int, 3> parts = least_surface(count, {side, side, side});
    const Decomposition all({parts[0] * side, parts[1] * side, parts[2] * side}, parts, true);
    numbers.push_back(
        rate(row.at("device"), row.at("rate"), "Mcells/s", 1e-6 * all.mean_cells() * count,
             predict_stencil_refined(machine, lattice_boltzmann(), all, {}, {count})));
    numbers.back().evidence = Evidence::fitted;
  }
  return numbers;
}

Numbers laplacian(const json& row, const PaperMachines& machines) {
  StencilKernel kernel;
  kernel.name = "laplacian";
  kernel.flops = 10;  // six sums, four products
  kernel.read_values = kernel.written_values = 1;
  kernel.rereads = 4;
  const int side = row.at("cells");
  const Prediction step = predict_stencil_refined(
      machines.at(row.at("machine")), kernel, Decomposition({side, side, side}, {1, 1, 1}, false),
      {.precision = "f64"}, {1});
  return Numbers{milliseconds(row.at("item"), row.at("milliseconds"), step)};
}

Numbers hpl_rates(const json& rows, const PaperMachines& machines) {
  Numbers numbers;
  for (const json& row : rows) {
    const Machine& machine = machines.at(row.at("machine"));
    HplProblem problem;
    problem.size = row.at("size");
    problem.block = row.at("block");
    problem.grid.rows = row.at("rows");
    problem.grid.columns = row.at("columns");
    const int on_node = machine.layout.ranks_per_node;
    Prediction run = predict_hpl_refined(machine, problem, on_node, true);
    widen_beyond_known_nodes(machine, problem.grid.rows * problem.grid.columns / on_node, run);
    numbers.push_back(rate(row.at("item"), row.at("rate"), "TFLOP/s",
                           1e-12 * hpl_flops(static_cast<double>(problem.size)), run,
                           row.at("source")));
    if (row.value("fitted", false)) numbers.back().evidence = Evidence::fitted;
  }
  return numbers;
}

Prediction amg_iteration(const Machine& machine, double unknowns, int ranks, int ranks_per_node) {
  AmgStudy study{unknowns, AmgMix{ranks_per_node, 1}, {}};
  study.variant.solver = "pcg";
  PredictionRequest request;
  request.ranks = {ranks};
  request.ranks_per_node = ranks_per_node;
  request.overlap = {false};
  request.forms = {"refined"};
  return amg_curve(machine, AmgFamily(published_hierarchies()), study, request).front().prediction;
}

Numbers amg_weak(const json& document, const PaperMachines& machines) {
  Numbers numbers;
  const int on_node = document.at("ranks_per_node");
  for (const json& row : document.at("rows")) {
    const int nodes = row.at("nodes"), ranks = nodes * on_node;
    const Prediction one =
        amg_iteration(machines.at(document.at("machine")),
                      document.at("unknowns_of_rank").get<double>() * ranks, ranks, on_node);
    numbers.push_back(milliseconds(fmt::format("AMG2023 on {} nodes of Crossroads", nodes),
                                   row.at("milliseconds"), one));
  }
  return numbers;
}

Numbers amg_one_node(const json& document, const PaperMachines& machines) {
  Numbers numbers;
  const Machine& machine = machines.at(document.at("machine"));
  const auto on = [&](int ranks) {
    return amg_iteration(machine, document.at("unknowns"), ranks, ranks);
  };
  const Prediction alone = on(1);
  for (const json& row : document.at("rows")) {
    const int ranks = row.at("ranks");
    const Prediction one = on(ranks);
    const double fast = alone.low_s / one.low_s, slow = alone.high_s / one.high_s;
    numbers.push_back(measured(fmt::format("AMG2023 on {} ranks of RZTopaz's node", ranks),
                               row.at("speed_up"), alone.total_s / one.total_s, "times",
                               {std::min(fast, slow), std::max(fast, slow)}));
  }
  return numbers;
}

std::string leave_one_out() {
  std::string text = "what the other rows of its class miss of a device's share, in the median:";
  for (const DeviceClass& known : device_classes().devices)
    text += fmt::format(" {} {} {:.0f} %;", known.vendor.empty() ? "any" : known.vendor, known.kind,
                        100 * known.leave_one_out_error);
  return text;
}

/// Whether the numbers' errors are in the median what is asked, and how often the intervals hold.
void add_group(const char* group, double most, const Numbers& numbers, Reproduction& result) {
  std::vector<double> errors, widths;
  for (const ReproducedNumber& one : numbers) {
    errors.push_back(std::abs(*one.error()));
    widths.push_back((*one.interval)[1] / (*one.interval)[0]);
  }
  const auto within = std::count_if(numbers.begin(), numbers.end(),
                                    [](const ReproducedNumber& one) { return *one.met(); });
  const double median = median_of(errors);
  result.trends.push_back(
      {fmt::format("{}, median error at most {:.0f} %", group, 100 * most), median <= most,
       fmt::format("{:.1f} %; {} of {} within intervals whose ends are {:.2f} apart in the median",
                   100 * median, within, numbers.size(), median_of(widths))});
  result.numbers.insert(result.numbers.end(), numbers.begin(), numbers.end());
}

}  // namespace

Reproduction reproduce_outside(const PaperMachines& /*of the papers*/) {
  const PaperMachines machines;
  const json& document = published("outside");
  Reproduction result = reproduction_of(document);
  const json& lbm = document.at("lbm");
  for (const std::string statement :
       {document.at("comment"), lbm.at("source"), lbm.at("cells_source")})
    result.statements.push_back(statement);
  result.statements.push_back(leave_one_out());
  add_group("one device", 0.15, lattice_boltzmann_rates(lbm, "one_device"), result);
  add_group("several devices", 0.2, lattice_boltzmann_rates(lbm, "several_devices"), result);
  add_group("Laplacian", 0.15, laplacian(document.at("laplacian"), machines), result);
  add_group("HPL", 0.12, hpl_rates(document.at("hpl"), machines), result);
  const Numbers weak = amg_weak(document.at("amg_weak"), machines);
  add_group("AMG, weak scaling", 0.33, weak, result);
  const double grew = weak.back().published / weak.front().published;
  const double computed = *weak.back().computed / *weak.front().computed;
  result.trends.push_back({"AMG's growth over the nodes within a third",
                           std::abs(computed / grew - 1) <= 1. / 3,
                           fmt::format("{:.2f} times, measured {:.2f}", computed, grew)});
  add_group("AMG within a node, speed-up", 0.2, amg_one_node(document.at("amg_one_node"), machines),
            result);
  return result;
}

}  // namespace bellwether
