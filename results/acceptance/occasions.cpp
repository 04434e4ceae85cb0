// SPDX-License-Identifier: MIT
#include "results/acceptance/occasions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "models/errors.hpp"
#include "models/median.hpp"
#include "results/record_json_types.hpp"
#include "results/record_lines.hpp"

namespace bellwether {
namespace {

using nlohmann::json;

constexpr double clock_rate_bound = 1e-3;   // crystals keep to a tenth of that
constexpr double clock_offset_bound_s = 1;  // records bear their time to the second
constexpr std::size_t fewest_for_tenths = 10;

JsonType<SiblingOccasion::Link> link_type() {
  using Link = SiblingOccasion::Link;
  return {
      [](const JsonNode& node) {
        const std::vector<JsonNode> all = node.items(4);
        return Link{{all[0].count(), all[1].count()}, {all[2].number(), all[3].number()}};
      },
      [](const Link& link) {
        return json::array({link.members[0], link.members[1], link.seconds[0], link.seconds[1]});
      },
      {{"type", "array"}, {"items", json_number().schema}, {"minItems", 4}, {"maxItems", 4}},
      {}};
}

void check_ranks(const JsonNode& node, const SiblingOccasion& occasion) {
  const std::size_t ranks = occasion.nodes.size();
  const auto within = [&](int number) { return static_cast<std::size_t>(number) < ranks; };
  bool fits = ranks > 0 && std::all_of(occasion.nodes.begin(), occasion.nodes.end(), within);
  for (const std::size_t size :
       {occasion.hosts.size(), occasion.clocks.steady_s.size(), occasion.clocks.system_s.size()})
    fits = fits && size == ranks;
  for (const auto& [quantity, of_ranks] : occasion.seconds) fits = fits && of_ranks.size() == ranks;
  if (occasion.links)
    for (const SiblingOccasion::Link& link : occasion.links->pairs)
      fits = fits && within(link.members[0]) && within(link.members[1]);
  if (!fits)
    node.refuse("hosts, nodes, clocks and seconds of equally many ranks, and links among them");
}

const JsonType<SiblingOccasion>& occasion_type() {
  using Occasion = SiblingOccasion;
  using Clocks = Occasion::Clocks;
  using Links = Occasion::Links;
  const JsonType<std::vector<double>> seconds = json_list(json_number());
  static const JsonType<Occasion> type = json_object<Occasion>(
      {constant<Occasion>("schema", "bellwether.siblings/1"),
       optional("time", &Occasion::time, json_text()),
       required("hosts", &Occasion::hosts, json_list(json_text())),
       required("nodes", &Occasion::nodes, json_list(json_count())),
       required("ranks", &Occasion::seconds, json_map(seconds)),
       required("clocks", &Occasion::clocks,
                json_object<Clocks>({required("steady_s", &Clocks::steady_s, seconds),
                                     required("system_s", &Clocks::system_s, seconds),
                                     required("barrier_s", &Clocks::barrier_s, json_number())})),
       optional("shared_cores", &Occasion::shared_cores, flag()),
       optional("links", &Occasion::links,
                json_object<Links>({required("members", &Links::members, json_text()),
                                    required("bytes", &Links::bytes, json_count()),
                                    required("pairs", &Links::pairs, json_list(link_type()))}))},
      check_ranks, OtherKeys::ignored);
  return type;
}

}  // namespace

json to_json(const SiblingOccasion& occasion) { return occasion_type().write(occasion); }

RankNodes::RankNodes(const SiblingOccasion& occasion)
    : nodes_(occasion.nodes), hosts_(occasion.hosts) {
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

std::vector<SiblingOccasion> read_siblings(const std::string& file) {
  std::vector<SiblingOccasion> occasions;
  if (!std::filesystem::exists(file)) return occasions;
  LinesOfFile lines(file);
  for_each_json_line(lines, [&](const json& value, const TextLine& line) {
    const std::string place = fmt::format("{}, line {}", file, line.number);
    occasions.push_back(occasion_type().read(JsonNode(value, place)));
    if (occasions.back().nodes != occasions.front().nodes)
      throw BadInput(fmt::format("{}: expected an occasion of the ranks of the first line", place));
  });
  return occasions;
}

std::optional<Unsteadiness> unsteadiness(const std::vector<SiblingOccasion>& occasions) {
  if (occasions.size() < fewest_for_tenths || occasions.front().shared_cores) return {};
  Unsteadiness most;
  most.occasions = occasions.size();
  for (const auto& [quantity, of_ranks] : occasions.front().seconds) {
    std::vector<double> shares;
    for (std::size_t rank = 0; rank < of_ranks.size(); ++rank) {
      std::vector<double> seconds;
      for (const SiblingOccasion& occasion : occasions)
        seconds.push_back(occasion.seconds.at(quantity)[rank]);
      std::sort(seconds.begin(), seconds.end());
      const std::size_t tenth = seconds.size() / 10;
      shares.push_back(seconds[seconds.size() - tenth] / seconds[tenth - 1] - 1);
    }
    const double share = median_of(shares);
    if (share <= most.share) continue;
    most.share = share;
    most.quantity = quantity;
  }
  if (most.share == 0) return {};
  return most;
}

std::vector<Finding> judge_clocks(const std::vector<SiblingOccasion>& occasions,
                                  const RankNodes& layout) {
  const SiblingOccasion::Clocks &first = occasions.front().clocks, &last = occasions.back().clocks;
  const std::vector<double>& system = last.system_s;
  std::vector<double> spans;
  for (std::size_t rank = 0; rank < layout.ranks(); ++rank)
    spans.push_back(last.steady_s[rank] - first.steady_s[rank]);
  const bool two = layout.ranks() == 2;
  // Of two the first one's, for want of a middle one.
  const double span = two ? spans[0] : median_of(spans), now = two ? system[0] : median_of(system);
  const std::string others = two ? "the other one's" : "the others'";
  const double grain = first.barrier_s + last.barrier_s;
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
