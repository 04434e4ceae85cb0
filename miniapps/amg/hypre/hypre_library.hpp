// SPDX-License-Identifier: MIT
#pragma once

#include <HYPRE.h>
#include <HYPRE_utilities.h>

#include <string>

#include "kernels/launch/device.hpp"
#include "miniapps/amg/amg_options.hpp"

namespace bellwether {

/// Throws std::runtime_error that names the function and says what hypre says, where its error flag
/// is set; BadEnvironment where it ran out of memory. Clears the flag.
void check_hypre(const char* function, HYPRE_Int flag);

/// hypre ready for use as long as one lives, on the host or a GPU. There it multiplies by its own
/// kernels and draws random numbers on the host: the same bits each time.
class HypreLibrary {
 public:
  /// `threads` of a rank, 0: as OpenMP's environment says. `gpu`: null for the host, else the GPU
  /// that the process is on, which outlives it. Throws as check_threads, check_gpu and
  /// require_same_gpu do.
  explicit HypreLibrary(int threads, Device* gpu = nullptr);
  ~HypreLibrary();
  HypreLibrary(const HypreLibrary&) = delete;
  HypreLibrary& operator=(const HypreLibrary&) = delete;

  [[nodiscard]] int threads() const { return threads_; }
  /// Throws BadInput for more than one thread where this hypre was built without OpenMP.
  static void check_threads(int threads);
  /// Throws BadEnvironment where this hypre does not compute on a GPU with that description.
  static void check_gpu(const std::string& description);
  static bool computes_on(const std::string& description);
  /// "2.26.0", with what it was built for: "2.26.0, OpenMP", "3.1.0, CUDA".
  static std::string version();

 private:
  int threads_;
};

/// Throws BadEnvironment, which names both, where hypre came to another GPU than the rank's.
void require_same_gpu(const GpuIdentity& hypres, const GpuIdentity& ranks);

/// What of the options hypre's code for GPUs lacks, with what there is in its place (its manual's
/// "GPU-supported options", without Gauss-Seidel): empty where it has all.
std::string missing_on_gpu(const AmgOptions& options, bool overlap);

/// Where hypre keeps what it makes now.
HYPRE_MemoryLocation hypre_memory();
/// The GPU that it is on; null on the host.
Device* hypre_gpu();
/// The queue of its work there, as Device::adopt_stream takes it.
void* hypre_queue();
/// Where hypre is on a GPU, the way of its messages: "staged" through host memory, "direct" from
/// the GPU's. Empty on the host.
std::string hypre_halo();

/// hypre begun, on the host where `gpu` is null, and never ended, for others who use it. Throws as
/// HypreLibrary does.
void begin_hypre(Device* gpu);

}  // namespace bellwether
