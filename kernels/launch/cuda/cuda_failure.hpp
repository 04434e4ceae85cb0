// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace bellwether::cuda {

/// The kernels launched last, by name: what a kernel does wrong while it runs is reported by some
/// later call, which does not know which one it was.
class LatestKernels {
 public:
  /// The name must last: a literal.
  void add(const char* name) {
    Launches& latest = all_[(next_ + kept - 1) % kept];
    if (latest.name != nullptr && std::string_view(latest.name) == name) {
      ++latest.count;
      return;
    }
    all_[next_] = {name, 1};
    next_ = (next_ + 1) % kept;
  }
  /// "unpack, 3 times; diffusion update; pack": the latest first.
  [[nodiscard]] std::string text() const {
    std::string names;
    for (std::size_t back = 1; back <= kept; ++back) {
      const Launches& launches = all_[(next_ + kept - back) % kept];
      if (launches.name == nullptr) break;
      names += (names.empty() ? "" : "; ") + std::string(launches.name);
      if (launches.count > 1) names += ", " + std::to_string(launches.count) + " times";
    }
    return names;
  }

 private:
  static constexpr std::size_t kept = 8;
  struct Launches {
    const char* name = nullptr;
    std::size_t count = 0;  ///< one after the other
  };
  std::array<Launches, kept> all_{};
  std::size_t next_ = 0;
};

/// Errors that arise while a kernel runs: those after which, by CUDA's reference (cudaError), the
/// process cannot go on. Any call may report them, a launch too. By number, as CUDA's releases do
/// not all name all of them.
constexpr bool arises_in_a_kernel(int error) {
  switch (error) {
    case 214:  // cudaErrorECCUncorrectable
    case 220:  // cudaErrorNvlinkUncorrectable
    case 226:  // cudaErrorContained
    case 700:  // cudaErrorIllegalAddress
    case 702:  // cudaErrorLaunchTimeout
    case 710:  // cudaErrorAssert
    case 714:  // cudaErrorHardwareStackError
    case 715:  // cudaErrorIllegalInstruction
    case 716:  // cudaErrorMisalignedAddress
    case 717:  // cudaErrorInvalidAddressSpace
    case 718:  // cudaErrorInvalidPc
    case 719:  // cudaErrorLaunchFailure
    case 721:  // cudaErrorTensorMemoryLeak
    case 806:  // cudaErrorMpsRpcFailure
    case 810:  // cudaErrorMpsClientTerminated
      return true;
    default:
      return false;
  }
}

/// A call of CUDA's that failed.
struct Failure {
  std::string what;   ///< "cudaMalloc of 4096 bytes", "launch of diffusion update"
  std::string where;  ///< "device 0"
  std::string error;  ///< CUDA's name and text of it
  /// It is of what a kernel did while it ran, not of the call.
  bool of_a_kernel = false;
  /// Each launch waits for its kernel (CUDA_LAUNCH_BLOCKING=1).
  bool blocking = false;
};

/// What is told of it; of a kernel's error also what may have caused it and how to find out.
inline std::string text_of(const Failure& failure, const LatestKernels& kernels) {
  std::string text = "CUDA: " + failure.what + " failed on " + failure.where + ": " + failure.error;
  if (!failure.of_a_kernel) return text;
  const std::string latest = kernels.text();
  if (latest.empty()) return text + " (no kernel was launched before)";
  if (failure.blocking)
    return text +
           " (a kernel's error, and each launch waits for its kernel: of these, the latest "
           "first, the first did it: " +
           latest + "; compute-sanitizer names the line)";
  return text +
         " (a kernel's error, which a later call reports; launched before it, the latest "
         "first: " +
         latest + "; CUDA_LAUNCH_BLOCKING=1 tells which it was, compute-sanitizer the line)";
}

}  // namespace bellwether::cuda
