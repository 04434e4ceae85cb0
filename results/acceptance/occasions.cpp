// SPDX-License-Identifier: MIT
#include "results/acceptance/occasions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "models/errors.hpp"
#include "models/machine/strict_json.hpp"
#include "results/record.hpp"
#include "results/record_lines.hpp"
#include "results/statistics.hpp"

namespace bellwether {
namespace {

using nlohmann::json;

constexpr double clock_rate_bound = 1e-3;   // crystals keep to a tenth of that
constexpr double clock_offset_bound_s = 1;  // records bear their time to the second
constexpr std::size_t fewest_for_tenths = 10;

/// Throws BadInput for nodes, and ends of links, that are beyond the ranks.
void check_numbers(const JsonNode& occasion) {
  const std::vector<JsonNode> nodes = occasion.child("nodes").items(1);
  const auto check = [&](const JsonNode& number) {
    if (number.count() >= std::ssize(nodes))
      number.refuse(fmt::format("a number below {}, that of ranks", nodes.size()));
  };
  for (const JsonNode& node : nodes) check(node);
  if (!occasion.value().contains("links")) return;
  for (const JsonNode& pair : JsonObject(occasion.child("links")).required("pairs").items())
    for (const std::size_t end : {0, 1}) check(pair.items(4)[end]);
}

}  // namespace

RankNodes::RankNodes(const json& occasion)
    : nodes_(occasion.at("nodes").get<std::vector<int>>()),
      hosts_(occasion.at("hosts").get<std::vector<std::string>>()) {
  for (std::size_t rank = 0; rank < nodes_.size(); ++rank) {
    const auto node = static_cast<std::size_t>(nodes_[rank]);
    if (node >= ranks_.size()) ranks_.resize(node + 1);
    ranks_[node].push_back(rank);
  }
}

std::string RankNodes::rank_name(std::size_t rank) const {
  if (nodes() == ranks() && nodes() > 1) return fmt::format("{} (rank {})", hosts_[rank], rank);
  return nodes() > 1 ? fmt::format("rank {} ({})", rank, hosts_[rank])
                     : fmt::format("rank {}", rank);
}

bool RankNodes::has_full_nodes() const {
  return nodes() > 1 && std::all_of(ranks_.begin(), ranks_.end(),
                                    [](const auto& node) { return node.size() >= 3; });
}

std::vector<json> read_siblings(const std::string& file) {
  std::vector<json> occasions;
  if (!std::filesystem::exists(file)) return occasions;
  LinesOfFile lines(file);
  for_each_json_line(lines, [&](json occasion, const TextLine& line) {
    const auto fits = [&] {
      if (value_or_null(occasion, "schema") != siblings_schema) return false;
      for (const char* key : {"nodes", "hosts", "ranks", "clocks"})
        if (!occasion.contains(key)) return false;
      return occasions.empty() || occasion.at("nodes") == occasions.front().at("nodes");
    };
    if (!fits())
      throw BadInput(
          fmt::format("{}, line {}: expected an occasion of schema {}, of the ranks of "
                      "the first line",
                      file, line.number, siblings_schema));
    check_numbers(JsonNode(occasion, fmt::format("{}, line {}", file, line.number)));
    occasions.push_back(std::move(occasion));
  });
  return occasions;
}

std::optional<Unsteadiness> unsteadiness(const std::vector<json>& occasions) {
  if (occasions.size() < fewest_for_tenths || occasions.front().value("shared_cores", false))
    return {};
  Unsteadiness most;
  most.occasions = occasions.size();
  for (const auto& item : occasions.front().at("ranks").items()) {
    std::vector<double> shares;
    for (std::size_t rank = 0; rank < item.value().size(); ++rank) {
      std::vector<double> seconds;
      for (const json& occasion : occasions)
        seconds.push_back(occasion.at("ranks").at(item.key()).at(rank));
      std::sort(seconds.begin(), seconds.end());
      const std::size_t tenth = seconds.size() / 10;
      shares.push_back(seconds[seconds.size() - tenth] / seconds[tenth - 1] - 1);
    }
    if (shares.empty()) continue;
    std::sort(shares.begin(), shares.end());
    const double share = shares[shares.size() / 2];
    if (share <= most.share) continue;
    most.share = share;
    most.quantity = item.key();
  }
  if (most.share == 0) return {};
  return most;
}

std::vector<Finding> judge_clocks(const std::vector<json>& occasions, const RankNodes& layout) {
  const json& first = occasions.front().at("clocks");
  const json& last = occasions.back().at("clocks");
  const auto steady = [](const json& clocks) {
    return clocks.at("steady_s").get<std::vector<double>>();
  };
  const auto system = last.at("system_s").get<std::vector<double>>();
  const std::vector<double> begin = steady(first), end = steady(last);
  std::vector<double> spans;
  for (std::size_t rank = 0; rank < begin.size(); ++rank) spans.push_back(end[rank] - begin[rank]);
  const bool two = layout.ranks() == 2;
  // Of two the first one's, for want of a middle one.
  const double span = two ? spans[0] : summarize(spans).median,
               now = two ? system[0] : summarize(system).median;
  const std::string others = two ? "the other one's" : "the others'";
  const double grain = first.at("barrier_s").get<double>() + last.at("barrier_s").get<double>();
  std::vector<Finding> found;
  const auto say = [&](std::size_t rank, const char* what, Verdict verdict, double value,
                       double expected, const std::string& text, const std::string& source) {
    const std::string name = layout.rank_name(rank);
    found.push_back({.kind = "siblings",
                     .subject = name,
                     .quantity = what,
                     .verdict = verdict,
                     .value = value,
                     .expected = expected,
                     .unit = "s",
                     .sources = {source},
                     .sentence = fmt::format("{}: its {}{}", name, text,
                                             two ? "; two alone cannot tell which is right" : "")});
  };
  // On a resumed acceptance a clock may have begun anew in between: no span then.
  const bool resumed = std::any_of(spans.begin(), spans.end(), [](double one) { return one <= 0; });
  const double rate_bound = clock_rate_bound + (span > 0 ? grain / span : 0);
  for (std::size_t rank = 0; rank < spans.size(); ++rank) {
    if (!resumed && occasions.size() > 1 && std::abs(spans[rank] / span - 1) > rate_bound)
      say(rank, "clock rate", Verdict::fail, spans[rank], span,
          fmt::format("clock counted {:.4g} s while {} counted {:.4g}: times are wrong",
                      spans[rank], others, span),
          fmt::format(
              "a clock off by {:g} is broken (crystals keep to a tenth of that), and {:.2g} "
              "within which the ranks read theirs",
              clock_rate_bound, span > 0 ? grain / span : 0));
    if (std::abs(system[rank] - now) > clock_offset_bound_s + grain)
      say(rank, "time of day", Verdict::warning, system[rank], now,
          fmt::format("time of day is {:.4g} s {} {}", std::abs(system[rank] - now),
                      system[rank] > now ? "ahead of" : "behind", others),
          fmt::format("records bear their time to {:g} s, and {:.2g} s within which the ranks read "
                      "theirs",
                      clock_offset_bound_s, grain));
  }
  if (found.empty()) {
    const std::string all = fmt::format("{} ranks", layout.ranks());
    found.push_back({.kind = "siblings",
                     .subject = all,
                     .quantity = "clocks",
                     .sentence = fmt::format(
                         "{}: clocks tell the same time and run alike over {:.3g} s", all, span)});
  }
  return found;
}

}  // namespace bellwether
