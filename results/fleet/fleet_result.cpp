// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <set>

#include "models/errors.hpp"
#include "models/median.hpp"
#include "models/text_lines.hpp"
#include "results/changes/change.hpp"
#include "results/fleet/fleet.hpp"

namespace bellwether {
namespace {

namespace fs = std::filesystem;

constexpr double grace_s = 120;  // within which batch systems end jobs

/// The two words of a mark.
std::optional<std::pair<std::string, double>> read_mark(const std::string& file) {
  if (!fs::exists(file)) return {};
  const std::string text = read_text(file);
  const std::vector<std::string> words = split(text.substr(0, text.find('\n')), ' ');
  const auto seconds = parse_number<double>(words.back());
  if (words.size() != 2 || !seconds)
    throw BadInput(fmt::format("{}: found '{}', expected a mark of a job, as job.sh writes it",
                               file, shown(text)));
  return std::pair(words[0], *seconds);
}

std::string short_name(const std::string& host) { return host.substr(0, host.find('.')); }

void check_hosts(const FleetJob& job, const SiblingOccasion& occasion, const std::string& folder) {
  std::set<std::string> found, expected;
  for (const std::string& host : occasion.hosts) found.insert(short_name(host));
  for (const std::string& node : job.nodes) expected.insert(short_name(node));
  if (found != expected)
    throw BadInput(fmt::format("{}: ran on {}, expected {}", folder, fmt::join(found, ", "),
                               fmt::join(expected, ", ")));
}

/// All ranks of a node together, and the one that is slowest throughout.
void add_ranks(const std::vector<SiblingOccasion>& occasions, FleetResult& result) {
  for (const auto& [quantity, of_ranks] : occasions.front().seconds) {
    std::vector<std::vector<double>> ranks(of_ranks.size());
    std::vector<double>& all = result.log_s[quantity];
    for (const SiblingOccasion& occasion : occasions) {
      const auto now = occasion.seconds.find(quantity);
      if (now == occasion.seconds.end()) continue;
      all.push_back(std::log(median_of(now->second)));
      for (std::size_t rank = 0; rank < ranks.size(); ++rank)
        ranks[rank].push_back(std::log(now->second[rank]));
    }
    if (ranks.size() > 1)
      result.log_s["slowest rank's " + quantity] = *std::max_element(
          ranks.begin(), ranks.end(),
          [](const auto& a, const auto& b) { return median_of(a) < median_of(b); });
  }
}

void add_links(const std::vector<SiblingOccasion>& occasions, const std::string& folder,
               FleetResult& result) {
  for (const SiblingOccasion& occasion : occasions) {
    if (!occasion.links || occasion.links->pairs.size() != 1)
      throw BadInput(folder + ": has not measured the one link of two nodes");
    const std::array<double, 2>& seconds = occasion.links->pairs.front().seconds;
    // A small message between ranks on one core takes until that core changes hands.
    if (!occasion.shared_cores) result.log_s["link latency"].push_back(std::log(seconds[0]));
    result.log_s["link bandwidth"].push_back(std::log(seconds[1]));
  }
}

void add_cases(const std::vector<Record>& records, FleetResult& result) {
  const std::vector<std::string> names = case_names(records);
  for (std::size_t i = 0; i < records.size(); ++i)
    if (records[i].verification.passed)
      result.log_s["speed in " + names[i]].push_back(std::log(records[i].measured.total_s.median));
}

void read_done(const FleetJob& job, const std::string& folder, FleetResult& result) {
  const std::string verdict = folder + "/verdict.json", siblings = folder + "/siblings.jsonl";
  const Acceptance own = parse_acceptance(read_json_file(verdict), verdict);
  const std::vector<SiblingOccasion> occasions = read_siblings(siblings);
  const std::vector<Record> records = read_records(folder + "/results.jsonl");
  if (occasions.empty()) throw BadInput(siblings + ": has no occasion, expected some");
  check_hosts(job, occasions.front(), folder);
  const nlohmann::json& from = records.front().provenance;
  result.setup =
      fmt::format("{} ranks on a node, {}, version {} ({:.12})", own.layout.ranks_per_node,
                  own.layout.device, from.value("version", ""), from.value("commit", ""));
  for (const Finding& finding : own.findings)
    if (finding.verdict == Verdict::wrong) result.wrong.push_back(finding);
  if (job.nodes.size() == 2) return add_links(occasions, folder, result);
  add_ranks(occasions, result);
  add_cases(records, result);
}

}  // namespace

FleetResult read_fleet_result(const FleetPlan& plan, const FleetJob& job, const std::string& folder,
                              double now_s) {
  const std::string own = fmt::format("{}/jobs/{}", folder, job.name);
  FleetResult result;
  bool is_another_plans = false;
  const auto lacks = [&](const char* state, const std::string& why) {
    result.state = state;
    result.why = why;
    return result;
  };
  try {
    const auto started = read_mark(own + ".started"), ended = read_mark(own + ".ended");
    if (!started)
      return lacks("never started", "its job has not begun: down, or still in the queue");
    is_another_plans = started->first != plan.made;
    if (is_another_plans)
      throw BadInput(
          fmt::format("{}.started: found a job of the plan made {}, expected of that "
                      "made {}",
                      own, shown(started->first), plan.made));
    if (fs::exists(own + "/verdict.json")) {
      read_done(job, own, result);
      return lacks("done", "");
    }
    const double until_s = ended ? ended->second : now_s, taken_s = until_s - started->second;
    const bool was_ended =
        ended && (ended->first == "5" || ended->first == "137" || ended->first == "143");
    if (was_ended || taken_s > (ended ? 0.9 * plan.limit_s : plan.limit_s + grace_s))
      return lacks("hangs",
                   fmt::format("no result within the {} s of its job ({}.log)", plan.limit_s, own));
    if (!ended) return lacks("still running", fmt::format("its job began {:.0f} s ago", taken_s));
    return lacks("no result", fmt::format("its job ended with status {} and no verdict ({}.log)",
                                          ended->first, own));
  } catch (const BadInput& error) {
    if (is_another_plans) throw;
    return lacks("no result", error.what());
  }
}

}  // namespace bellwether
