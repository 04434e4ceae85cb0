// SPDX-License-Identifier: MIT
#include "microbench/driver/bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "kernels/launch/dispatch.hpp"
#include "models/errors.hpp"

namespace bellwether {
namespace {

constexpr double fast_device_bytes_per_s = 5e12;
constexpr double device_sample_s = 4e-3;

std::unique_ptr<Device> device_of(const Session& session, const std::string& backend) {
  std::string known;
  for (const BackendInfo& info : backends()) {
    if (info.name == backend && !info.usable)
      throw BadEnvironment(fmt::format("backend {} cannot be used: {}", backend, info.problem));
    if (info.name == backend) return make_device(backend, session.local_rank());
    known += (known.empty() ? "" : ", ") + info.name;
  }
  throw BadInput(fmt::format("backend: found \"{}\", expected one of {}", backend, known));
}

template <class T>
BenchKernels<T> kernels_on(Device& device) {
  return {make_kernels<StreamKernels<T>>(device), make_kernels<DenseKernels<T>>(device),
          make_kernels<DiffusionKernels<T>>(device), make_kernels<LbmKernels<T>>(device)};
}

/// Bench::gemm_problem().
template <class Prepare>
std::string agreed_problem(const Session& session, const Prepare& prepare) {
  try {
    agree_on_errors(session.world(), prepare);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return {};
}

}  // namespace

Bench::Bench(const Session& session, const std::string& backend, const CalibrationLimits& limits)
    : session_(session),
      node_of_rank_(limits.node_of_rank.empty() ? session.node_of_rank() : limits.node_of_rank) {
  agree_on_errors(session.world(), [&] {
    device_ = device_of(session, backend);
    stream_ = device_->make_stream(false);
    f32_ = kernels_on<float>(*device_);
    f64_ = kernels_on<double>(*device_);
  });
  gemm_problem_ = agreed_problem(session, [&] {
    f32_.dense->prepare_gemm();
    f64_.dense->prepare_gemm();
  });
  sizes_ = plan_sizes(session, *device_, limits);
}

std::byte* Bench::arena() {
  if (arena_.data() == nullptr) {
    const std::size_t bytes =
        session_.rank() == 0 ? sizes_.arena_bytes_of_rank_0() : sizes_.arena_bytes();
    arena_ = Buffer<std::byte>(*device_, bytes);
    f32_.stream->fill(reinterpret_cast<float*>(arena_.data()), arena_.size() / sizeof(float),
                      static_cast<unsigned>(session_.rank()), *stream_);
    device_->fence(*stream_);
  }
  return arena_.data();
}

MessageBuffers& Bench::messages() {
  if (!messages_) messages_ = std::make_unique<MessageBuffers>(*device_, sizes_.largest_message());
  return *messages_;
}

const AirfoilLocal& Bench::airfoil_mesh(const AirfoilMesh& mesh) {
  const auto known = airfoil_meshes_.find(mesh.cells());
  if (known != airfoil_meshes_.end()) return known->second;
  return airfoil_meshes_[mesh.cells()] = airfoil_mesh_alone(mesh);
}

std::function<double()> repeated(const Bench& bench, std::function<void()> once, int batch) {
  return [&bench, once = std::move(once), batch] {
    return bench.timed([&] {
      for (int repeat = 0; repeat < batch; ++repeat) once();
    });
  };
}

int batch_for(double operation_s, double sample_s) {
  return static_cast<int>(std::clamp(std::ceil(sample_s / operation_s), 1.0, 1000.0));
}

int device_batch(double bytes) {
  return batch_for(bytes / fast_device_bytes_per_s, device_sample_s);
}

int batch_on(const Device& device, const Benchmark& work, double host_operation_s) {
  return device.is_host() ? batch_for(host_operation_s) : device_batch(work.bytes);
}

}  // namespace bellwether
