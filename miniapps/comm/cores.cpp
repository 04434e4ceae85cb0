// SPDX-License-Identifier: MIT
#include "miniapps/comm/cores.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "miniapps/comm/reduce.hpp"

namespace bellwether {
namespace {

/// The lowest processor number of the core that a processor belongs to.
int core_of(int processor) {
  std::ifstream siblings(
      fmt::format("/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", processor));
  int lowest = processor;
  return siblings >> lowest ? lowest : processor;
}

/// The processors that the system lets this process run on; machines of any size.
std::vector<int> own_processors() {
  std::vector<int> processors;
  for (int most = 1024; most <= 1 << 20; most *= 4) {
    cpu_set_t* const set = CPU_ALLOC(static_cast<std::size_t>(most));
    const std::size_t bytes = CPU_ALLOC_SIZE(static_cast<std::size_t>(most));
    const bool known = set != nullptr && sched_getaffinity(0, bytes, set) == 0;
    for (int processor = 0; known && processor < most; ++processor)
      if (CPU_ISSET_S(static_cast<std::size_t>(processor), bytes, set))
        processors.push_back(processor);
    CPU_FREE(set);
    if (known) break;
  }
  return processors;
}

std::vector<int> read_cores(const std::string& text) {
  std::istringstream words(text);
  std::vector<int> cores;
  for (int core = 0; words >> core;) cores.push_back(core);
  return cores;
}

}  // namespace

std::vector<int> own_cores() {
  std::set<int> cores;
  for (const int processor : own_processors()) cores.insert(core_of(processor));
  return {cores.begin(), cores.end()};
}

std::string ranges_of(const std::vector<int>& ascending) {
  std::string text;
  for (std::size_t first = 0; first < ascending.size();) {
    std::size_t last = first;
    while (last + 1 < ascending.size() && ascending[last + 1] == ascending[last] + 1) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ",", ascending[first]);
    if (last > first) text += fmt::format("-{}", ascending[last]);
    first = last + 1;
  }
  return text;
}

std::string detail::crowded(const std::vector<std::vector<int>>& cores_of_ranks) {
  std::map<std::vector<int>, int> ranks_on;  // by the cores that they share to the last one
  std::set<int> all;
  int known = 0;
  for (const std::vector<int>& cores : cores_of_ranks) {
    if (cores.empty()) continue;
    ++known;
    ++ranks_on[cores];
    all.insert(cores.begin(), cores.end());
  }
  const auto words = [](int ranks, const std::vector<int>& cores) {
    return fmt::format("{} ranks on {} core{} ({})", ranks, cores.size(),
                       cores.size() == 1 ? "" : "s", ranges_of(cores));
  };
  if (known > static_cast<int>(all.size())) return words(known, {all.begin(), all.end()});
  for (const auto& [cores, ranks] : ranks_on)
    if (ranks > static_cast<int>(cores.size())) return words(ranks, cores);
  return {};
}

std::optional<double> waited_for_core_s() {
  std::ifstream file("/proc/thread-self/schedstat");
  double ran_ns = 0, waited_ns = 0;
  if (!(file >> ran_ns >> waited_ns)) return {};
  return 1e-9 * waited_ns;
}

int cores_of_its_own(const Session& session) {
  const std::vector<int> cores = own_cores();
  const std::vector<std::string> all = gather_texts(session.kernel(), ranges_of(cores));
  const auto sharing = std::count(all.begin(), all.end(), ranges_of(cores));
  return std::max(1, static_cast<int>(static_cast<long>(cores.size()) / sharing));
}

std::string shared_cores(const Session& session) {
  std::string mine;
  for (const int core : own_cores()) mine += fmt::format("{} ", core);
  std::vector<std::vector<int>> cores_of_ranks;
  for (const std::string& text : gather_texts(session.kernel(), mine))
    cores_of_ranks.push_back(read_cores(text));
  std::string found = detail::crowded(cores_of_ranks);
  const int lowest = lowest_rank_where(session.world(), !found.empty());
  if (lowest < 0) return {};
  if (session.rank() == lowest) found = fmt::format("{} of {}", found, session.host());
  return gather_texts(session.world(),
                      session.rank() == lowest ? found : "")[static_cast<std::size_t>(lowest)];
}

}  // namespace bellwether
