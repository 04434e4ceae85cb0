// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "kernels/launch/backend_test.hpp"
#include "miniapps/comm/session/test_session.hpp"
#include "miniapps/mesh/block_mesh.hpp"
#include "miniapps/mesh/mesh_parts.hpp"
#include "models/airfoil/op2_halos.hpp"

namespace bellwether {

/// For tests: a small mesh as every rank knows it whole.
struct WholeMesh {
  std::vector<int> sizes;  ///< of the sets
  std::vector<ElementMap> maps;
  std::vector<std::vector<int>> owners;  ///< of each element of each set

  /// This rank's blocks of it.
  [[nodiscard]] BlockMesh blocks() const {
    BlockMesh mesh;
    for (const int size : sizes)
      mesh.sets.push_back({"set " + std::to_string(mesh.sets.size()), size});
    for (const ElementMap& map : maps) {
      const int arity = map.targets.empty() ? 1 : static_cast<int>(map.targets[0].size());
      mesh.maps.push_back({"map", map.from, map.to, arity, map.written, {}});
      const Blocks of = mesh.blocks(map.from, test_session().size());
      for (std::int64_t row = of.first(test_session().rank()); row < of.end(test_session().rank());
           ++row)
        mesh.maps.back().targets.insert(mesh.maps.back().targets.end(), map.targets[row].begin(),
                                        map.targets[row].end());
    }
    return mesh;
  }
  [[nodiscard]] Ownership ownership() const {
    Ownership own;
    for (std::size_t set = 0; set < sizes.size(); ++set) {
      const Blocks of(sizes[set], test_session().size());
      const auto first = owners[set].begin();
      own.emplace_back(first + of.first(test_session().rank()),
                       first + of.end(test_session().rank()));
    }
    return own;
  }
};

/// The same on every rank: up to four sets, maps between any two of them, owners at random.
inline WholeMesh random_mesh(Random& random, int ranks) {
  WholeMesh mesh;
  for (int set = random.below(3) + 1; set >= 0; --set) {
    mesh.sizes.push_back(random.below(30) + 1);
    mesh.owners.emplace_back();
    for (int element = 0; element < mesh.sizes.back(); ++element)
      mesh.owners.back().push_back(random.below(ranks));
  }
  const int sets = static_cast<int>(mesh.sizes.size());
  for (int map = random.below(5); map > 0; --map) {
    ElementMap next{random.below(sets), random.below(sets), {}, random.below(3) > 0};
    const int arity = random.below(3) + 1;
    for (int row = 0; row < mesh.sizes[next.from]; ++row) {
      next.targets.emplace_back();
      for (int k = 0; k < arity; ++k)
        next.targets.back().push_back(random.below(mesh.sizes[next.to]));
    }
    mesh.maps.push_back(next);
  }
  return mesh;
}

/// The paper's Figure 2: 16 nodes and 9 cells in a square, on two ranks.
inline WholeMesh figure_2() {
  WholeMesh mesh;
  mesh.sizes = {16, 9};
  mesh.owners = {{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1}, {0, 0, 0, 1, 0, 0, 1, 1, 1}};
  mesh.maps = {{1, 0, {}}};
  for (int cell = 0; cell < 9; ++cell) {
    const int node = cell + cell / 3;
    mesh.maps[0].targets.push_back({node, node + 1, node + 5, node + 4});
  }
  return mesh;
}

}  // namespace bellwether
