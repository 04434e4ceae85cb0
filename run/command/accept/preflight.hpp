// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "run/command/accept/accept_folder.hpp"
#include "run/command/accept/suite.hpp"
#include "run/command/case_runner.hpp"

namespace bellwether {

struct Preflight {
  /// Why nothing can be timed; the same on every rank.
  std::vector<std::string> problems;
  /// Cases that cannot run here, and why; optional ones are left out instead.
  std::vector<std::pair<std::unique_ptr<PreparedCase>, std::string>> unfit;
  bool of_input = true;               ///< all of both are, none of the environment
  std::vector<std::string> remarks;   ///< what is to be known; on rank 0
  std::vector<std::string> left_out;  ///< keys of optional cases that cannot run
  double predicted_s = 0;             ///< of what is left of the suite, roughly
  double limit_s = 0;                 ///< that the batch system leaves; 0: not known
};

/// Collective. Builds every case once and plans those that fit; looks at layout, GPUs, disk and
/// time (`time_limit_s` < 0: the batch system's). Takes those out that cannot run.
Preflight preflight(Session& session, CaseRunner& runner, const Suite& suite, double hours,
                    const std::string& folder, double time_limit_s, const AcceptFolder* begun,
                    std::vector<std::unique_ptr<PreparedCase>>& cases);

/// For people, with its own last line where nothing is in the way.
std::string preflight_text(const Preflight& found, const Suite& suite);

}  // namespace bellwether
