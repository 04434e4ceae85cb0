// SPDX-License-Identifier: MIT
#include "miniapps/mesh/distribute.hpp"

#include <algorithm>
#include <cstdint>

#include "miniapps/mesh/local_order.hpp"
#include "miniapps/mesh/mesh_parts.hpp"
#include "miniapps/mesh/number_of.hpp"
#include "miniapps/mesh/parcels.hpp"

namespace bellwether {
namespace {

/// One class of halo elements, as importers and owners agree on it.
struct HaloClass {
  Parcels<std::int64_t> imports;  ///< by owner, and then by the owner's numbers; global indices
  Parcels<int> exports;           ///< what each rank imports, by the owner's numbers
};

/// Collective. Every rank asks the owners for its elements of the class; they answer in the order
/// of their own numbers, in which messages have them. `owned`: as this rank numbers them.
HaloClass agree_on_halo(MPI_Comm comm, const std::vector<std::int64_t>& wanted,
                        const std::vector<int>& owners, const std::vector<std::int64_t>& owned) {
  Outbox<std::int64_t> requests(comm);
  for (std::size_t at = 0; at < wanted.size(); ++at) requests.add(owners[at], wanted[at]);
  const Parcels<std::int64_t> asked = requests.deliver();
  HaloClass halo;
  halo.exports.counts = asked.counts;
  const NumberOf number(owned);
  for (const std::int64_t element : asked.items) halo.exports.items.push_back(number(element));
  auto first = halo.exports.items.begin();
  for (const int count : asked.counts) {
    std::sort(first, first + count);
    first += count;
  }
  std::vector<std::int64_t> answer;
  for (const int at : halo.exports.items) answer.push_back(owned[at]);
  halo.imports =
      exchange_parcels(comm, answer, {halo.exports.counts.begin(), halo.exports.counts.end()});
  return halo;
}

std::vector<SetNeighbour> neighbours_of(const LocalSet& set, const HaloClass& ieh,
                                        const HaloClass& inh) {
  std::vector<SetNeighbour> neighbours;
  SetNeighbour next;
  next.first_ieh = set.owned();
  next.first_inh = set.executed();
  auto execute = ieh.exports.items.begin(), read = inh.exports.items.begin();
  const auto take = [](auto& from, int count) {
    const auto first = from;
    from += count;
    return std::vector<int>(first, from);
  };
  for (std::size_t rank = 0; rank < ieh.exports.counts.size(); ++rank) {
    next.rank = static_cast<int>(rank);
    next.execute_exports = take(execute, ieh.exports.counts[rank]);
    next.read_exports = take(read, inh.exports.counts[rank]);
    next.ieh_count = ieh.imports.counts[rank];
    next.inh_count = inh.imports.counts[rank];
    if (!next.execute_exports.empty() || !next.read_exports.empty() || next.ieh_count > 0 ||
        next.inh_count > 0)
      neighbours.push_back(next);
    next.first_ieh += next.ieh_count;
    next.first_inh += next.inh_count;
  }
  return neighbours;
}

/// Collective. `order`: the positions of the set's core and eeh in the order of their numbers.
LocalSet number_set(MPI_Comm comm, const MeshSet& of, const SetParts& part,
                    const std::vector<int>& order) {
  LocalSet set;
  set.name = of.name;
  set.total = of.total;
  set.core = static_cast<int>(part.core.size());
  set.eeh = static_cast<int>(part.eeh.size());
  set.ieh = static_cast<int>(part.ieh.size());
  set.inh = static_cast<int>(part.inh.size());
  for (const int at : order)
    set.global.push_back(at < set.core ? part.core[at] : part.eeh[at - set.core]);
  const std::vector<std::int64_t> owned = set.global;
  const HaloClass ieh = agree_on_halo(comm, part.ieh, part.ieh_owners, owned);
  const HaloClass inh = agree_on_halo(comm, part.inh, part.inh_owners, owned);
  for (const HaloClass* halo : {&ieh, &inh})
    set.global.insert(set.global.end(), halo->imports.items.begin(), halo->imports.items.end());
  set.neighbours = neighbours_of(set, ieh, inh);
  return set;
}

LocalMap number_map(const BlockMap& of, const std::vector<std::int64_t>& rows, const LocalSet& from,
                    const SetParts& part, const std::vector<int>& order, const NumberOf& to) {
  LocalMap map{of.name, of.from, of.to, of.arity, of.written, {}};
  map.targets.reserve(rows.size());
  const auto add = [&](std::size_t row) {
    for (int k = 0; k < of.arity; ++k) map.targets.push_back(to(rows[row * of.arity + k]));
  };
  for (const int at : order) add(at);
  for (int number = from.owned(); number < from.executed(); ++number)
    add(from.owned() + (std::lower_bound(part.ieh.begin(), part.ieh.end(), from.global[number]) -
                        part.ieh.begin()));
  return map;
}

}  // namespace

LocalMesh distribute(MPI_Comm comm, const BlockMesh& mesh, const Ownership& owners, int set) {
  const MeshParts parts = divide_mesh(comm, mesh, owners);
  const auto keys = order_keys(mesh, parts, set);
  LocalMesh local;
  std::vector<std::vector<int>> orders;
  std::vector<NumberOf> numbers;
  for (std::size_t s = 0; s < mesh.sets.size(); ++s) {
    const SetParts& part = parts.sets[s];
    orders.push_back(sorted_by_class(keys[s], part.core.size()));
    local.sets.push_back(number_set(comm, mesh.sets[s], part, orders.back()));
    numbers.emplace_back(local.sets.back().global);
  }
  for (std::size_t m = 0; m < mesh.maps.size(); ++m) {
    const BlockMap& map = mesh.maps[m];
    local.maps.push_back(number_map(map, parts.rows[m], local.sets[map.from], parts.sets[map.from],
                                    orders[map.from], numbers[map.to]));
  }
  return local;
}

}  // namespace bellwether
