// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "kernels/dense/dense.hpp"
#include "kernels/diffusion/diffusion.hpp"
#include "kernels/launch/device.hpp"
#include "kernels/lbm/lbm.hpp"
#include "kernels/stream/stream.hpp"
#include "microbench/driver/lock_step.hpp"
#include "microbench/driver/sizes.hpp"
#include "microbench/links/message_buffers.hpp"
#include "miniapps/airfoil/airfoil_iterations.hpp"
#include "miniapps/comm/session.hpp"

namespace bellwether {

/// The kernels of one precision on the bench's device.
template <class T>
struct BenchKernels {
  std::unique_ptr<StreamKernels<T>> stream;
  std::unique_ptr<DenseKernels<T>> dense;
  std::unique_ptr<DiffusionKernels<T>> diffusion;
  std::unique_ptr<LbmKernels<T>> lbm;
};

/// What the benchmarks of one rank work with. Memory is allocated and filled when the first
/// benchmark that needs it is prepared, then kept: no benchmark pays for first touches.
class Bench {
 public:
  /// Collective. Throws BadInput for an unknown backend, BadEnvironment for one that cannot be used
  /// here or too little memory.
  Bench(const Session& session, const std::string& backend, const CalibrationLimits& limits);

  [[nodiscard]] const Session& session() const { return session_; }
  [[nodiscard]] const Sizes& sizes() const { return sizes_; }
  /// Node of each rank; fewer than size() distinct ones share a node.
  [[nodiscard]] const std::vector<int>& node_of_rank() const { return node_of_rank_; }
  [[nodiscard]] Device& device() const { return *device_; }
  [[nodiscard]] Stream& stream() const { return *stream_; }
  template <class T>
  [[nodiscard]] const BenchKernels<T>& kernels() const {
    if constexpr (std::is_same_v<T, float>)
      return f32_;
    else
      return f64_;
  }
  /// Why some rank has no matrix products; empty if all have them. The same on every rank.
  [[nodiscard]] const std::string& gemm_problem() const { return gemm_problem_; }
  /// Device memory of sizes().arena_bytes() (on rank 0 arena_bytes_of_rank_0()), every four bytes
  /// an f32 in [1, 2), which read as f64 are ordinary numbers too. Page-aligned.
  [[nodiscard]] std::byte* arena();
  [[nodiscard]] MessageBuffers& messages();
  /// Made once (airfoil_mesh_alone).
  [[nodiscard]] const AirfoilLocal& airfoil_mesh(const AirfoilMesh& mesh);
  /// The flow that is being measured.
  [[nodiscard]] std::unique_ptr<AirfoilIterations>& airfoil() { return airfoil_; }

  /// Seconds until `work`, which launches on the stream, is done.
  template <class Work>
  double timed(Work&& work) const {
    device_->fence(*stream_);
    const double begin = clock_s();
    work();
    device_->fence(*stream_);
    return clock_s() - begin;
  }

 private:
  const Session& session_;
  std::vector<int> node_of_rank_;
  std::unique_ptr<Device> device_;
  std::unique_ptr<Stream> stream_;
  BenchKernels<float> f32_;
  BenchKernels<double> f64_;
  std::string gemm_problem_;
  Sizes sizes_;
  Buffer<std::byte> arena_;
  std::unique_ptr<MessageBuffers> messages_;
  std::map<std::int64_t, AirfoilLocal> airfoil_meshes_;  ///< by cells
  std::unique_ptr<AirfoilIterations> airfoil_;
};

/// Calls work(T()) with T the type of "f32" or "f64".
template <class Work>
auto with_precision(const std::string& precision, Work&& work) {
  return precision == "f32" ? work(float()) : work(double());
}

/// Seconds of `once`, which launches on the bench's stream, `batch` times.
std::function<double()> repeated(const Bench& bench, std::function<void()> once, int batch);

/// Operations in a sample of about `sample_s`, given what one may take; at least 1.
int batch_for(double operation_s, double sample_s = 4e-4);

/// Launches in a sample on a device, of kernels that move so many bytes each: a few milliseconds
/// where its memory is among the fastest, so that the fence at the sample's end is a small part.
int device_batch(double bytes);

/// Launches in a sample of a case that knows its bytes; on a host by what one may take there.
int batch_on(const Device& device, const Benchmark& work, double host_operation_s);

}  // namespace bellwether
