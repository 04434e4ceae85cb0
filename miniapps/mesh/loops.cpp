// SPDX-License-Identifier: MIT
#include "miniapps/mesh/loops.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace bellwether {
LoopHalos::LoopHalos(const LocalMesh& mesh, std::vector<LoopData> data)
    : mesh_(mesh), data_(std::move(data)), dirty_(data_.size()) {}

LoopPlan LoopHalos::call(const ParallelLoop& loop) {
  check(loop);
  const LocalSet& set = mesh_.sets[loop.set];
  const bool imports =
      std::any_of(loop.arguments.begin(), loop.arguments.end(),
                  [](const LoopArgument& argument) { return argument.writes_through_map(); });
  LoopPlan plan;
  for (const LoopArgument& argument : loop.arguments) {
    const bool beyond_own = argument.map != LoopArgument::direct || imports;
    if (reads(argument.access) && beyond_own && dirty_[argument.data]) {
      plan.exchanges.push_back(argument.data);
      dirty_[argument.data] = false;
    }
  }
  std::sort(plan.exchanges.begin(), plan.exchanges.end());
  plan.executed = imports ? set.executed() : set.owned();
  plan.before_halos = plan.blocks() ? set.core : plan.executed;
  for (const LoopArgument& argument : loop.arguments)
    if (writes(argument.access)) dirty_[argument.data] = true;
  return plan;
}

void LoopHalos::check(const ParallelLoop& loop) const {
  const auto refuse = [&](const std::string& what) {
    throw std::invalid_argument(fmt::format("parallel loop {}: {}", loop.name, what));
  };
  const auto known = [](int index, const auto& list) {
    return index >= 0 && index < static_cast<int>(list.size());
  };
  if (!known(loop.set, mesh_.sets)) refuse("no such set");
  for (const LoopArgument& argument : loop.arguments) {
    if (!known(argument.data, data_)) refuse("no such data");
    const LoopData& data = data_[argument.data];
    if (argument.map == LoopArgument::direct) {
      if (data.set != loop.set) refuse(data.name + " is not data of the loop's set");
      continue;
    }
    if (!known(argument.map, mesh_.maps)) refuse("no such map");
    const LocalMap& map = mesh_.maps[argument.map];
    if (map.from != loop.set) refuse(map.name + " is not a map from the loop's set");
    if (map.to != data.set) refuse(map.name + " does not lead to the set of " + data.name);
    if (argument.writes_through_map() && !map.written)
      refuse(data.name + " is written through " + map.name + ", which is only read through");
  }
}

}  // namespace bellwether
