// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "kernels/launch/device.hpp"

namespace bellwether {

/// A backend's device and one stream, with what a test moves to it and back.
class TestBackend {
 public:
  explicit TestBackend(const std::string& name)
      : device_(make_device(name, 0)), stream_(device_->make_stream(false)) {}

  [[nodiscard]] Device& device() { return *device_; }
  [[nodiscard]] Stream& stream() { return *stream_; }

  template <class T>
  [[nodiscard]] Buffer<T> upload(const std::vector<T>& values) {
    return uploaded(*device_, values, *stream_);
  }
  template <class T>
  [[nodiscard]] std::vector<T> download(const Buffer<T>& buffer) {
    std::vector<T> values(buffer.size());
    device_->copy_and_wait(values.data(), buffer.data(), buffer.bytes(), *stream_);
    return values;
  }

 private:
  std::unique_ptr<Device> device_;
  std::unique_ptr<Stream> stream_;
};

/// A test of one backend, by name. A backend that cannot be used here is skipped and says why;
/// with BELLWETHER_REQUIRE_CUDA=1 in the environment that is a failure.
class BackendTest : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    for (const BackendInfo& info : backends()) {
      if (info.name != GetParam() || info.usable) continue;
      const char* required = std::getenv("BELLWETHER_REQUIRE_CUDA");
      if (required != nullptr && std::string(required) == "1") FAIL() << info.problem;
      GTEST_SKIP() << info.problem;
    }
    backend_ = std::make_unique<TestBackend>(GetParam());
  }
  [[nodiscard]] TestBackend& backend() { return *backend_; }
  [[nodiscard]] Device& device() { return backend_->device(); }
  [[nodiscard]] Stream& stream() { return backend_->stream(); }

 private:
  std::unique_ptr<TestBackend> backend_;
};

/// For INSTANTIATE_TEST_SUITE_P: every backend that the build knows, and its name in the test's.
inline auto every_backend() {
  std::vector<std::string> names;
  for (const BackendInfo& info : backends()) names.push_back(info.name);
  return testing::ValuesIn(names);
}
inline std::string backend_in_name(const testing::TestParamInfo<std::string>& info) {
  return info.param;
}

/// Calls check(T{}) for both precisions.
template <class Check>
void each_precision(const Check& check) {
  {
    SCOPED_TRACE("f32");
    check(float{});
  }
  {
    SCOPED_TRACE("f64");
    check(double{});
  }
}

/// Reproducible random numbers, the same with every standard library.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  [[nodiscard]] std::uint64_t bits() { return engine_(); }
  /// 0 <= result < bound.
  [[nodiscard]] int below(int bound) {
    return static_cast<int>(bits() % static_cast<std::uint64_t>(bound));
  }
  /// In [-1, 1), from 24 bits: exact in float.
  template <class T>
  [[nodiscard]] T value() {
    return static_cast<T>(static_cast<double>(bits() >> 40) / (1 << 23) - 1);
  }
  template <class T>
  [[nodiscard]] std::vector<T> values(std::size_t count) {
    std::vector<T> result(count);
    for (T& x : result) x = value<T>();
    return result;
  }

 private:
  std::mt19937_64 engine_;
};

/// Any bits at all, NaN among them.
template <class Word>
std::vector<Word> random_words(Random& random, std::size_t count) {
  std::vector<Word> words(count);
  for (Word& word : words) word = static_cast<Word>(random.bits());
  return words;
}

/// Whether two arrays hold the same bits (NaN equals itself, -0 differs from 0).
template <class T>
testing::AssertionResult same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  if (a.size() != b.size())
    return testing::AssertionFailure() << "sizes " << a.size() << " and " << b.size();
  for (std::size_t n = 0; n < a.size(); ++n) {
    if (std::memcmp(&a[n], &b[n], sizeof(T)) != 0)
      return testing::AssertionFailure() << "element " << n << ": " << a[n] << " and " << b[n];
  }
  return testing::AssertionSuccess();
}

}  // namespace bellwether
