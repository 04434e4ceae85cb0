// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "models/stencil/stencil_workload_test.hpp"

namespace bellwether {

/// Receiver and bytes of each message, sorted.
using SentMessages = std::vector<std::pair<int, double>>;

/// For tests: the messages that this rank starts to send through persistent requests while `body`
/// runs, counted through MPI's profiling interface.
SentMessages sent_by(const std::function<void()>& body);

SentMessages messages_of(const RankWorkload& workload);

}  // namespace bellwether
