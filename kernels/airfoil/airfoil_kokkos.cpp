// SPDX-License-Identifier: MIT
#include "kernels/airfoil/airfoil_checks.hpp"
#include "kernels/airfoil/airfoil_lanes.hpp"
#include "kernels/launch/device.hpp"
#include "kernels/launch/kokkos/kokkos_launcher.hpp"
#include "kernels/launch/kokkos/kokkos_stream.hpp"
#include "kernels/launch/part_sums.hpp"

namespace bellwether {
namespace {

using OnHost = std::bool_constant<launch::on_host>;

/// Cells that a thread of a CPU has at a time: as many as keep one busy for some microseconds.
constexpr std::int32_t cell_block = 1024;

struct AtomicIncrement {
  template <class T>
  KOKKOS_INLINE_FUNCTION static void add(T* to, T value) {
    Kokkos::atomic_add(to, value);
  }
  template <class T>
  KOKKOS_INLINE_FUNCTION static void add(T* to, const launch::Record<4, T>& values) {
    for (int k = 0; k < 4; ++k) add(to + k, values.at[k]);
  }
};

/// function(n) for begin <= n < end.
template <class Function>
void for_each(const launch::Exec& exec, ElementRange range, const Function& function) {
  Kokkos::parallel_for(
      launch::Items(exec, range.begin, range.end), KOKKOS_LAMBDA(std::int64_t n) { function(n); });
}

template <class Loop>
void over_cells(std::true_type /*on_host*/, const launch::Exec& exec, ElementRange cells,
                const Loop& loop) {
  Kokkos::parallel_for(launch::Items(exec, 0, block_count(cells, cell_block)),
                       [=](std::int64_t block) {
                         run(loop, block_of(cells, cell_block, static_cast<std::int32_t>(block)));
                       });
}
template <class Loop>
void over_cells(std::false_type /*on_host*/, const launch::Exec& exec, ElementRange cells,
                const Loop& loop) {
  for_each(exec, cells, loop);
}

/// The blocks of one colour.
template <class Loop>
void over_colour(std::true_type /*on_host*/, const launch::Exec& exec, ElementRange colour,
                 std::int32_t block, const Loop& loop) {
  Kokkos::parallel_for(launch::Items(exec, 0, block_count(colour, block)), [=](std::int64_t n) {
    run_in_order(loop, block_of(colour, block, static_cast<std::int32_t>(n)));
  });
}
template <class Loop>
void over_colour(std::false_type /*on_host*/, const launch::Exec& exec, ElementRange colour,
                 std::int32_t block, const Loop& loop) {
  Kokkos::parallel_for(
      launch::Items(exec, 0, block_count(colour, block)), KOKKOS_LAMBDA(std::int64_t n) {
        const ElementRange edges = block_of(colour, block, static_cast<std::int32_t>(n));
        for (std::ptrdiff_t edge = edges.begin; edge < edges.end; ++edge)
          loop.template increment<PlainIncrement>(edge);
      });
}
template <class Loop>
void with_atomics(const launch::Exec& exec, ElementRange edges, const Loop& loop) {
  Kokkos::parallel_for(
      launch::Items(exec, edges.begin, edges.end),
      KOKKOS_LAMBDA(std::int64_t edge) { loop.template increment<AtomicIncrement>(edge); });
}

/// As EdgeRange says.
template <class Loop>
void over_edges(const launch::Exec& exec, const EdgeRange& range, const Loop& loop) {
  if (range.count() == 0) return;
  const ElementRange all{range.begin, range.end};
  if (range.colours.empty()) {
    if (!launch::on_host || exec.concurrency() > 1) return with_atomics(exec, all, loop);
    return over_colour(OnHost{}, exec, all, all.count(), loop);  // all of them are one block
  }
  for (std::size_t k = 0; k < range.colours.size(); ++k)
    over_colour(OnHost{}, exec, range.colour(k), range.block, loop);
}

template <class T>
class KokkosAirfoil final : public AirfoilKernels<T> {
 public:
  explicit KokkosAirfoil(Device& device) : part_sums_(device) {}

  void set_free_stream(ElementRange cells, T* q, Stream& stream) override {
    for_each(kokkos_exec(stream), cells, AirfoilSetCells<T>{q, c_.free_stream});
  }
  void clear(ElementRange cells, T* res, Stream& stream) override {
    for_each(kokkos_exec(stream), cells, AirfoilSetCells<T>{res, {0, 0, 0, 0}});
  }
  void set_sides(ElementRange edges, const std::int32_t* nodes, const T* x, T* sides,
                 Stream& stream) override {
    for_each(kokkos_exec(stream), edges, AirfoilSides<T>{nodes, x, sides});
  }
  void set_perimeters(ElementRange cells, const AirfoilCells<T>& where, T* perimeters,
                      Stream& stream) override {
    for_each(kokkos_exec(stream), cells, AirfoilPerimeters<T>{where, perimeters});
  }
  void save_soln(ElementRange cells, const T* q, T* q_old, Stream& stream) override {
    for_each(kokkos_exec(stream), cells, AirfoilCopyCells<T>{q, q_old});
  }
  void adt_calc(ElementRange cells, const AirfoilCells<T>& where, const T* q, T* adt,
                Stream& stream) override {
    over_cells(OnHost{}, kokkos_exec(stream), cells, AirfoilAdtCalc<T>{where, c_, q, adt});
  }
  void res_calc(const EdgeRange& range, const AirfoilEdges<T>& edges, const T* q, const T* adt,
                T* res, Stream& stream) override {
    over_edges(kokkos_exec(stream), range, AirfoilResCalc<T>{edges, q, adt, res, c_});
  }
  void bres_calc(const EdgeRange& range, const AirfoilBoundary<T>& edges, const T* q, const T* adt,
                 T* res, Stream& stream) override {
    over_edges(kokkos_exec(stream), range, AirfoilBresCalc<T>{edges, q, adt, res, c_});
  }
  void update(ElementRange cells, const T* q_old, const T* adt, T* q, T* res, T* change,
              Stream& stream) override {
    over_cells(OnHost{}, kokkos_exec(stream), cells,
               AirfoilUpdate<false, T>{{}, c_, q_old, const_cast<T*>(adt), q, res, change});
  }
  void update_adt(ElementRange cells, const AirfoilCells<T>& where, const T* q_old, T* adt, T* q,
                  T* res, T* change, Stream& stream) override {
    over_cells(OnHost{}, kokkos_exec(stream), cells,
               AirfoilUpdate<true, T>{where, c_, q_old, adt, q, res, change});
  }
  void gather_res(ElementRange cells, const AirfoilSurroundings<T>& round, const T* q, const T* adt,
                  T* res, Stream& stream) override {
    over_cells(OnHost{}, kokkos_exec(stream), cells, AirfoilGatherRes<T>{{round, q, adt, c_}, res});
  }
  void stage(ElementRange cells, const AirfoilSurroundings<T>& round, const T* q_old, const T* q,
             const T* adt, T* q_new, T* adt_new, Stream& stream) override {
    over_cells(OnHost{}, kokkos_exec(stream), cells,
               AirfoilStage<T>{{round, q, adt, c_}, q_old, q_new, adt_new});
  }

  double sum(ElementRange cells, const T* values, Stream& stream) override {
    return sum_parts(cells, AirfoilCellValue<T>{cells, values}, stream).value;
  }
  AirfoilSums sums(ElementRange cells, const T* values, const T* weights, Stream& stream) override {
    return sum_parts(cells, AirfoilCellSums<T>{cells, values, weights}, stream).sums();
  }
  std::uint64_t fingerprint(ElementRange cells, const T* values, const std::int64_t* global,
                            Stream& stream) override {
    return launch::sum(kokkos_exec(stream), {{0, 0, 0}, {cells.count(), 1, 1}},
                       AirfoilHash<T>{cells, values, global});
  }

 private:
  /// The sum of function(part, item) for the parts of the cells.
  template <class Function>
  auto sum_parts(ElementRange cells, const Function& function, Stream& stream) {
    using Value = decltype(function(0, 0));
    const std::int32_t parts = block_count(cells, airfoil_sum_part);
    return part_sums_.template total_of<Value>(parts, stream, [&](Value* sums) {
      launch::sum_parts(kokkos_exec(stream), parts, airfoil_sum_part, function, sums);
    });
  }

  const AirfoilConstants<T> c_ = airfoil_constants<T>();
  PartSums part_sums_;
};

}  // namespace

template <>
std::unique_ptr<AirfoilKernels<float>> make_kokkos_kernels(Device& device) {
  return std::make_unique<KokkosAirfoil<float>>(device);
}
template <>
std::unique_ptr<AirfoilKernels<double>> make_kokkos_kernels(Device& device) {
  return std::make_unique<KokkosAirfoil<double>>(device);
}

}  // namespace bellwether
