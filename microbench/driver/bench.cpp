// SPDX-License-Identifier: MIT
#include "microbench/driver/bench.hpp"

#include <fmt/format.h>
#include <hwloc.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <stdexcept>
#include <utility>

#include "kernels/stream/stream.hpp"
#include "miniapps/comm/device_checks.hpp"
#include "miniapps/comm/reduce.hpp"
#include "miniapps/comm/shared_stores.hpp"
#include "miniapps/comm/stream_timer.hpp"
#include "models/errors.hpp"

namespace bellwether {
namespace {

constexpr double device_sample_s = 1e-2;
constexpr std::size_t mebibyte = std::size_t{1} << 20;

int most(const Session& session, int value) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_MAX, session.world());
  return value;
}

std::size_t bytes_of_all(hwloc_topology_t topology, hwloc_obj_type_t type) {
  std::size_t bytes = 0;
  for (hwloc_obj_t cache = nullptr;
       (cache = hwloc_get_next_obj_by_type(topology, type, cache)) != nullptr;)
    bytes += cache->attr->cache.size;
  return bytes;
}

/// A core's part of a level of caches; 0 where there is none.
std::size_t bytes_of_a_core(hwloc_topology_t topology, hwloc_obj_type_t type) {
  hwloc_obj_t const cache = hwloc_get_next_obj_by_type(topology, type, nullptr);
  if (cache == nullptr) return 0;
  const int cores = hwloc_get_nbobjs_inside_cpuset_by_type(topology, cache->cpuset, HWLOC_OBJ_CORE);
  return cache->attr->cache.size / static_cast<std::size_t>(std::max(1, cores));
}

}  // namespace

CalibrationLimits full_limits() { return {}; }

CalibrationLimits quick_limits() {
  CalibrationLimits limits;
  limits.quick = true;
  limits.fewest_rounds = 3;
  limits.most_rounds = 15;
  limits.time_budget_s = 45;
  return limits;
}

NodeHardware read_node_hardware() {
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) != 0) return {};
  NodeHardware found;
  if (hwloc_topology_load(topology) == 0) {
    const int cores = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE);
    found.cores = cores > 0 ? cores : 0;
    found.memory_bytes = hwloc_get_root_obj(topology)->total_memory;
    for (const auto level :
         std::array{HWLOC_OBJ_L4CACHE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L1CACHE}) {
      found.last_level_cache_bytes = bytes_of_all(topology, level);
      if (found.last_level_cache_bytes > 0) break;
    }
    found.core_cache_bytes = bytes_of_a_core(topology, HWLOC_OBJ_L2CACHE);
  }
  hwloc_topology_destroy(topology);
  return found;
}

Bench::Bench(const Session& session, const std::string& backend, CalibrationLimits limits)
    : session_(session),
      limits_(std::move(limits)),
      node_of_rank_(limits_.node_of_rank.empty() ? session.node_of_rank() : limits_.node_of_rank),
      ranks_per_node_(session.most_ranks_on_a_node()),
      nodes_per_kernel_(most(session, session.nodes_on_kernel())),
      hardware_(read_node_hardware()),
      core_cache_bytes_(least(session.world(), hardware_.core_cache_bytes > 0
                                                   ? hardware_.core_cache_bytes
                                                   : mebibyte / 2)) {
  agree_on_errors(session.world(), [&] {
    device_ = open_device(backend, session.device_rank());
    stream_ = device_->make_stream(false);
    (void)kernels<StreamKernels<float>>();
  });
  choose_shared_stores();
  const int sharing = ranks_sharing(session, *device_);
  ranks_per_device_ = most(session, sharing);
  memory_bytes_ = static_cast<double>(device_->is_host() ? hardware_.memory_bytes /
                                                               static_cast<std::size_t>(sharing)
                                                         : memory_of_a_rank(session, *device_));
  room_ = least(session.world(), memory_of_a_rank(session, *device_) / 2);
  if (!device_->is_host()) device_bytes_per_s_ = measured_copy_rate();
}

void Bench::choose_shared_stores() {
  device_->use_shared_stores(faster_shared_stores(session_, *device_));
}

/// Within the caches, perhaps: a little more than memory gives, or less where that is very fast.
double Bench::measured_copy_rate() {
  constexpr std::size_t values = 2 * mebibyte;
  const Buffer<float> both(*device_, 2 * values);
  auto& stream = kernels<StreamKernels<float>>();
  stream.fill(both.data(), 2 * values, 1, *stream_);
  const auto copy = [&] {
    stream.run(StreamKernel::copy, both.data(), both.data(), both.data() + values, 0, values,
               Stores::cached, *stream_);
  };
  copy();  // the first launch loads the kernel
  double seconds = seconds_on(*device_, *stream_, copy);
  for (int more = 0; more < 2; ++more)
    seconds = std::min(seconds, seconds_on(*device_, *stream_, copy));
  return 2. * values * sizeof(float) / largest(session_.world(), seconds);
}

int Bench::cores_per_node() const {
  return (hardware_.cores + nodes_per_kernel_ - 1) / nodes_per_kernel_;
}

void Bench::require(std::size_t bytes) const {
  agree_on_errors(session_.world(), [&] {
    if (room_ < bytes)
      throw BadEnvironment(fmt::format(
          "calibrate needs {} MiB of memory for each of the {} ranks on a {} and uses at most "
          "half of what is available: {} MiB per rank",
          bytes / mebibyte + 1, ranks_per_device_, device_->is_host() ? "machine" : "device",
          room_ / mebibyte));
  });
}

void Bench::reserve(std::size_t bytes) {
  require(bytes_in_use() + bytes);
  reserved_ += bytes;
}

void Bench::reserve_arena(std::size_t bytes) {
  require(reserved_ + bytes);
  arena_bytes_ = std::max(arena_bytes_, bytes);
  reserve_arena_of_rank_0(bytes);
}

void Bench::reserve_arena_of_rank_0(std::size_t bytes) {
  if (arena_.data() != nullptr) throw std::logic_error("the arena is already in use");
  arena_bytes_of_rank_0_ = std::max(arena_bytes_of_rank_0_, bytes);
}

std::byte* Bench::arena() {
  if (arena_.data() == nullptr) {
    arena_ =
        Buffer<std::byte>(*device_, session_.rank() == 0 ? arena_bytes_of_rank_0_ : arena_bytes_);
    kernels<StreamKernels<float>>().fill(reinterpret_cast<float*>(arena_.data()),
                                         arena_.size() / sizeof(float),
                                         static_cast<unsigned>(session_.rank()), *stream_);
    device_->fence(*stream_);
  }
  return arena_.data();
}

std::function<double()> repeated(const Bench& bench, std::function<void()> once, int batch) {
  return [&bench, once = std::move(once), batch] {
    return bench.timed([&] {
      for (int repeat = 0; repeat < batch; ++repeat) once();
    });
  };
}

void settle(const Bench& bench, const std::function<void()>& once, double seconds) {
  const double begin = clock_s();
  for (int call = 0; call < 3 || clock_s() < begin + seconds; ++call) {
    once();
    bench.device().fence(bench.stream());
  }
}

void choose_prefetch(const Bench& bench, std::span<const Prefetch> all,
                     const std::function<void()>& once, Prefetch& chosen) {
  if (all.empty()) return;
  std::map<double, Prefetch> by_seconds;
  for (int round = 0; round < 2; ++round)
    for (const Prefetch prefetch : all) {
      chosen = prefetch;
      by_seconds.emplace(bench.timed(once), prefetch);
    }
  chosen = by_seconds.begin()->second;
}

int batch_for(double operation_s, double sample_s) {
  return static_cast<int>(std::clamp(std::ceil(sample_s / operation_s), 1.0, 1000.0));
}

int device_batch(double bytes, double bytes_per_s) {
  return batch_for(bytes / bytes_per_s, device_sample_s);
}

int batch_on(const Bench& bench, const BenchCase& work, double host_operation_s) {
  if (bench.device().is_host()) return batch_for(host_operation_s);
  return device_batch(work.bytes, bench.device_bytes_per_s());
}

}  // namespace bellwether
