// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "models/errors.hpp"

namespace bellwether {

/// What a run of this program on several ranks came to.
struct StudyRun {
  ExitStatus status = ExitStatus::success;
  std::string why;  ///< what it said last of why it failed; empty where it succeeded
};

/// Runs this program with the words on so many ranks, under the launcher: words of a shell to which
/// the count is added. What it prints goes to the end of the file `log`, what it says to stderr.
/// Throws BadEnvironment where no shell can be started.
StudyRun run_on_ranks(const std::string& launcher, int ranks, const std::vector<std::string>& words,
                      const std::string& log);

/// Ranks that this allocation has room for: Slurm's tasks, else the cores of this process.
int allocated_ranks();

}  // namespace bellwether
