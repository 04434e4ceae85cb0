// SPDX-License-Identifier: MIT
#include "microbench/airfoil_iterations.hpp"

#include <numeric>
#include <stdexcept>

#include "microbench/airfoil_storage.hpp"

namespace bellwether {

/// The next values of the arena, on a page of their own as a mini-app's arrays are.
template <class T>
template <class V>
V* AirfoilIterations<T>::take(std::size_t count) {
  auto* const values = reinterpret_cast<V*>(free_);
  free_ += whole_pages(count * sizeof(V));
  if (free_ > bench_.arena() + bench_.sizes().arena_bytes())
    throw std::logic_error("the arena does not hold the Airfoil mesh");
  return values;
}

template <class T>
template <class V, class From>
V* AirfoilIterations<T>::upload(const std::vector<From>& values) {
  V* const to = take<V>(values.size());
  const std::vector<V> converted(values.begin(), values.end());
  bench_.device().copy(to, converted.data(), converted.size() * sizeof(V), bench_.stream());
  bench_.device().fence(bench_.stream());
  return to;
}

template <class T>
T* AirfoilIterations<T>::sides_of(const AirfoilLocal& local, int map, std::int32_t edges,
                                  const T* x) {
  const auto* const nodes = upload<std::int32_t>(local.mesh.maps[map].targets);
  T* const sides = take<T>(2 * static_cast<std::size_t>(edges));
  kernels_.set_sides({0, edges}, nodes, x, sides, bench_.stream());
  return sides;
}

template <class T>
AirfoilIterations<T>::AirfoilIterations(Bench& bench, const AirfoilLocal& local)
    : bench_(bench),
      free_(bench.arena()),
      kernels_(*bench.kernels<T>().airfoil),
      cells_{0, local.mesh.sets[airfoil_cells].owned()},
      edges_{0, local.mesh.sets[airfoil_edge_set].owned()},
      boundary_edges_{0, local.mesh.sets[airfoil_bedges].owned()},
      timer_(bench.device()) {
  const auto& maps = local.mesh.maps;
  const T* const x = upload<T>(local.coordinates);
  where_ = {upload<std::int32_t>(maps[cell_nodes_map].targets), x};
  inner_ = {upload<std::int32_t>(maps[edge_cells_map].targets),
            sides_of(local, edge_nodes_map, edges_.end, x)};
  outer_ = {upload<std::int32_t>(maps[bedge_cell_map].targets), upload<std::int32_t>(local.bounds),
            sides_of(local, bedge_nodes_map, boundary_edges_.end, x)};
  const auto cells = static_cast<std::size_t>(cells_.end);
  for (T** array : {&q_, &other_q_, &res_}) *array = take<T>(4 * cells);
  for (T** array : {&adt_, &change_}) *array = take<T>(cells);
  Stream& stream = bench.stream();
  for (T* array : {q_, other_q_}) kernels_.set_free_stream(cells_, array, stream);
  kernels_.clear(cells_, res_, stream);
  kernels_.adt_calc(cells_, where_, q_, adt_, stream);
}

template <class T>
template <class Launch>
void AirfoilIterations<T>::time(AirfoilLoop loop, Launch&& launch) {
  timer_.time(clock_, airfoil_loop_names[static_cast<std::size_t>(loop)], bench_.stream(), launch);
}

template <class T>
void AirfoilIterations<T>::stage(bool fused, const T* in, const T* old, T* out) {
  Stream& stream = bench_.stream();
  if (!fused)
    time(AirfoilLoop::adt_calc, [&] { kernels_.adt_calc(cells_, where_, in, adt_, stream); });
  if (bench_.device().is_host() && bench_.session().size() > 1)
    MPI_Barrier(bench_.session().world());
  time(AirfoilLoop::res_calc, [&] { kernels_.res_calc(edges_, inner_, in, adt_, res_, stream); });
  time(AirfoilLoop::bres_calc,
       [&] { kernels_.bres_calc(boundary_edges_, outer_, in, adt_, res_, stream); });
  if (fused) {
    time(AirfoilLoop::update_adt,
         [&] { kernels_.update_adt(cells_, where_, old, adt_, out, res_, nullptr, stream); });
  } else {
    // OP2's update adds up the change of every stage.
    time(AirfoilLoop::update, [&] {
      kernels_.update(cells_, old, adt_, out, res_, change_, stream);
      (void)kernels_.sum(cells_, change_, stream);
    });
  }
}

template <class T>
double AirfoilIterations<T>::iterate(bool fused, int iterations) {
  clock_.clear();
  for (int n = 0; n < iterations; ++n) {
    if (fused) {
      stage(true, q_, q_, other_q_);
      stage(true, other_q_, q_, q_);
      continue;
    }
    time(AirfoilLoop::save_soln,
         [&] { kernels_.save_soln(cells_, q_, other_q_, bench_.stream()); });
    for (int k = 0; k < 2; ++k) stage(false, q_, other_q_, q_);
  }
  bench_.device().fence(bench_.stream());
  timer_.collect(clock_);
  return std::accumulate(
      clock_.phases().begin(), clock_.phases().end(), 0.0,
      [](double sum, const PhaseClock::Phase& phase) { return sum + phase.seconds; });
}

template <class T>
double AirfoilIterations<T>::seconds(AirfoilLoop loop) const {
  for (const PhaseClock::Phase& phase : clock_.phases())
    if (phase.name == airfoil_loop_names[static_cast<std::size_t>(loop)]) return phase.seconds;
  return 0;
}

template class AirfoilIterations<float>;
template class AirfoilIterations<double>;

}  // namespace bellwether
