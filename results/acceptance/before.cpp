// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>

#include "models/errors.hpp"
#include "models/machine/machine_file.hpp"
#include "models/machine/machine_json.hpp"
#include "models/median.hpp"
#include "results/acceptance/judge.hpp"
#include "results/changes/change.hpp"

namespace bellwether {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// A case or a part of the calibration, now and in each of the baselines that have it: logarithms
/// of its time and of its interval's ends.
struct Compared {
  std::string subject, what;
  std::string pool;  ///< quantities whose spread is taken together: an app's cases
  Measured now;
  std::vector<Measured> before;
  std::string because;
};

Measured value_of(const Measured& measured) {
  return {std::log(measured.value), std::log(measured.low), std::log(measured.high)};
}

std::vector<Compared> cases_of(const Baseline& now, const std::vector<Baseline>& baselines,
                               std::vector<Finding>& wrong) {
  std::map<std::string, Compared> all;
  for (const Baseline& one : baselines) {
    if (one.records.empty() || now.records.empty()) continue;
    for (const Change& change : changes_of_records(one.records, now.records).changes) {
      if (change.judgement == Judgement::wrong) {
        wrong.push_back(not_judged(
            "before", change.what, "total",
            fmt::format("{}: not held against {}: {}", change.what, one.name, change.because)));
        continue;
      }
      Compared& quantity = all[change.what];
      quantity.subject = change.what;
      quantity.what = "total";
      quantity.pool = change.what.substr(0, change.what.find(' '));
      quantity.now = value_of(change.after);
      quantity.before.push_back(value_of(change.before));
      quantity.because = change.because;
    }
  }
  std::vector<Compared> found;
  for (auto& [name, quantity] : all) found.push_back(std::move(quantity));
  return found;
}

/// Whether it tells how fast the machine is. Noise is what happened while it was measured, rare and
/// long: its spread is no constant's.
bool is_speed(const Change& change) {
  return change.better != Better::neither && !change.what.starts_with("noise");
}

/// By how much longer than the reference's value it takes, and the ends of its own interval.
Measured longer(const Change& change) {
  const auto log_of = [&](double value) {
    const double ratio = std::max(value, std::numeric_limits<double>::min()) / change.before.value;
    return change.better == Better::less ? std::log(ratio) : -std::log(ratio);
  };
  const double low = log_of(change.after.low), high = log_of(change.after.high);
  return {log_of(change.after.value), std::min(low, high), std::max(low, high)};
}

/// Of each part of a machine how much longer it takes than the first baseline's: medians over the
/// part's parameters, of their values and of their intervals' ends.
std::map<std::string, Measured> parts_of(const json& reference, const json& machine) {
  std::map<std::string, std::array<std::vector<double>, 3>> logs;
  for (const Change& change : changes_of_machines(reference, machine).changes) {
    if (!is_speed(change)) continue;
    const Measured value = longer(change);
    auto& [middles, lows, highs] = logs[part_of(change.what)];
    middles.push_back(value.value);
    lows.push_back(value.low);
    highs.push_back(value.high);
  }
  std::map<std::string, Measured> parts;
  for (const auto& [part, of_all] : logs)
    parts[part] = {median_of(of_all[0]), median_of(of_all[1]), median_of(of_all[2])};
  return parts;
}

std::vector<Compared> parts_of(const Baseline& now, const std::vector<Baseline>& baselines) {
  std::vector<const json*> machines;
  for (const Baseline& one : baselines)
    if (!one.machine.is_null()) machines.push_back(&one.machine);
  if (machines.empty() || now.machine.is_null()) return {};
  std::vector<std::map<std::string, Measured>> before;
  for (const json* machine : machines) before.push_back(parts_of(*machines.front(), *machine));
  std::vector<Compared> found;
  for (const auto& [part, value] : parts_of(*machines.front(), now.machine)) {
    Compared quantity{part, "calibration", "calibration", value, {}, {}};
    for (const auto& one : before)
      if (const auto same = one.find(part); same != one.end())
        quantity.before.push_back(same->second);
    if (!quantity.before.empty()) found.push_back(std::move(quantity));
  }
  return found;
}

double mean(const std::vector<Measured>& values) {
  double sum = 0;
  for (const Measured& one : values) sum += one.value;
  return sum / static_cast<double>(values.size());
}

/// Of each quantity, in its order: pools are of quantities that are alike.
std::vector<Deviation> spreads_of(const std::vector<Compared>& quantities) {
  std::map<std::string, std::vector<std::size_t>> pools;
  std::vector<Deviation> all;
  for (const Compared& one : quantities) {
    pools[one.pool].push_back(all.size());
    const double middle = mean(one.before), freedom = static_cast<double>(one.before.size()) - 1;
    double squares = 0;
    for (const Measured& value : one.before)
      squares += (value.value - middle) * (value.value - middle);
    all.push_back({freedom > 0 ? std::sqrt(squares / freedom) : 0, freedom});
  }
  for (const auto& [pool, members] : pools) {
    std::vector<Deviation> own;
    for (const std::size_t member : members) own.push_back(all[member]);
    const std::vector<Deviation> weighed = moderated(own);
    for (std::size_t i = 0; i < members.size(); ++i) all[members[i]] = weighed[i];
  }
  return all;
}

Finding judge_quantity(const Compared& one, const Deviation& spread, const Material& material,
                       double alpha) {
  Finding finding{.kind = "before", .subject = one.subject, .quantity = one.what};
  const double count = static_cast<double>(one.before.size()), middle = mean(one.before);
  std::vector<double> highs;
  for (const Measured& value : one.before) highs.push_back(value.high);
  const double high = std::max(middle, median_of(highs));
  finding.value = std::exp(one.now.value - middle);
  finding.low = std::exp(one.now.low - middle);
  finding.high = std::exp(one.now.high - middle);
  finding.expect_one(material, "of the baselines' time");
  // The gap that neither interval explains, in standard errors of a next value.
  const double gap = one.now.low - high;
  const bool known = spread.freedom > 0;
  const double error = known ? spread.deviation * std::sqrt(1 + 1 / count) : 0;
  if (known) finding.p = gap <= 0 ? 1 : error > 0 ? student_tail(gap / error, spread.freedom) : 0;
  finding.sources = {
      known ? fmt::format("spread of {} from baseline to baseline: {} ({:.3g} degrees of freedom); "
                          "chance: p <= {:.2g} (Student's t, the false-alarm rate over all "
                          "comparisons)",
                          one.pool, share_text(spread.deviation), spread.freedom, alpha)
            : "one baseline: how allocations differ is not known; the intervals alone",
      material.text()};
  const bool counts = known ? *finding.p <= alpha : gap > 0;
  if (counts && gap > std::log1p(material.failure) && known)
    finding.verdict = Verdict::fail;
  else if (counts && gap > std::log1p(material.warning))
    finding.verdict = Verdict::warning;
  finding.sentence =
      fmt::format("{}{}: takes {:.2f} of what it took before ({:g} baseline{}{})",
                  one.what == "total" ? "" : "calibration of ", one.subject, *finding.value, count,
                  count > 1 ? "s" : "", known ? fmt::format(", p = {:.1g}", *finding.p) : "");
  if (finding.verdict != Verdict::pass && !one.because.empty())
    finding.sentence.append("; ").append(one.because);
  return finding;
}

/// Of what both know.
void require_layout(const std::string& path, const RankLayout& found, const RankLayout& expected) {
  const auto text = [](const RankLayout& one) {
    return fmt::format("ranks {}, ranks_per_node {}", one.ranks, one.ranks_per_node);
  };
  const bool packed_alike =
      found.ranks_per_node == expected.ranks_per_node || found.ranks_per_node == 0;
  if (found.ranks != expected.ranks || !packed_alike)
    throw BadInput(fmt::format("--baseline: '{}' is of another layout: found {}, expected {}", path,
                               text(found), text(expected)));
}

}  // namespace

std::vector<Deviation> moderated(const std::vector<Deviation>& own) {
  constexpr double most_of_others = 4;
  double squares = 0, freedom = 0;
  for (const Deviation& one : own) {
    squares += one.freedom * one.deviation * one.deviation;
    freedom += one.freedom;
  }
  std::vector<Deviation> all;
  for (const Deviation& one : own) {
    const double squares_here = one.freedom * one.deviation * one.deviation;
    const double others = freedom - one.freedom, weight = std::min(most_of_others, others);
    const double of_others = others > 0 ? std::max(0.0, squares - squares_here) / others : 0;
    const double together = weight + one.freedom;
    all.push_back(
        {together > 0 ? std::sqrt((weight * of_others + squares_here) / together) : 0, together});
  }
  return all;
}

double student_tail(double t, double freedom) {
  return boost::math::cdf(boost::math::complement(boost::math::students_t(freedom), t));
}

Baseline read_baseline(const std::string& path, const RankLayout& layout) {
  if (!fs::exists(path))
    throw BadInput(
        fmt::format("--baseline: '{}' is not there, expected an accept folder, a results "
                    "file or a machine file",
                    path));
  Baseline baseline{path, {}, nullptr, {}};
  const auto add = [&](const std::string& file) {
    if (is_machine_file(file)) {
      const Machine machine = read_machine(file);
      require_layout(path, {machine.layout.ranks, 0, machine.layout.ranks_per_node, {}}, layout);
      baseline.machine = to_json(machine);
    } else {
      baseline.records = read_records(file);
      const Record& first = baseline.records.front();
      const json ranks_per_node =
          value_or_null(value_or_null(first.provenance, "layout"), "ranks_per_node");
      require_layout(
          path, {first.ranks, 0, ranks_per_node.is_number() ? ranks_per_node.get<int>() : 0, {}},
          layout);
    }
  };
  if (!fs::is_directory(path)) {
    add(path);
    return baseline;
  }
  for (const char* name : {"machine.json", "results.jsonl"})
    if (const std::string file = fs::path(path) / name; fs::exists(file)) add(file);
  if (baseline.machine.is_null() && baseline.records.empty())
    throw BadInput(
        fmt::format("--baseline: folder '{}' has neither machine.json nor results.jsonl", path));
  baseline.siblings = read_siblings(fs::path(path) / "siblings.jsonl");
  return baseline;
}

std::vector<Finding> judge_before(const Baseline& now, const std::vector<Baseline>& baselines,
                                  const Material& material, double alpha) {
  if (baselines.empty()) return {};
  std::vector<Finding> found;
  std::vector<Compared> quantities = cases_of(now, baselines, found);
  const std::vector<Compared> parts = parts_of(now, baselines);
  if (!parts.empty() && parts.front().before.size() == 1) {
    found.push_back(not_judged(
        "before", "calibration", "calibration",
        "calibration: not held against one baseline, which does not tell how calibrations differ "
        "(two or more)"));
  } else {
    quantities.insert(quantities.end(), parts.begin(), parts.end());
  }
  const std::vector<Deviation> spreads = spreads_of(quantities);
  const double each = quantities.empty() ? alpha : alpha / static_cast<double>(quantities.size());
  for (std::size_t i = 0; i < quantities.size(); ++i)
    found.push_back(judge_quantity(quantities[i], spreads[i], material, each));
  if (found.empty())
    found.push_back(
        not_judged("before", "cases", "total", "cases: the baselines have none of this suite's"));
  return found;
}

}  // namespace bellwether
