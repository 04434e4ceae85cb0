// SPDX-License-Identifier: MIT
#include "microbench/driver/plan.hpp"

#include <stdexcept>
#include <utility>

namespace bellwether {

void Plan::group(const std::string& title, double share, int times_most_rounds) {
  const CalibrationLimits& limits = bench_.limits();
  groups_.push_back(
      {title, share, limits.fewest_rounds, times_most_rounds * limits.most_rounds, {}});
}

SampleKey Plan::add(BenchCase work) {
  if (!names_.insert(work.name).second) throw std::logic_error("two benchmarks named " + work.name);
  work.key = {static_cast<int>(names_.size()), 0};
  groups_.back().cases.push_back(std::move(work));
  return groups_.back().cases.back().key;
}

void Plan::repeat_at_end(SampleKey key) {
  for (const Group& group : groups_)
    for (const BenchCase& work : group.cases)
      if (work.key == key) drift_.cases.push_back(work);
}

}  // namespace bellwether
