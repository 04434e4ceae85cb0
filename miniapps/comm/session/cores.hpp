// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/launch/cpu/process_limits.hpp"
#include "miniapps/comm/session/session.hpp"

namespace bellwether {

/// The cores that this process may run on, ascending, each by the lowest processor number of its
/// hardware threads; empty where the system does not say.
std::vector<int> own_cores();

/// "0-3,8".
std::string ranges_of(const std::vector<int>& ascending);

/// Seconds for which this thread could have run and its core ran something else, since it began, as
/// Linux's scheduler counts them (/proc/thread-self/schedstat); absent where it does not.
std::optional<double> waited_for_core_s();

/// Collective. Of the cores that this rank may run on its part, where other ranks may as well, and
/// of its control groups' CPU quotas; at least 1.
int cores_of_its_own(const Session& session);

/// Collective. In words, the same on every rank: that ranks share cores, or a CPU quota too small
/// for them; empty where each of a rank's `threads` has a core.
std::string shared_cores(const Session& session, int threads = 1);

/// A rank that a CPU quota held back, and what that counted meanwhile.
struct ThrottledRank {
  int rank = 0;
  double cpus = 0;  ///< that the quota allows
  long periods = 0, throttled_periods = 0;
  double seconds = 0;  ///< of all CPUs of its control group together
};

/// Collective. The rank that was held back longest since each read its quotas `before`; absent
/// where none was.
std::optional<ThrottledRank> throttled_since(const Session& session,
                                             const std::vector<CpuQuota>& before);

namespace detail {

/// For the ranks of one system with these cores each, and so many threads (not given: one): empty,
/// or which of them have too few.
std::string crowded(const std::vector<std::vector<int>>& cores_of_ranks,
                    std::vector<int> threads_of_ranks = {});

/// For so many threads of so many ranks that share a quota: empty, or that it is too little.
std::string crowded(const CpuQuota& quota, int ranks, int threads);

/// Of quotas that were read twice the one that held its control group back longest meanwhile, with
/// what it counted then; absent where none did.
std::optional<CpuQuota> throttled_between(const std::vector<CpuQuota>& before,
                                          const std::vector<CpuQuota>& after);

}  // namespace detail

}  // namespace bellwether
