// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <functional>
#include <thread>

namespace bellwether {

/// A thread that does the work at once and then every period until it is asked to stop. Signals are
/// other threads'.
std::jthread periodically(std::chrono::milliseconds period, std::function<void()> work);

}  // namespace bellwether
