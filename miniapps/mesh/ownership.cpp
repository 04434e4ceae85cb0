// SPDX-License-Identifier: MIT
#include "miniapps/mesh/ownership.hpp"

#include <limits>
#include <utility>

#include "miniapps/mesh/fetch.hpp"

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
  Outbox<Use> uses(comm);
  for (std::size_t at = 0; at < map.targets.size(); ++at) {
    const std::size_t user = at / map.arity;
    uses.add(
        targets.rank_of(map.targets[at]),
        {map.targets[at], users.first(rank) + static_cast<std::int64_t>(user), user_owners[user]});
  }
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

}  // namespace bellwether
