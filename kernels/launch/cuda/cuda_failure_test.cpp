// SPDX-License-Identifier: MIT
#include "kernels/launch/cuda/cuda_failure.hpp"

#include <gtest/gtest.h>

#include <set>

namespace bellwether::cuda {
namespace {

LatestKernels launched(std::initializer_list<const char*> names) {
  LatestKernels kernels;
  for (const char* name : names) kernels.add(name);
  return kernels;
}

TEST(LatestKernels, StandTheLatestFirst) {
  EXPECT_EQ(LatestKernels().text(), "");
  EXPECT_EQ(launched({"pack"}).text(), "pack");
  EXPECT_EQ(launched({"pack", "update", "unpack"}).text(), "unpack; update; pack");
}

TEST(LatestKernels, CountThoseOfOneNameOnce) {
  EXPECT_EQ(launched({"pack", "pack", "update", "pack", "pack", "pack"}).text(),
            "pack, 3 times; update; pack, 2 times");
  // The same name from another place is the same name.
  const std::string pack = "pack";
  EXPECT_EQ(launched({"pack", pack.c_str()}).text(), "pack, 2 times");
}

TEST(LatestKernels, AreEightAtMost) {
  EXPECT_EQ(launched({"a", "b", "c", "d", "e", "f", "g", "h"}).text(), "h; g; f; e; d; c; b; a");
  EXPECT_EQ(launched({"a", "b", "c", "d", "e", "f", "g", "h", "i"}).text(),
            "i; h; g; f; e; d; c; b");
}

TEST(CudaFailure, OfAKernelAreThoseAfterWhichTheProcessCannotGoOn) {
  std::set<int> found;
  for (int error = 0; error < 1000; ++error)
    if (arises_in_a_kernel(error)) found.insert(error);
  EXPECT_EQ(found,
            (std::set{214, 220, 226, 700, 702, 710, 714, 715, 716, 717, 718, 719, 721, 806, 810}));
}

constexpr const char* invalid = "cudaErrorInvalidConfiguration: invalid configuration argument";
constexpr const char* illegal = "cudaErrorIllegalAddress: an illegal memory access";

TEST(CudaFailure, OfTheCallItselfNamesNoKernelsBefore) {
  EXPECT_EQ(text_of({.what = "launch of pack", .where = "device 1", .error = invalid},
                    launched({"update", "pack"})),
            std::string("CUDA: launch of pack failed on device 1: ") + invalid);
}

TEST(CudaFailure, OfAKernelNamesTheLatestAndTheWayToFindIt) {
  Failure failure{
      .what = "cudaStreamSynchronize", .where = "device 0", .error = illegal, .of_a_kernel = true};
  const std::string start =
      std::string("CUDA: cudaStreamSynchronize failed on device 0: ") + illegal;
  EXPECT_EQ(text_of(failure, launched({"update", "pack"})),
            start +
                " (a kernel's error, which a later call reports; launched before it, the latest "
                "first: pack; update; CUDA_LAUNCH_BLOCKING=1 tells which it was, "
                "compute-sanitizer the line)");
  EXPECT_EQ(text_of(failure, {}), start + " (no kernel was launched before)");
  failure.blocking = true;
  EXPECT_EQ(text_of(failure, launched({"update", "pack"})),
            start +
                " (a kernel's error, and each launch waits for its kernel: of these, the latest "
                "first, the first did it: pack; update; compute-sanitizer names the line)");
}

}  // namespace
}  // namespace bellwether::cuda
