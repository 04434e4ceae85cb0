// SPDX-License-Identifier: MIT
#include "miniapps/airfoil/airfoil_arrays.hpp"

#include <algorithm>

namespace bellwether {
namespace {

/// With room for one value at least: a rank may own nothing.
template <class T>
Buffer<T> room(Device& device, std::size_t count) {
  return {device, std::max<std::size_t>(1, count)};
}

template <class T>
Buffer<T> copied(Device& device, const std::vector<T>& values, Stream& stream) {
  return values.empty() ? room<T>(device, 0) : uploaded(device, values, stream);
}

/// `width` values for each of the elements in their order.
std::vector<std::int32_t> rows(const std::vector<std::int32_t>& values, int width,
                               const std::vector<int>& order) {
  std::vector<std::int32_t> result;
  result.reserve(order.size() * width);
  for (const int element : order) {
    const auto row = values.begin() + static_cast<std::ptrdiff_t>(element) * width;
    result.insert(result.end(), row, row + width);
  }
  return result;
}

/// Which own cells have no wall.
template <class T>
std::vector<T> without_wall(const AirfoilLocal& local) {
  const LocalSet& bedges = local.mesh.sets[airfoil_bedges];
  std::vector<T> away(local.mesh.sets[airfoil_cells].size(), T(1));
  for (int edge = 0; edge < bedges.executed(); ++edge)
    if (local.bounds[edge] == airfoil_wall)
      away[local.mesh.maps[bedge_cell_map].targets[edge]] = T(0);
  return away;
}

}  // namespace

template <class T>
AirfoilArrays<T>::AirfoilArrays(Device& device, const AirfoilLocal& local, bool gathers,
                                const std::vector<int>& edges, const std::vector<int>& bedges,
                                AirfoilKernels<T>& kernels, Stream& stream)
    : own_(local.mesh.sets[airfoil_cells].owned()), all_(local.mesh.sets[airfoil_cells].size()) {
  const auto& maps = local.mesh.maps;
  cell_nodes_ = copied(device, maps[cell_nodes_map].targets, stream);
  bedge_cells_ = copied(device, rows(maps[bedge_cell_map].targets, 1, bedges), stream);
  flags_ = copied(device, rows(local.bounds, 1, bedges), stream);
  global_ = copied(device, local.mesh.sets[airfoil_cells].global, stream);
  positions_ =
      copied(device, std::vector<T>(local.coordinates.begin(), local.coordinates.end()), stream);
  perimeters_ = room<T>(device, own_);
  kernels.set_perimeters(own(), cells(), perimeters_.data(), stream);
  away_ = copied(device, without_wall<T>(local), stream);
  change_ = room<T>(device, own_);
  for (const AirfoilData data :
       {airfoil_first_q, airfoil_second_q, airfoil_adt, airfoil_second_adt, airfoil_res})
    if (gathers || data != airfoil_second_adt)
      values_[data] = room<T>(device, static_cast<std::size_t>(all_) * airfoil_values[data]);

  const auto sides = [&](int map, const std::vector<int>& order) {
    const Buffer<std::int32_t> nodes = copied(device, rows(maps[map].targets, 2, order), stream);
    Buffer<T> result = room<T>(device, 2 * order.size());
    kernels.set_sides({0, static_cast<std::int32_t>(order.size())}, nodes.data(), positions_.data(),
                      result.data(), stream);
    device.fence(stream);
    return result;
  };
  outer_sides_ = sides(bedge_nodes_map, bedges);
  if (gathers) {
    surroundings_ = copied(device, local.surroundings, stream);
    return;
  }
  edge_cells_ = copied(device, rows(maps[edge_cells_map].targets, 2, edges), stream);
  sides_ = sides(edge_nodes_map, edges);
}

template <class T>
void AirfoilArrays<T>::add_to(ConstantArrays& constants) const {
  constants.add("nodes of cells", cell_nodes_);
  constants.add("cells of edges", edge_cells_);
  constants.add("cells of boundary edges", bedge_cells_);
  constants.add("boundary flags", flags_);
  constants.add("cells' surroundings", surroundings_);
  constants.add("cells' numbers", global_);
  constants.add("coordinates", positions_);
  constants.add("perimeters", perimeters_);
  constants.add("sides of edges", sides_);
  constants.add("sides of boundary edges", outer_sides_);
  constants.add("cells at the wall", away_);
}

template <class T>
std::size_t AirfoilArrays<T>::bytes(const LocalMesh& mesh, bool gathers) {
  constexpr std::size_t index = sizeof(std::int32_t), number = sizeof(std::int64_t);
  constexpr std::size_t of_cell = 4 * index + number + (4 + 4 + 1 + 4 + 1 + 1 + 1) * sizeof(T);
  constexpr std::size_t gathered = 4 * index + sizeof(T);
  // An edge's nodes only until its side is known.
  constexpr std::size_t of_edge = (2 + 2) * index + 2 * sizeof(T);
  const auto count = [&](int set) { return static_cast<std::size_t>(mesh.sets[set].size()); };
  return count(airfoil_nodes) * 2 * sizeof(T) +
         count(airfoil_cells) * (of_cell + (gathers ? gathered : 0)) +
         ((gathers ? 0 : count(airfoil_edge_set)) + count(airfoil_bedges)) * of_edge;
}

template class AirfoilArrays<float>;
template class AirfoilArrays<double>;

}  // namespace bellwether
