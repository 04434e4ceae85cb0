// SPDX-License-Identifier: MIT
#include "kernels/airfoil/airfoil_checks.hpp"
#include "kernels/airfoil/airfoil_gather.hpp"
#include "kernels/launch/cuda/cuda_reduce.cuh"
#include "kernels/launch/device.hpp"
#include "kernels/launch/part_sums.hpp"
#include "kernels/launch/record.hpp"

namespace bellwether {
namespace {

struct AtomicIncrement {
  template <class T>
  __device__ static void add(T* to, T value) {
    atomicAdd(to, value);
  }
  /// Each value of a record atomically, not all of them together.
  __device__ static void add(double* to, const launch::Record<4, double>& values) {
    for (int k = 0; k < 4; ++k) atomicAdd(to + k, values.at[k]);
  }
  __device__ static void add(float* to, const launch::Record<4, float>& values) {
#if __CUDA_ARCH__ >= 900
    atomicAdd(reinterpret_cast<float4*>(to),
              make_float4(values.at[0], values.at[1], values.at[2], values.at[3]));
#else
    for (int k = 0; k < 4; ++k) atomicAdd(to + k, values.at[k]);
#endif
  }
};

/// The loop for the n-th element of a range.
template <class Loop>
struct EachCell {
  Loop loop;
  std::int32_t begin;
  __device__ void operator()(std::size_t n) const { loop(begin + static_cast<std::ptrdiff_t>(n)); }
};
template <class Loop>
struct EachEdge {
  Loop loop;
  std::int32_t begin;
  __device__ void operator()(std::size_t n) const {
    loop.template increment<AtomicIncrement>(begin + static_cast<std::ptrdiff_t>(n));
  }
};
/// For the n-th block of a colour's edges.
template <class Loop>
struct EachBlock {
  Loop loop;
  ElementRange colour;
  std::int32_t block;
  __device__ void operator()(std::size_t n) const {
    const ElementRange edges = block_of(colour, block, static_cast<std::int32_t>(n));
    for (std::ptrdiff_t edge = edges.begin; edge < edges.end; ++edge)
      loop.template increment<PlainIncrement>(edge);
  }
};

template <class Loop>
void over_cells(const char* name, ElementRange cells, const Loop& loop, Stream& stream) {
  cuda::for_each_item(name, static_cast<std::size_t>(cells.count()),
                      EachCell<Loop>{loop, cells.begin}, stream);
}

/// As EdgeRange says. Two edges rarely increment the same cell at the same time, and a colour's
/// edges lie apart in memory: which of atomics and colours is faster is the caller's to measure.
template <class Loop>
void over_edges(const char* name, const EdgeRange& range, const Loop& loop, Stream& stream) {
  if (range.colours.empty() || range.count() == 0)
    return cuda::for_each_item(name, static_cast<std::size_t>(range.count()),
                               EachEdge<Loop>{loop, range.begin}, stream);
  for (std::size_t k = 0; k < range.colours.size(); ++k) {
    const ElementRange colour = range.colour(k);
    cuda::for_each_item(name, static_cast<std::size_t>(block_count(colour, range.block)),
                        EachBlock<Loop>{loop, colour, range.block}, stream);
  }
}

template <class T>
class CudaAirfoil final : public AirfoilKernels<T> {
 public:
  explicit CudaAirfoil(Device& device) : part_sums_(device), reducer_(device) {}

  void set_free_stream(ElementRange cells, T* q, Stream& stream) override {
    over_cells("airfoil set_free_stream", cells, AirfoilSetCells<T>{q, c_.free_stream}, stream);
  }
  void clear(ElementRange cells, T* res, Stream& stream) override {
    over_cells("airfoil clear", cells, AirfoilSetCells<T>{res, {0, 0, 0, 0}}, stream);
  }
  void set_sides(ElementRange edges, const std::int32_t* nodes, const T* x, T* sides,
                 Stream& stream) override {
    over_cells("airfoil set_sides", edges, AirfoilSides<T>{nodes, x, sides}, stream);
  }
  void set_perimeters(ElementRange cells, const AirfoilCells<T>& where, T* perimeters,
                      Stream& stream) override {
    over_cells("airfoil set_perimeters", cells, AirfoilPerimeters<T>{where, perimeters}, stream);
  }
  void save_soln(ElementRange cells, const T* q, T* q_old, Stream& stream) override {
    over_cells("airfoil save_soln", cells, AirfoilCopyCells<T>{q, q_old}, stream);
  }
  void adt_calc(ElementRange cells, const AirfoilCells<T>& where, const T* q, T* adt,
                Stream& stream) override {
    over_cells("airfoil adt_calc", cells, AirfoilAdtCalc<T>{where, c_, q, adt}, stream);
  }
  void res_calc(const EdgeRange& range, const AirfoilEdges<T>& edges, const T* q, const T* adt,
                T* res, Stream& stream) override {
    over_edges("airfoil res_calc", range, AirfoilResCalc<T>{edges, q, adt, res, c_}, stream);
  }
  void bres_calc(const EdgeRange& range, const AirfoilBoundary<T>& edges, const T* q, const T* adt,
                 T* res, Stream& stream) override {
    over_edges("airfoil bres_calc", range, AirfoilBresCalc<T>{edges, q, adt, res, c_}, stream);
  }
  void update(ElementRange cells, const T* q_old, const T* adt, T* q, T* res, T* change,
              Stream& stream) override {
    over_cells("airfoil update", cells,
               AirfoilUpdate<false, T>{{}, c_, q_old, const_cast<T*>(adt), q, res, change}, stream);
  }
  void update_adt(ElementRange cells, const AirfoilCells<T>& where, const T* q_old, T* adt, T* q,
                  T* res, T* change, Stream& stream) override {
    over_cells("airfoil update_adt", cells,
               AirfoilUpdate<true, T>{where, c_, q_old, adt, q, res, change}, stream);
  }
  void gather_res(ElementRange cells, const AirfoilSurroundings<T>& round, const T* q, const T* adt,
                  T* res, Stream& stream) override {
    over_cells("airfoil gather_res", cells, AirfoilGatherRes<T>{{round, q, adt, c_}, res}, stream);
  }
  void stage(ElementRange cells, const AirfoilSurroundings<T>& round, const T* q_old, const T* q,
             const T* adt, T* q_new, T* adt_new, Stream& stream) override {
    over_cells("airfoil stage", cells, AirfoilStage<T>{{round, q, adt, c_}, q_old, q_new, adt_new},
               stream);
  }

  double sum(ElementRange cells, const T* values, Stream& stream) override {
    return sum_parts(cells, AirfoilCellValue<T>{cells, values}, stream).value;
  }
  AirfoilSums sums(ElementRange cells, const T* values, const T* weights, Stream& stream) override {
    return sum_parts(cells, AirfoilCellSums<T>{cells, values, weights}, stream).sums();
  }
  std::uint64_t fingerprint(ElementRange cells, const T* values, const std::int64_t* global,
                            Stream& stream) override {
    return reducer_.reduce<cuda::Sum>("airfoil fingerprint", {{0, 0, 0}, {cells.count(), 1, 1}},
                                      AirfoilHash<T>{cells, values, global}, stream);
  }

 private:
  /// The sum of function(part, item) for the parts of the cells.
  template <class Function>
  auto sum_parts(ElementRange cells, const Function& function, Stream& stream) {
    using Value = decltype(function(0, 0));
    const std::int32_t parts = block_count(cells, airfoil_sum_part);
    return part_sums_.template total_of<Value>(parts, stream, [&](Value* sums) {
      cuda::sum_parts("airfoil sums", parts, airfoil_sum_part, function, sums, stream);
    });
  }

  const AirfoilConstants<T> c_ = airfoil_constants<T>();
  PartSums part_sums_;
  cuda::CellReducer reducer_;
};

}  // namespace

template <>
std::unique_ptr<AirfoilKernels<float>> make_cuda_kernels(Device& device) {
  return std::make_unique<CudaAirfoil<float>>(device);
}
template <>
std::unique_ptr<AirfoilKernels<double>> make_cuda_kernels(Device& device) {
  return std::make_unique<CudaAirfoil<double>>(device);
}

}  // namespace bellwether
