// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "results/acceptance/finding.hpp"
#include "results/acceptance/outliers.hpp"

namespace bellwether {

/// Members that should be alike, in one quantity.
struct SiblingGroup {
  std::string what;     ///< "memory bandwidth"
  std::string are;      ///< "memory bandwidth is", "links are"
  std::string members;  ///< "ranks", "nodes"
  std::vector<std::string> names;
  Occasions log_s;
  Occasions before;                     ///< the baselines'; perhaps none
  bool by_near_end = false;             ///< Standing's near_p decides, not its p
  double spread = 1;                    ///< of `standings`
  std::vector<std::string> notes = {};  ///< of each member, for its sentence
};

/// Of a group that there is too little of to judge.
Finding not_held(const std::string& subject, const std::string& what, const std::string& why);

/// The members that are slower than the others by what matters and by more than chance explains at
/// the rate `alpha`; else one finding, that they are alike or too few.
std::vector<Finding> judge_group(const SiblingGroup& group, const Material& material, double alpha);

}  // namespace bellwether
