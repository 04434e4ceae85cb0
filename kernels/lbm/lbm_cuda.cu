// SPDX-License-Identifier: MIT
#include "kernels/launch/cuda/cuda_knobs.hpp"
#include "kernels/launch/cuda/cuda_reduce.cuh"
#include "kernels/launch/device.hpp"
#include "kernels/launch/part_sums.hpp"
#include "kernels/lbm/lbm_links.hpp"
#include "kernels/lbm/lbm_sums.hpp"
#include "kernels/lbm/lbm_update.hpp"

namespace bellwether {
namespace {

template <class T>
using UpdateBlocks =
    cuda::CellBlocks<launch::BlockShape{BELLWETHER_LBM_THREADS, BELLWETHER_LBM_THREADS},
                     sizeof(T) == 4 ? BELLWETHER_LBM_RESIDENT_F32 : BELLWETHER_LBM_RESIDENT_F64>;

template <class T>
class CudaLbm final : public LbmKernels<T> {
 public:
  explicit CudaLbm(Device& device) : part_sums_(device), reducer_(device) {}

  void update(const LbmGrid& grid, const Boxes& boxes, T* f, int parity,
              const LbmCollision<T>& collision, Prefetch /*prefetch*/, Stream& stream) override {
    with_device_update(grid, f, parity, collision, [&](const auto& vector) {
      cuda::for_each_vector<UpdateBlocks<T>>("lbm update", boxes, vector.cells, vector, stream);
    });
  }
  void bounce(const LbmLayout& layout, const LbmLink* links, std::size_t count, T* f, int parity,
              Stream& stream) override {
    cuda::for_each_item("lbm bounce", count, lbm_bounce(layout, links, f, parity), stream);
  }
  std::array<double, 3> link_force(const LbmLayout& layout, const LbmLink* links, std::size_t count,
                                   const T* f, int parity, Stream& stream) override {
    const auto impulse = lbm_link_impulse(layout, links, count, f, parity);
    return sum("lbm link_force", impulse.parts(), impulse.length, impulse, stream).force();
  }
  void set_flow(const LbmGrid& grid, T* f, const LbmFlow& flow, const LbmCollision<T>& collision,
                Stream& stream) override {
    cuda::check(cudaMemsetAsync(f, 0, grid.layout.elements() * sizeof(T), cuda::queue_of(stream)),
                "cudaMemsetAsync");
    cuda::for_each_cell("lbm set_flow", grid.layout.field().interior(),
                        lbm_set_flow(grid, f, flow, collision), stream);
  }
  LbmSums sums(const LbmGrid& grid, const T* f, int parity, const LbmFlow& flow,
               const LbmCollision<T>& collision, Stream& stream) override {
    const auto cells = lbm_cell_sums(grid, f, parity, flow, collision);
    return sum("lbm sums", cells.parts(), cells.nx, cells, stream).sums();
  }
  void macroscopic(const LbmGrid& grid, const Box& box, const T* f, int parity,
                   const LbmCollision<T>& collision, float* density, float* velocity,
                   Stream& stream) override {
    cuda::for_each_cell("lbm macroscopic", box,
                        lbm_macroscopic(grid, box, f, parity, collision, density, velocity),
                        stream);
  }
  std::uint64_t fingerprint(const LbmGrid& grid, const T* f, int parity, std::array<int, 3> offset,
                            std::array<int, 3> global_cells, Stream& stream) override {
    return reducer_.reduce<cuda::Sum>("lbm fingerprint", grid.layout.field().interior(),
                                      lbm_hash(grid, f, parity, offset, global_cells), stream);
  }

 private:
  /// The sum of function(part, item) for the items [0, length) of all parts.
  template <class Function>
  auto sum(const char* name, std::int64_t parts, std::int64_t length, const Function& function,
           Stream& stream) {
    using Value = decltype(function(0, 0));
    return part_sums_.template total_of<Value>(parts, stream, [&](Value* sums) {
      cuda::sum_parts(name, parts, length, function, sums, stream);
    });
  }

  PartSums part_sums_;
  cuda::CellReducer reducer_;
};

}  // namespace

template <>
std::unique_ptr<LbmKernels<float>> make_cuda_kernels(Device& device) {
  return std::make_unique<CudaLbm<float>>(device);
}
template <>
std::unique_ptr<LbmKernels<double>> make_cuda_kernels(Device& device) {
  return std::make_unique<CudaLbm<double>>(device);
}

}  // namespace bellwether
