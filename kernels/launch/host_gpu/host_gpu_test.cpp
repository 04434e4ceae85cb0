// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "kernels/launch/host_gpu/host_gpu.hpp"

// What the GPU made of CPU must do so that tests on it mean something: compute right, order nothing
// that CUDA does not order, and tell what a device would not forgive.

namespace bellwether::host_gpu {
namespace {

cudaStream_t new_stream() {
  cudaStream_t stream = nullptr;
  EXPECT_EQ(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, 0), cudaSuccess);
  return stream;
}

template <class... Parameters, class... Arguments>
cudaError_t run(cudaStream_t stream, unsigned blocks, unsigned threads,
                void (*kernel)(Parameters...), Arguments... arguments) {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(threads);
  config.stream = stream;
  return cudaLaunchKernelEx(&config, kernel, arguments...);
}

template <class T>
struct OnDevice {
  explicit OnDevice(std::size_t count) : count_(count) {
    void* memory = nullptr;
    EXPECT_EQ(cudaMalloc(&memory, count * sizeof(T)), cudaSuccess);
    data = static_cast<T*>(memory);
  }
  ~OnDevice() { EXPECT_EQ(cudaFree(data), cudaSuccess); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  [[nodiscard]] std::vector<T> values(cudaStream_t stream) const {
    std::vector<T> result(count_);
    EXPECT_EQ(cudaMemcpyAsync(result.data(), data, count_ * sizeof(T), cudaMemcpyDefault, stream),
              cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    return result;
  }
  T* data = nullptr;

 private:
  std::size_t count_;
};

struct Pinned {
  explicit Pinned(std::size_t count) {
    void* memory = nullptr;
    EXPECT_EQ(cudaMallocHost(&memory, count * sizeof(int)), cudaSuccess);
    data = static_cast<int*>(memory);
  }
  ~Pinned() { EXPECT_EQ(cudaFreeHost(data), cudaSuccess); }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;
  int* data = nullptr;
};

void write_own_number(int* out) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = static_cast<int>(blockIdx.x * 1000 + threadIdx.x);
}

TEST(HostGpu, RunsEachThreadOfEachBlockOnce) {
  const cudaStream_t stream = new_stream();
  for (const unsigned threads : {1u, 31u, 32u, 256u, 1024u}) {
    const OnDevice<int> out(7 * threads);
    ASSERT_EQ(run(stream, 7, threads, write_own_number, out.data), cudaSuccess);
    const std::vector<int> values = out.values(stream);
    for (unsigned n = 0; n < 7 * threads; ++n)
      ASSERT_EQ(values[n], n / threads * 1000 + n % threads) << threads;
  }
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

void note_order(int* order, int* count) {
  order[(*count)++] = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
}

TEST(HostGpu, RunsThreadsAndBlocksInAnyOrder) {
  const cudaStream_t stream = new_stream();
  const OnDevice<int> order(8 * 16), count(1);
  std::set<std::vector<int>> orders;
  for (int time = 0; time < 3; ++time) {
    ASSERT_EQ(cudaMemsetAsync(count.data, 0, sizeof(int), stream), cudaSuccess);
    ASSERT_EQ(run(stream, 8, 16, note_order, order.data, count.data), cudaSuccess);
    std::vector<int> values = order.values(stream);
    orders.insert(values);
    std::sort(values.begin(), values.end());
    std::vector<int> all(8 * 16);
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(values, all);
  }
  EXPECT_EQ(orders.size(), 3u);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

void shuffle_and_share(int* sums, int* neighbours, int* reversed) {
  __shared__ int shared[96];
  int value = static_cast<int>(threadIdx.x) + 1;
  for (int distance = 16; distance > 0; distance /= 2)
    value += __shfl_down_sync(~0U, value, static_cast<unsigned>(distance));
  if (threadIdx.x % 32 == 0) sums[blockIdx.x * 3 + threadIdx.x / 32] = value;
  shared[threadIdx.x] = static_cast<int>(threadIdx.x);
  __syncwarp();
  neighbours[threadIdx.x] = shared[threadIdx.x ^ 1U];
  __syncthreads();
  reversed[threadIdx.x] = shared[95 - threadIdx.x];
  __syncthreads();
}

TEST(HostGpu, LanesAndThreadsWaitForEachOther) {
  const cudaStream_t stream = new_stream();
  const OnDevice<int> sums(15), neighbours(96), reversed(96);
  ASSERT_EQ(run(stream, 5, 96, shuffle_and_share, sums.data, neighbours.data, reversed.data),
            cudaSuccess);
  for (int n = 0; n < 15; ++n)
    EXPECT_EQ(sums.values(stream)[static_cast<std::size_t>(n)], 32 * 33 / 2 + n % 3 * 32 * 32);
  const std::vector<int> pairs = neighbours.values(stream), others = reversed.values(stream);
  for (int n = 0; n < 96; ++n) {
    EXPECT_EQ(pairs[static_cast<std::size_t>(n)], n ^ 1);
    EXPECT_EQ(others[static_cast<std::size_t>(n)], 95 - n);
  }
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

void lose_half_a_warp(int* out) {
  if (threadIdx.x % 2 == 0) __syncwarp(0x55555555U);
  if (threadIdx.x == 1) __syncthreads();
  if (threadIdx.x % 2 == 0) __syncwarp();  // lane 1 waits elsewhere
  out[threadIdx.x] = 1;
}

TEST(HostGpuDeathTest, TellsThreadsThatWaitForEver) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        const cudaStream_t stream = new_stream();
        const OnDevice<int> out(32);
        (void)run(stream, 1, 32, lose_half_a_warp, out.data);
        (void)cudaStreamSynchronize(stream);
      },
      "wait for each other for ever");
}

TEST(HostGpu, FreshMemoryIsNoNumber) {
  const cudaStream_t stream = new_stream();
  for (const float value : OnDevice<float>(33).values(stream)) EXPECT_TRUE(std::isnan(value));
  for (const double value : OnDevice<double>(33).values(stream)) EXPECT_TRUE(std::isnan(value));
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

TEST(HostGpuDeathTest, KeepsHostAndDevicesApart) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        const OnDevice<int> out(4);
        *static_cast<volatile int*>(out.data) = 1;
      },
      "reached for a device's memory");
  EXPECT_DEATH(
      {
        std::vector<int> pageable(64);
        (void)run(new_stream(), 1, 32, write_own_number, pageable.data());
      },
      "address of pageable host memory");
}

void write_beyond(int* out, int n) { out[n] = 1; }

TEST(HostGpuDeathTest, TellsWritesBeyondAnAllocation) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        const cudaStream_t stream = new_stream();
        const OnDevice<int> out(5);
        (void)run(stream, 1, 1, write_beyond, out.data, 5);
        (void)cudaStreamSynchronize(stream);
      },
      "beyond the end of an allocation|use-after-poison");
}

TEST(HostGpu, RefusesWhatCudaRefuses) {
  const cudaStream_t stream = new_stream();
  const OnDevice<int> out(5);
  std::vector<int> host(8);
  EXPECT_EQ(cudaMemcpyAsync(out.data, host.data(), 24, cudaMemcpyDefault, stream),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyAsync(host.data(), out.data, 20, cudaMemcpyHostToDevice, stream),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy2DAsync(out.data, 12, host.data(), 16, 9, 2, cudaMemcpyDefault, stream),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy2DAsync(out.data, 12, host.data(), 16, 13, 1, cudaMemcpyDefault, stream),
            cudaErrorInvalidPitchValue);
  EXPECT_EQ(cudaMemsetAsync(host.data(), 0, 4, stream), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(host.data()), cudaErrorInvalidValue);
  EXPECT_EQ(run(stream, 0, 32, write_own_number, out.data), cudaErrorInvalidConfiguration);
  EXPECT_EQ(run(stream, 1, 1025, write_own_number, out.data), cudaErrorInvalidConfiguration);
  void* memory = nullptr;
  EXPECT_EQ(cudaMalloc(&memory, settings().memory + 1), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

/// Whether a reader in another stream, or on the host, ever sees the value of before.
template <class Read>
bool is_ever_late(const Read& read) {
  for (int time = 0; time < 200; ++time)
    if (read() != 7) return true;
  return false;
}

void write_seven(int* out) { *out = 7; }
void copy_one(const int* from, int* to) { *to = *from; }

int through_a_second_stream(bool waits) {
  const cudaStream_t first = new_stream(), second = new_stream();
  cudaEvent_t written = nullptr;
  EXPECT_EQ(cudaEventCreateWithFlags(&written, cudaEventDisableTiming), cudaSuccess);
  int result = 0;
  {
    const OnDevice<int> from(1), to(1);
    EXPECT_EQ(run(first, 1, 1, write_seven, from.data), cudaSuccess);
    EXPECT_EQ(cudaEventRecord(written, first), cudaSuccess);
    if (waits) {
      EXPECT_EQ(cudaStreamWaitEvent(second, written, 0), cudaSuccess);
    }
    EXPECT_EQ(run(second, 1, 1, copy_one, from.data, to.data), cudaSuccess);
    result = to.values(second)[0];
  }
  EXPECT_EQ(cudaEventDestroy(written), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(first), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(second), cudaSuccess);
  return result;
}

TEST(HostGpu, OrdersStreamsByEventsAlone) {
  EXPECT_FALSE(is_ever_late([] { return through_a_second_stream(true); }));
  EXPECT_TRUE(is_ever_late([] { return through_a_second_stream(false); }));
}

int through_pinned_memory(bool fences) {
  const cudaStream_t stream = new_stream();
  int result = 0;
  {
    const OnDevice<int> from(1);
    const Pinned to(1);
    EXPECT_EQ(run(stream, 1, 1, write_seven, from.data), cudaSuccess);
    EXPECT_EQ(cudaMemcpyAsync(to.data, from.data, sizeof(int), cudaMemcpyDefault, stream),
              cudaSuccess);
    if (fences) {
      EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    }
    result = *to.data;
  }
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  return result;
}

TEST(HostGpu, CopiesToPinnedMemoryWhenTheStreamGetsThere) {
  EXPECT_FALSE(is_ever_late([] { return through_pinned_memory(true); }));
  EXPECT_TRUE(is_ever_late([] { return through_pinned_memory(false); }));
}

/// The host changes pinned memory that a copy has yet to read.
int from_pinned_memory(bool fences) {
  const cudaStream_t stream = new_stream();
  int result = 0;
  {
    const OnDevice<int> to(1);
    const Pinned from(1);
    *from.data = 7;
    EXPECT_EQ(cudaMemcpyAsync(to.data, from.data, sizeof(int), cudaMemcpyDefault, stream),
              cudaSuccess);
    if (fences) {
      EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    }
    *from.data = 8;
    result = to.values(stream)[0];
  }
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  return result;
}

TEST(HostGpu, CopiesFromPinnedMemoryWhenTheStreamGetsThere) {
  EXPECT_FALSE(is_ever_late([] { return from_pinned_memory(true); }));
  EXPECT_TRUE(is_ever_late([] { return from_pinned_memory(false); }));
}

TEST(HostGpu, EventsAreReachedByAsking) {
  const cudaStream_t stream = new_stream();
  cudaEvent_t before = nullptr, after = nullptr;
  ASSERT_EQ(cudaEventCreateWithFlags(&before, cudaEventDefault), cudaSuccess);
  ASSERT_EQ(cudaEventCreateWithFlags(&after, cudaEventDefault), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(after), cudaSuccess) << "never recorded";
  const OnDevice<int> out(7 * 32);
  ASSERT_EQ(cudaEventRecord(before, stream), cudaSuccess);
  ASSERT_EQ(run(stream, 7, 32, write_own_number, out.data), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(after, stream), cudaSuccess);
  int asked = 0;
  while (cudaEventQuery(after) == cudaErrorNotReady && asked < 100) ++asked;
  EXPECT_LT(asked, 100);
  float milliseconds = -1;
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, before, after), cudaSuccess);
  EXPECT_GT(milliseconds, 0);
  cudaEvent_t untimed = nullptr;
  ASSERT_EQ(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(untimed, stream), cudaSuccess);
  EXPECT_EQ(cudaEventSynchronize(untimed), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, before, untimed), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventDestroy(untimed), cudaSuccess);
  (void)cudaGetLastError();
  EXPECT_EQ(cudaEventDestroy(before), cudaSuccess);
  EXPECT_EQ(cudaEventDestroy(after), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

void add_up(const int* by, int* sum) { *sum += *by; }

/// A graph of what `record` puts on the stream.
template <class Record>
cudaGraphExec_t recorded_on(cudaStream_t stream, const Record& record) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  EXPECT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), cudaSuccess);
  record();
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  EXPECT_EQ(cudaGraphInstantiateWithFlags(&executable, graph, 0), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  return executable;
}

TEST(HostGpu, GraphsDoWhatWasRecordedEachTimeAndNotBefore) {
  const cudaStream_t stream = new_stream(), other = new_stream();
  const OnDevice<int> by(1), sum(1), last(1);
  ASSERT_EQ(cudaMemsetAsync(sum.data, 0, sizeof(int), stream), cudaSuccess);
  const cudaGraphExec_t graph = recorded_on(stream, [&] {
    EXPECT_EQ(run(stream, 1, 1, add_up, by.data, sum.data), cudaSuccess);
    EXPECT_EQ(cudaMemcpyAsync(last.data, by.data, sizeof(int), cudaMemcpyDeviceToDevice, stream),
              cudaSuccess);
  });
  EXPECT_EQ(sum.values(stream)[0], 0);
  int expected = 0;
  for (const int value : {3, 5}) {  // it reads what stands there then, on whichever stream
    ASSERT_EQ(cudaMemcpyAsync(by.data, &value, sizeof(int), cudaMemcpyDefault, other), cudaSuccess);
    ASSERT_EQ(cudaGraphLaunch(graph, other), cudaSuccess);
    expected += value;
    EXPECT_EQ(sum.values(other)[0], expected);
    EXPECT_EQ(last.values(other)[0], value);
  }
  ASSERT_EQ(cudaGraphLaunch(graph, stream), cudaSuccess);
  EXPECT_EQ(cudaGraphExecDestroy(graph), cudaSuccess);  // it is done all the same
  EXPECT_EQ(sum.values(stream)[0], expected + 5);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(other), cudaSuccess);
}

TEST(HostGpu, NothingWaitsWhileAGraphIsRecorded) {
  const cudaStream_t stream = new_stream();
  cudaEvent_t event = nullptr;
  ASSERT_EQ(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), cudaSuccess);
  const cudaGraphExec_t graph = recorded_on(stream, [&] {
    EXPECT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), cudaErrorInvalidValue);
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorStreamCaptureUnsupported);
    EXPECT_EQ(cudaEventRecord(event, stream), cudaErrorStreamCaptureUnsupported);
    EXPECT_EQ(cudaStreamWaitEvent(stream, event, 0), cudaErrorStreamCaptureUnsupported);
  });
  cudaGraph_t none = nullptr;
  EXPECT_EQ(cudaStreamEndCapture(stream, &none), cudaErrorStreamCaptureUnmatched);
  EXPECT_EQ(cudaGetLastError(), cudaErrorStreamCaptureUnmatched);
  EXPECT_EQ(cudaGraphExecDestroy(graph), cudaSuccess);
  EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

}  // namespace
}  // namespace bellwether::host_gpu
