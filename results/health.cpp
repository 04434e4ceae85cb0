// SPDX-License-Identifier: MIT
#include "results/health.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <tuple>

namespace bellwether {
namespace {

using nlohmann::json;

struct Check {
  std::string_view key;
  bool is_words;
  const char* helps;
};
constexpr const char* exchange = "have the GPU exchanged";
constexpr Check checks[] = {
    {"cpu_governor", true,
     "clocks follow the load; cpupower frequency-set -g performance changes it"},
    {"cpu_throttle_events", false, "look at fans, heat sinks and inlet air"},
    {"quota_throttled_s", false, "ask for as many CPUs as ranks and their threads take"},
    {"transparent_hugepages", true,
     "arrays lie in small pages; write madvise to /sys/kernel/mm/transparent_hugepage/enabled"},
    {"numa_balancing", false,
     "pages move while they are in use; sysctl kernel.numa_balancing=0 ends it"},
    {"network_distance", false, "bind ranks to cores of the network card's NUMA node"},
    {"gpu_distance", false, "bind the rank to cores of its GPU's NUMA node"},
    {"gpu_uncorrected_errors", false,
     "results may be wrong; leave the node out and reset the GPU (nvidia-smi --gpu-reset)"},
    {"gpu_uncorrected_errors_ever", false, "if more come after a reset, have the GPU exchanged"},
    {"gpu_corrected_errors", false, "each is harmless; watch whether uncorrected ones follow"},
    {"gpu_corrected_errors_ever", false, "each is harmless; watch whether uncorrected ones follow"},
    {"gpu_repair_pending", false, "reset the GPU (nvidia-smi --gpu-reset)"},
    {"gpu_repair_failed", false, exchange},
    {"gpu_slowed_by", true, "look at its cooling and power supply"},
    {"gpu_lanes_missing", false,
     "reseat it, look at its riser and at the firmware's slot settings"},
    {"gpu_generations_missing", false,
     "look at its riser and at the firmware's slot settings; some GPUs lower it while idle"},
    {"gpu_xid_events", false, "look XIDs up in NVIDIA's list, and in the kernel's log for more"}};

JsonType<std::map<std::string, json>> limits_type() {
  std::vector<std::string> keys;
  for (const Check& check : checks) keys.emplace_back(check.key);
  const auto number = json_number();
  const auto words = json_list(json_text());
  const JsonType<json> either{[=](const JsonNode& node) {
                                if (node.value().is_array()) return json(words.read(node));
                                return json(number.read(node));
                              },
                              [](const json& value) { return value; },
                              {},
                              {}};
  JsonType<std::map<std::string, json>> type = json_keyed(keys, either);
  type.read = [read = type.read](const JsonNode& node) {
    std::map<std::string, json> limits = read(node);
    for (const Check& check : checks)
      if (const auto limit = limits.find(std::string(check.key));
          limit != limits.end() && limit->second.is_array() != check.is_words)
        node.child(limit->first)
            .refuse(check.is_words ? "a list of the words that are as they should be"
                                   : "a number of at least 0");
    return limits;
  };
  for (const Check& check : checks)
    type.schema["properties"][std::string(check.key)] =
        check.is_words ? words.schema : number.schema;
  return type;
}

bool is_beyond(const json& value, const json& limit) {
  if (value.is_number()) return value.get<double>() > limit.get<double>();
  return std::any_of(value.begin(), value.end(), [&](const json& word) {
    return std::find(limit.begin(), limit.end(), word) == limit.end();
  });
}

std::string expected_text(const json& limit) {
  if (limit.is_number()) return fmt::format("at most {:g}", limit.get<double>());
  const auto words = limit.get<std::vector<std::string>>();
  return words.empty() ? "none" : fmt::format("{}", fmt::join(words, " or "));
}

/// Hosts by their numbers, ascending.
std::string hosts_text(const std::vector<std::string>& all, const std::vector<std::size_t>& some) {
  constexpr std::size_t most = 16;
  if (some.size() == all.size() && all.size() > 1) return fmt::format("all {} nodes", all.size());
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(most, some.size()); ++i) names.push_back(all[some[i]]);
  return fmt::format("{}{}", fmt::join(names, ", "),
                     some.size() > most ? fmt::format(" and {} more", some.size() - most) : "");
}

/// Sentences with the hosts of which they are said, in the order in which they come.
class Sentences {
 public:
  void add(const std::string& sentence, std::size_t host) {
    auto at = std::find_if(said_.begin(), said_.end(),
                           [&](const auto& one) { return one.first == sentence; });
    if (at == said_.end()) at = said_.insert(at, {sentence, {}});
    if (at->second.empty() || at->second.back() != host) at->second.push_back(host);
  }
  [[nodiscard]] std::vector<std::string> texts(const std::vector<std::string>& hosts) const {
    std::vector<std::string> texts;
    for (const auto& [sentence, some] : said_)
      texts.push_back(hosts_text(hosts, some) + ": " + sentence);
    return texts;
  }

 private:
  std::vector<std::pair<std::string, std::vector<std::size_t>>> said_;
};

using Readings = std::vector<HealthReading>;

/// With the worst number of each thing. A card that is far from some ranks must be, where it is one
/// for many.
void add_to_node(Readings& node, const HealthReading& one) {
  const auto same = std::find_if(node.begin(), node.end(), [&](const HealthReading& other) {
    return std::tie(other.key, other.of) == std::tie(one.key, one.of) && one.value.is_number();
  });
  if (same == node.end())
    node.push_back(one);
  else if (one.key == "network_distance" ? one.value < same->value : one.value > same->value)
    *same = one;
}

}  // namespace

JsonType<HealthLimits> health_limits_type() {
  return json_object<HealthLimits>({optional("warn", &HealthLimits::warn, limits_type()),
                                    optional("fail", &HealthLimits::fail, limits_type())});
}

HealthFindings judge_health(const std::vector<Readings>& of_ranks,
                            const std::vector<std::string>& hosts_of_ranks,
                            const HealthLimits& limits) {
  std::vector<std::string> hosts;
  std::vector<Readings> nodes;
  for (std::size_t rank = 0; rank < of_ranks.size(); ++rank) {
    const auto at = std::find(hosts.begin(), hosts.end(), hosts_of_ranks[rank]) - hosts.begin();
    const auto host = static_cast<std::size_t>(at);
    if (host == hosts.size()) {
      hosts.push_back(hosts_of_ranks[rank]);
      nodes.emplace_back();
    }
    for (const HealthReading& one : of_ranks[rank]) add_to_node(nodes[host], one);
  }
  Sentences failures, warnings, untold;
  std::vector<std::string> lacking(hosts.size());
  for (const auto& [key, is_words, helps] : checks) {
    const std::string name(key);
    if (!limits.fail.contains(name) && !limits.warn.contains(name)) continue;
    for (std::size_t host = 0; host < hosts.size(); ++host) {
      bool is_told = false;
      for (const HealthReading& one : nodes[host]) {
        if (one.key != key) continue;
        is_told = true;
        for (const auto& [of_kind, sentences] :
             {std::pair{&limits.fail, &failures}, std::pair{&limits.warn, &warnings}}) {
          const auto limit = of_kind->find(name);
          if (limit == of_kind->end() || !is_beyond(one.value, limit->second)) continue;
          sentences->add(
              fmt::format("{}{}{} ({}: expected {}): {}", one.of, one.of.empty() ? "" : ": ",
                          one.text, name, expected_text(limit->second), helps),
              host);
          break;
        }
      }
      if (!is_told) lacking[host] += (lacking[host].empty() ? "" : ", ") + name;
    }
  }
  for (std::size_t host = 0; host < hosts.size(); ++host)
    if (!lacking[host].empty()) untold.add("nothing tells " + lacking[host], host);
  return {failures.texts(hosts), warnings.texts(hosts), untold.texts(hosts)};
}

}  // namespace bellwether
