// SPDX-License-Identifier: MIT
#include "miniapps/comm/session/cores.hpp"

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

/// "2 ranks", "1 rank with 64 threads".
std::string threads_text(int ranks, int threads) {
  const std::string text = fmt::format("{} rank{}", ranks, ranks == 1 ? "" : "s");
  return threads == ranks ? text : fmt::format("{} with {} threads", text, threads);
}

std::vector<std::string> names_of(const std::vector<CpuQuota>& quotas) {
  std::vector<std::string> names;
  for (const CpuQuota& quota : quotas) names.push_back(quota.name);
  return names;
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

std::string detail::crowded(const std::vector<std::vector<int>>& cores_of_ranks,
                            std::vector<int> threads_of_ranks) {
  threads_of_ranks.resize(cores_of_ranks.size(), 1);
  struct Load {
    int ranks = 0, threads = 0;
  };
  std::map<std::vector<int>, Load> load_on;  // by the cores that they share to the last one
  std::set<int> all;
  Load whole;
  for (std::size_t rank = 0; rank < cores_of_ranks.size(); ++rank) {
    const std::vector<int>& cores = cores_of_ranks[rank];
    if (cores.empty()) continue;
    for (Load* load : {&whole, &load_on[cores]}) {
      ++load->ranks;
      load->threads += threads_of_ranks[rank];
    }
    all.insert(cores.begin(), cores.end());
  }
  const auto words = [](const Load& load, const std::vector<int>& cores) {
    return fmt::format("{} on {} core{} ({})", threads_text(load.ranks, load.threads), cores.size(),
                       cores.size() == 1 ? "" : "s", ranges_of(cores));
  };
  if (whole.threads > static_cast<int>(all.size())) return words(whole, {all.begin(), all.end()});
  for (const auto& [cores, load] : load_on)
    if (load.threads > static_cast<int>(cores.size())) return words(load, cores);
  return {};
}

std::string detail::crowded(const CpuQuota& quota, int ranks, int threads) {
  if (threads <= quota.cpus) return {};
  return fmt::format("{} {} {:.3g} CPU{} time{} by the quota of control group {}",
                     threads_text(ranks, threads), ranks == 1 ? "has" : "have", quota.cpus,
                     quota.cpus == 1 ? "'s" : "s'", ranks == 1 ? "" : " together", quota.group);
}

std::optional<CpuQuota> detail::throttled_between(const std::vector<CpuQuota>& before,
                                                  const std::vector<CpuQuota>& after) {
  std::optional<CpuQuota> longest;
  for (CpuQuota found : after)
    for (const CpuQuota& then : before) {
      if (found.name != then.name) continue;
      found.periods -= then.periods;
      found.throttled_periods -= then.throttled_periods;
      found.throttled_s -= then.throttled_s;
      if (found.throttled_periods > 0 && (!longest || found.throttled_s > longest->throttled_s))
        longest = found;
    }
  return longest;
}

std::optional<ThrottledRank> throttled_since(const Session& session,
                                             const std::vector<CpuQuota>& before) {
  const CpuQuota own = detail::throttled_between(before, cpu_quotas()).value_or(CpuQuota{});
  const Slowest longest = slowest_rank(
      session.world(), own.throttled_s,
      {own.cpus, static_cast<double>(own.periods), static_cast<double>(own.throttled_periods)});
  if (!(longest.total > 0)) return {};
  return ThrottledRank{longest.rank, longest.values[0], static_cast<long>(longest.values[1]),
                       static_cast<long>(longest.values[2]), longest.total};
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
  int own = static_cast<int>(static_cast<long>(cores.size()) / sharing);
  const std::vector<CpuQuota> quotas = cpu_quotas();
  const std::vector<Shared> shared = sums_by_name(session.kernel(), names_of(quotas), 1);
  for (std::size_t i = 0; i < quotas.size(); ++i)
    own = std::min(own, static_cast<int>(quotas[i].cpus / shared[i].ranks));
  return std::max(1, own);
}

std::string shared_cores(const Session& session, int threads) {
  std::string mine;
  for (const int core : own_cores()) mine += fmt::format("{} ", core);
  std::vector<std::vector<int>> cores_of_ranks;
  for (const std::string& text : gather_texts(session.kernel(), mine))
    cores_of_ranks.push_back(read_cores(text));
  std::vector<int> threads_of_ranks(cores_of_ranks.size());
  MPI_Allgather(&threads, 1, MPI_INT, threads_of_ranks.data(), 1, MPI_INT, session.kernel());
  std::string found = detail::crowded(cores_of_ranks, threads_of_ranks);
  const std::vector<CpuQuota> quotas = cpu_quotas();
  const std::vector<Shared> shared = sums_by_name(session.kernel(), names_of(quotas), threads);
  for (std::size_t i = 0; i < quotas.size() && found.empty(); ++i)
    found = detail::crowded(quotas[i], shared[i].ranks, static_cast<int>(shared[i].sum));
  const int lowest = lowest_rank_where(session.world(), !found.empty());
  if (lowest < 0) return {};
  if (session.rank() == lowest) found = fmt::format("{} of {}", found, session.host());
  return gather_texts(session.world(),
                      session.rank() == lowest ? found : "")[static_cast<std::size_t>(lowest)];
}

}  // namespace bellwether
