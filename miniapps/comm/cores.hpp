// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "miniapps/comm/session.hpp"

namespace bellwether {

/// The cores that this process may run on, ascending, each by the lowest processor number of its
/// hardware threads; empty where the system does not say.
std::vector<int> own_cores();

/// "0-3,8".
std::string ranges_of(const std::vector<int>& ascending);

/// Seconds for which this thread could have run and its core ran something else, since it began, as
/// Linux's scheduler counts them (/proc/thread-self/schedstat); absent where it does not.
std::optional<double> waited_for_core_s();

/// Collective. Of the cores that this rank may run on its part, where other ranks may as well; at
/// least 1.
int cores_of_its_own(const Session& session);

/// Collective. What is wrong where ranks share cores, in words; empty where each has one of its
/// own. The same on every rank. Two ranks of which each waits while the other runs turn a message
/// of a microsecond into milliseconds.
std::string shared_cores(const Session& session);

namespace detail {

/// For the ranks of one system with these cores each: empty, or which of them have too few.
std::string crowded(const std::vector<std::vector<int>>& cores_of_ranks);

}  // namespace detail

}  // namespace bellwether
