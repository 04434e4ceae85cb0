// SPDX-License-Identifier: MIT
#include "models/airfoil/op2_halos.hpp"

#include <algorithm>
#include <set>

namespace bellwether {
namespace {

using Owners = std::vector<std::vector<int>>;

/// core, eeh, ieh and inh of every set.
std::vector<HaloLists> imports(const Owners& owners, const std::vector<ElementMap>& maps,
                               int rank) {
  std::vector<HaloLists> lists(owners.size());
  for (std::size_t set = 0; set < owners.size(); ++set) {
    for (int element = 0; element < static_cast<int>(owners[set].size()); ++element) {
      bool own_target = false, foreign_target = false;
      for (const ElementMap& map : maps) {
        if (map.from != static_cast<int>(set)) continue;
        for (const int target : map.targets[element]) {
          const bool own = owners[map.to][target] == rank;
          own_target |= own && map.written;
          foreign_target |= !own;
        }
      }
      if (owners[set][element] == rank)
        (foreign_target ? lists[set].eeh : lists[set].core).push_back(element);
      else if (own_target)
        lists[set].ieh.push_back(element);
    }
  }
  std::vector<std::set<int>> read(owners.size());
  for (const ElementMap& map : maps) {
    const HaloLists& from = lists[map.from];
    for (const auto* executed : {&from.core, &from.eeh, &from.ieh})
      for (const int element : *executed)
        for (const int target : map.targets[element])
          if (owners[map.to][target] != rank) read[map.to].insert(target);
  }
  for (std::size_t set = 0; set < owners.size(); ++set)
    std::set_difference(read[set].begin(), read[set].end(), lists[set].ieh.begin(),
                        lists[set].ieh.end(), std::back_inserter(lists[set].inh));
  return lists;
}

}  // namespace

std::vector<HaloLists> op2_halos(const std::vector<std::vector<int>>& owners,
                                 const std::vector<ElementMap>& maps, int rank) {
  std::set<int> others;
  for (const std::vector<int>& set : owners) others.insert(set.begin(), set.end());
  others.erase(rank);
  std::vector<HaloLists> lists = imports(owners, maps, rank);
  std::vector<std::set<int>> exported(owners.size());
  for (const int other : others) {
    const std::vector<HaloLists> theirs = imports(owners, maps, other);
    for (std::size_t set = 0; set < owners.size(); ++set)
      for (const int element : theirs[set].inh)
        if (owners[set][element] == rank) exported[set].insert(element);
  }
  for (std::size_t set = 0; set < owners.size(); ++set)
    lists[set].enh.assign(exported[set].begin(), exported[set].end());
  return lists;
}

}  // namespace bellwether
