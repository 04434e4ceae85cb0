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

/// hypre ready for use, as long as one lives: on the host, or on a GPU. It is one for a process,
/// and is where the last one that began said.
class HypreLibrary {
 public:
  /// `threads` of a rank, 0: as OpenMP's environment says. `gpu`: empty for the host, else the
  /// description of the GPU that the process is on (Device::description). Throws as check_threads
  /// and check_gpu do.
  explicit HypreLibrary(int threads, const std::string& gpu = {});
  ~HypreLibrary();
  HypreLibrary(const HypreLibrary&) = delete;
  HypreLibrary& operator=(const HypreLibrary&) = delete;

  [[nodiscard]] int threads() const { return threads_; }
  /// Throws BadInput for more than one thread where this hypre was built without OpenMP.
  static void check_threads(int threads);
  /// Throws BadEnvironment where this hypre does not compute on a GPU with that description.
  static void check_gpu(const std::string& description);
  /// "2.26.0", with what it was built for: "2.26.0, OpenMP", "3.1.0, CUDA".
  static std::string version();

 private:
  int threads_;
};

/// What of the options hypre's code for GPUs lacks, with what there is in its place, as its manual
/// lists them ("GPU-supported options" of BoomerAMG): empty where it has all.
std::string missing_on_gpu(const AmgOptions& options, bool overlap);

/// Where hypre keeps what it makes now.
HYPRE_MemoryLocation hypre_memory();
/// Blocks until hypre's work on the GPU is done; at once on the host. For before and after what is
/// timed.
void synchronize_hypre();
/// Where hypre is on a GPU, the way of its messages: "staged" through host memory, "direct" from
/// the GPU's. Empty on the host.
std::string hypre_halo();

/// hypre begun on the host, and never ended, for others who use it.
void begin_hypre_on_host();

}  // namespace bellwether
