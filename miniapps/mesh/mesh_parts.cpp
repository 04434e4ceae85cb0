// SPDX-License-Identifier: MIT
#include "miniapps/mesh/mesh_parts.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "miniapps/mesh/number_of.hpp"
#include "miniapps/mesh/parcels.hpp"

namespace bellwether {
namespace {

std::vector<int> owners_of_first_targets(MPI_Comm comm, const BlockMesh& mesh, const BlockMap& map,
                                         const std::vector<int>& target_owners) {
  std::vector<std::int64_t> first;
  for (std::size_t row = 0; row < map.targets.size(); row += map.arity)
    first.push_back(map.targets[row]);
  return fetch(comm, mesh.blocks(map.to, ranks_in(comm)), first, target_owners);
}

std::vector<int> owners_of_lowest_users(MPI_Comm comm, const BlockMesh& mesh, const BlockMap& map,
                                        const std::vector<int>& user_owners) {
  struct Use {
    std::int64_t target, user;
    int owner;
  };
  const int rank = rank_in(comm);
  const Blocks users = mesh.blocks(map.from, ranks_in(comm));
  const Blocks targets = mesh.blocks(map.to, ranks_in(comm));
  std::vector<Use> own;
  own.reserve(map.targets.size());
  for (std::size_t user = 0, at = 0; user < user_owners.size(); ++user)
    for (int k = 0; k < map.arity; ++k, ++at)
      own.push_back({map.targets[at], users.first(rank) + static_cast<std::int64_t>(user),
                     user_owners[user]});
  sort_once(own, [](const Use& use) { return use.target; });
  Outbox<Use> uses(comm);
  for (const Use& use : own) uses.add(targets.rank_of(use.target), use);
  std::vector<int> owners(targets.size(rank), rank);
  std::vector<std::int64_t> lowest(owners.size(), std::numeric_limits<std::int64_t>::max());
  for (const Use& use : uses.deliver().items) {
    const std::int64_t at = use.target - targets.first(rank);
    if (use.user >= lowest[at]) continue;
    lowest[at] = use.user;
    owners[at] = use.owner;
  }
  return owners;
}

}  // namespace

Ownership follow_owners(MPI_Comm comm, const BlockMesh& mesh, int set, std::vector<int> owners) {
  Ownership all(mesh.sets.size());
  std::vector<bool> known(mesh.sets.size());
  all[set] = std::move(owners);
  known[set] = true;
  for (bool more = true; more;) {
    more = false;
    const std::vector<bool> before = known;
    for (const BlockMap& map : mesh.maps) {
      if (before[map.to] && !known[map.from]) {
        all[map.from] = owners_of_first_targets(comm, mesh, map, all[map.to]);
        known[map.from] = more = true;
      } else if (before[map.from] && !known[map.to]) {
        all[map.to] = owners_of_lowest_users(comm, mesh, map, all[map.from]);
        known[map.to] = more = true;
      }
    }
  }
  for (std::size_t other = 0; other < all.size(); ++other)
    if (!known[other])
      all[other].assign(mesh.blocks(static_cast<int>(other), ranks_in(comm)).size(rank_in(comm)),
                        rank_in(comm));
  return all;
}

namespace {

/// An element and its owner.
struct Owned {
  std::int64_t element;
  int owner;
};
std::int64_t index_of(const Owned& of) { return of.element; }

/// What this rank executes of a set, ascending: its own elements, and those of others that refer to
/// its own through written maps.
std::vector<Owned> executed_elements(MPI_Comm comm, const BlockMesh& mesh, const Ownership& owners,
                                     int set) {
  Outbox<Owned> sent(comm);
  const std::int64_t first = mesh.blocks(set, ranks_in(comm)).first(rank_in(comm));
  const auto send = [&](std::size_t element, int rank) {
    sent.add(rank, {first + static_cast<std::int64_t>(element), owners[set][element]});
  };
  for (std::size_t element = 0; element < owners[set].size(); ++element)
    send(element, owners[set][element]);
  for (const BlockMap& map : mesh.maps) {
    if (map.from != set || !map.written) continue;
    const std::vector<int> of_targets =
        fetch(comm, mesh.blocks(map.to, ranks_in(comm)), map.targets, owners[map.to]);
    for (std::size_t at = 0; at < of_targets.size(); ++at)
      if (of_targets[at] != owners[set][at / map.arity]) send(at / map.arity, of_targets[at]);
  }
  std::vector<Owned> executed = sent.deliver().items;
  sort_once(executed, index_of);
  return executed;
}

/// The rows of a map for what is executed of its set, with the targets' owners.
struct Rows {
  std::vector<std::int64_t> targets;
  std::vector<int> owners;
};

Rows fetch_rows(MPI_Comm comm, const BlockMesh& mesh, const Ownership& owners, const BlockMap& map,
                const std::vector<Owned>& executed) {
  std::vector<std::int64_t> elements;
  elements.reserve(executed.size());
  for (const Owned& element : executed) elements.push_back(element.element);
  Rows rows;
  rows.targets =
      fetch(comm, mesh.blocks(map.from, ranks_in(comm)), elements, map.targets, map.arity);
  rows.owners = fetch(comm, mesh.blocks(map.to, ranks_in(comm)), rows.targets, owners[map.to]);
  return rows;
}

enum class Class { core, eeh, ieh };

std::vector<Class> classes_of(const BlockMesh& mesh, int set, const std::vector<Owned>& executed,
                              const std::vector<Rows>& rows, int rank) {
  std::vector<Class> classes(executed.size());
  for (std::size_t e = 0; e < executed.size(); ++e)
    classes[e] = executed[e].owner == rank ? Class::core : Class::ieh;
  for (std::size_t m = 0; m < mesh.maps.size(); ++m) {
    if (mesh.maps[m].from != set) continue;
    for (std::size_t at = 0; at < rows[m].owners.size(); ++at) {
      Class& of = classes[at / mesh.maps[m].arity];
      if (rows[m].owners[at] != rank && of == Class::core) of = Class::eeh;
    }
  }
  return classes;
}

/// Fills a set's core, eeh and ieh, and brings the rows of its maps into that order.
void divide_set(const BlockMesh& mesh, int set, const std::vector<Owned>& executed,
                const std::vector<Class>& classes, const std::vector<Rows>& rows,
                MeshParts& parts) {
  SetParts& part = parts.sets[set];
  std::vector<std::size_t> order;
  order.reserve(executed.size());
  for (const Class wanted : {Class::core, Class::eeh, Class::ieh}) {
    std::vector<std::int64_t>& of_class = wanted == Class::core  ? part.core
                                          : wanted == Class::eeh ? part.eeh
                                                                 : part.ieh;
    for (std::size_t e = 0; e < executed.size(); ++e) {
      if (classes[e] != wanted) continue;
      order.push_back(e);
      of_class.push_back(executed[e].element);
      if (wanted == Class::ieh) part.ieh_owners.push_back(executed[e].owner);
    }
  }
  for (std::size_t m = 0; m < mesh.maps.size(); ++m) {
    if (mesh.maps[m].from != set) continue;
    const int arity = mesh.maps[m].arity;
    parts.rows[m].resize(rows[m].targets.size());
    auto to = parts.rows[m].begin();
    for (const std::size_t e : order)
      for (int k = 0; k < arity; ++k) *to++ = rows[m].targets[e * arity + k];
  }
}

void import_what_is_read(const BlockMesh& mesh, int set, const std::vector<Rows>& rows, int rank,
                         SetParts& part) {
  std::vector<Owned> read;
  for (std::size_t m = 0; m < mesh.maps.size(); ++m) {
    if (mesh.maps[m].to != set) continue;
    for (std::size_t at = 0; at < rows[m].targets.size(); ++at)
      if (rows[m].owners[at] != rank) read.push_back({rows[m].targets[at], rows[m].owners[at]});
  }
  sort_once(read, index_of);
  for (const Owned& element : read) {
    if (std::binary_search(part.ieh.begin(), part.ieh.end(), element.element)) continue;
    part.inh.push_back(element.element);
    part.inh_owners.push_back(element.owner);
  }
}

}  // namespace

MeshParts divide_mesh(MPI_Comm comm, const BlockMesh& mesh, const Ownership& owners) {
  const int rank = rank_in(comm), sets = static_cast<int>(mesh.sets.size());
  MeshParts parts;
  parts.sets.resize(mesh.sets.size());
  parts.rows.resize(mesh.maps.size());
  std::vector<Rows> rows(mesh.maps.size());
  for (int set = 0; set < sets; ++set) {
    const std::vector<Owned> executed = executed_elements(comm, mesh, owners, set);
    for (std::size_t m = 0; m < mesh.maps.size(); ++m)
      if (mesh.maps[m].from == set)
        rows[m] = fetch_rows(comm, mesh, owners, mesh.maps[m], executed);
    divide_set(mesh, set, executed, classes_of(mesh, set, executed, rows, rank), rows, parts);
  }
  for (int set = 0; set < sets; ++set) import_what_is_read(mesh, set, rows, rank, parts.sets[set]);
  return parts;
}

}  // namespace bellwether
