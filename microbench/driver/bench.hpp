// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <typeindex>
#include <vector>

#include "kernels/launch/device.hpp"
#include "kernels/launch/grid.hpp"
#include "kernels/stream/stream.hpp"
#include "microbench/driver/bench_case.hpp"
#include "miniapps/comm/session/session.hpp"

namespace bellwether {

/// How large and how long a calibration may be. Which sizes it measures within these limits each
/// folder of measurements knows.
struct CalibrationLimits {
  bool quick = false;    ///< smaller and fewer sizes
  int largest_edge = 0;  ///< of a cube of cells on one rank; 0: what quick or full measure
  std::size_t largest_message_bytes = std::size_t{64} << 20;
  /// Device memory that one case may take on a rank, beside what the machine has.
  std::size_t most_case_bytes = std::numeric_limits<std::size_t>::max();
  int fewest_rounds = 7;
  int most_rounds = 25;
  double time_budget_s = 580;
  std::vector<int> node_of_rank;  ///< empty: as MPI says; a test puts a node's ranks on several
  /// Messages in device memory also where that is the host's, for a test.
  bool direct_links = false;
  bool miniapps = true;  ///< false: without the mini-apps' own parameters, for a test
};

CalibrationLimits full_limits();
/// In about a minute on two cores: the same messages, smaller largest cubes, arrays and matrices,
/// and fewer repeats.
CalibrationLimits quick_limits();

/// What hwloc sees of this node; 0 where it sees nothing.
struct NodeHardware {
  int cores = 0;
  std::size_t last_level_cache_bytes = 0;  ///< of all its CPUs' together
  std::size_t core_cache_bytes = 0;        ///< of the second level, a core's part of it
  std::size_t memory_bytes = 0;
};
NodeHardware read_node_hardware();

/// What the benchmarks of one rank work with.
class Bench {
 public:
  /// Collective. Throws BadInput for an unknown backend, BadEnvironment for one that cannot be used
  /// here.
  Bench(const Session& session, const std::string& backend, CalibrationLimits limits);

  /// Collective. As a run chooses before each case; a machine may change from one state to another.
  void choose_shared_stores();
  [[nodiscard]] const Session& session() const { return session_; }
  [[nodiscard]] const CalibrationLimits& limits() const { return limits_; }
  [[nodiscard]] Device& device() const { return *device_; }
  [[nodiscard]] Stream& stream() const { return *stream_; }

  /// Node of each rank; fewer than size() distinct ones share a node.
  [[nodiscard]] const std::vector<int>& node_of_rank() const { return node_of_rank_; }
  [[nodiscard]] int ranks_per_node() const { return ranks_per_node_; }  ///< of the fullest node
  /// That share memory, caches and cores: more than one in a box.
  [[nodiscard]] int nodes_per_kernel() const { return nodes_per_kernel_; }
  [[nodiscard]] int cores_per_node() const;
  /// Of the device that computes: a GPU's own, or a node's CPUs'; 0: unknown.
  [[nodiscard]] std::size_t last_level_cache_bytes() const {
    return device_->is_host() ? hardware_.last_level_cache_bytes
                              : device_->last_level_cache_bytes();
  }
  /// Of a host's core its own second level, the smallest of all ranks; half a MiB where hwloc sees
  /// none.
  [[nodiscard]] std::size_t core_cache_bytes() const { return core_cache_bytes_; }
  [[nodiscard]] double memory_bytes() const { return memory_bytes_; }  ///< capacity per rank
  /// What a copy moves on the slowest rank's device, about: for batches. 0 on a host.
  [[nodiscard]] double device_bytes_per_s() const { return device_bytes_per_s_; }
  /// Of the device that most ranks share; on a host all under its kernel.
  [[nodiscard]] int ranks_per_device() const { return ranks_per_device_; }

  /// The one T of this bench that benchmarks share, from make() (which gives a unique_ptr) when it
  /// is first asked for.
  template <class T, class Make>
  T& kept(Make&& make) {
    std::shared_ptr<void>& place = kept_[std::type_index(typeid(T))];
    if (!place) place = std::shared_ptr<T>(make());
    return *static_cast<T*>(place.get());
  }
  /// A family's kernels on the bench's device.
  template <class Kernels>
  Kernels& kernels() {
    return kept<Kernels>([this] { return make_kernels<Kernels>(*device_); });
  }

  /// Bytes that a rank may still use, the same on every rank: half of a rank's part of
  /// what is available, less what has been reserved beside the arena.
  [[nodiscard]] std::size_t room() const { return room_ - reserved_; }
  /// Before any is allocated, on every rank alike: memory beside the arena. Throws BadEnvironment
  /// if it is not there.
  void reserve(std::size_t bytes);
  /// The same of the arena, which is as large as the largest that is asked for.
  void reserve_arena(std::size_t bytes);
  /// More on rank 0 alone, which other ranks leave to it.
  void reserve_arena_of_rank_0(std::size_t bytes);
  /// Of a rank's arena so far, and with all that is beside it.
  [[nodiscard]] std::size_t arena_bytes() const { return arena_bytes_; }
  [[nodiscard]] std::size_t bytes_in_use() const { return reserved_ + arena_bytes_; }
  /// Device memory that all benchmarks share, page-aligned: every four bytes an f32 in [1, 2),
  /// ordinary as f64 too. Allocated and filled when first asked for.
  [[nodiscard]] std::byte* arena();
  /// The arena's first `count` values, made T in [1, 2) again: for the prepare() of cases that
  /// compute with what cases of another type may have left there. The lower half of an f64 is a
  /// subnormal f32 once in 256 times, and on some processors each takes a hundred cycles.
  template <class T>
  void renew_numbers(std::size_t count) {
    kernels<StreamKernels<T>>().fill(reinterpret_cast<T*>(arena()), count, 1, *stream_);
    device_->fence(*stream_);
  }

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
  void require(std::size_t bytes) const;
  [[nodiscard]] double measured_copy_rate();

  const Session& session_;
  CalibrationLimits limits_;
  std::vector<int> node_of_rank_;
  int ranks_per_node_, nodes_per_kernel_;
  NodeHardware hardware_;
  std::size_t core_cache_bytes_;
  int ranks_per_device_ = 1;
  double device_bytes_per_s_ = 0;
  double memory_bytes_ = 0;
  std::unique_ptr<Device> device_;
  std::unique_ptr<Stream> stream_;
  std::size_t room_ = 0, reserved_ = 0, arena_bytes_ = 0, arena_bytes_of_rank_0_ = 0;
  Buffer<std::byte> arena_;
  std::map<std::type_index, std::shared_ptr<void>> kept_;
};

/// Calls work(T()) with T the type of "f32" or "f64".
template <class Work>
auto with_precision(const std::string& precision, Work&& work) {
  return precision == "f32" ? work(float()) : work(double());
}

/// Seconds of `once`, which launches on the bench's stream, `batch` times.
std::function<double()> repeated(const Bench& bench, std::function<void()> once, int batch);

/// An outer cache keeps what is gone through over and over only after ten times or more: of 25 MB
/// on a Xeon lattice Boltzmann's update takes 1.15 ms after four, 0.96 in the end.
constexpr double outer_cache_s = 2e-2;
/// Calls `once`, at least three times and for so long, so that the caches are as in a run.
void settle(const Bench& bench, const std::function<void()>& once, double seconds);

/// Of `all` what `once`, which asks for `chosen`, is fastest with in two launches of each on this
/// rank: as a run chooses. Nothing where there are none.
void choose_prefetch(const Bench& bench, std::span<const Prefetch> all,
                     const std::function<void()>& once, Prefetch& chosen);

/// Operations in a sample of about `sample_s`, given what one may take; at least 1.
int batch_for(double operation_s, double sample_s = 4e-4);

/// Launches in a sample on a device that moves bytes_per_s, of kernels that move so many bytes
/// each: a hundredth of a second, so that the fence at the sample's end is a small part.
int device_batch(double bytes, double bytes_per_s);

/// Launches in a sample of a case that knows its bytes; on a host by what one may take there.
int batch_on(const Bench& bench, const BenchCase& work, double host_operation_s);

}  // namespace bellwether
