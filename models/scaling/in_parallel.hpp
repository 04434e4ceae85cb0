// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>

namespace bellwether {

/// Calls `work` with 0, ..., count - 1, each once, on as many threads as the process has cores; on
/// the caller alone where there is one call. If calls throw, the exception of the lowest index
/// among them is thrown on once all threads have ended; calls not yet begun are left out then.
void in_parallel(std::size_t count, const std::function<void(std::size_t)>& work);

}  // namespace bellwether
