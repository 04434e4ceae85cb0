// SPDX-License-Identifier: MIT
#include <ucontext.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <memory>
#include <numeric>
#include <vector>

#include "kernels/launch/host_gpu/host_gpu.hpp"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;

namespace bellwether::host_gpu {
namespace {

constexpr unsigned warp = 32;

/// A stack of its own, on which threads run one after another until one of them waits for others:
/// then the next thread begins on the next fiber, and this one goes on when its wait is over.
class Fiber {
 public:
  explicit Fiber(void (*entry)()) : stack_(std::make_unique<std::byte[]>(stack_bytes)) {
    if (getcontext(&context_) != 0) stop("getcontext failed");
    context_.uc_stack.ss_sp = stack_.get();
    context_.uc_stack.ss_size = stack_bytes;
    context_.uc_link = nullptr;
    makecontext(&context_, entry, 0);
  }

  unsigned thread = 0;      ///< the one that runs on it, of its block
  bool waiting = false;     ///< for the lanes of a mask, or for the block
  bool for_block = false;   ///< ... which of the two
  unsigned mask = 0;        ///< ... and for which lanes of its warp
  bool idle = true;         ///< no thread is on it
  std::uint64_t given = 0;  ///< to the warp's other lanes

  /// From the scheduler to this fiber, until it comes back.
  void resume();
  /// From this fiber back to the scheduler.
  void leave();
  /// At the beginning of its entry.
  void arrived();

 private:
  static constexpr std::size_t stack_bytes = 128 << 10;
  std::unique_ptr<std::byte[]> stack_;
  ucontext_t context_{};
  [[maybe_unused]] void* fake_stack_ = nullptr;
};

struct Scheduler {
  ucontext_t context{};
  void* fake_stack = nullptr;
  const void* stack_bottom = nullptr;
  std::size_t stack_bytes = 0;
  std::vector<std::unique_ptr<Fiber>> fibers;  ///< kept for the next block
  Fiber* current = nullptr;

  std::vector<unsigned> order;  ///< the block's threads as they will begin
  std::size_t begun = 0;
  std::vector<Fiber*> on_fiber;  ///< of each thread, null before it begins and after its end
  std::vector<bool> ended;
  const std::function<void()>* body = nullptr;
};
Scheduler scheduler;

void Fiber::resume() {
  scheduler.current = this;
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(&scheduler.fake_stack, stack_.get(), stack_bytes);
#endif
  swapcontext(&scheduler.context, &context_);
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(scheduler.fake_stack, nullptr, nullptr);
#endif
}

void Fiber::leave() {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(&fake_stack_, scheduler.stack_bottom, scheduler.stack_bytes);
#endif
  swapcontext(&context_, &scheduler.context);
  arrived();
}

void Fiber::arrived() {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(fake_stack_, &scheduler.stack_bottom, &scheduler.stack_bytes);
#endif
}

void place_thread(unsigned thread) {
  threadIdx = {thread % blockDim.x, thread / blockDim.x % blockDim.y,
               thread / (blockDim.x * blockDim.y)};
}

/// What a fiber does: the threads that have not begun, one after another, in every block anew.
void run_threads() {
  Fiber& self = *scheduler.current;
  self.arrived();
  for (;;) {
    while (scheduler.begun < scheduler.order.size()) {
      const unsigned thread = scheduler.order[scheduler.begun++];
      self.thread = thread;
      self.idle = false;
      scheduler.on_fiber[thread] = &self;
      place_thread(thread);
      (*scheduler.body)();
      scheduler.on_fiber[thread] = nullptr;
      scheduler.ended[thread] = true;
    }
    self.idle = true;
    self.leave();
  }
}

/// Whether each thread that a waiting one waits for waits too, or has ended.
bool is_over(const Fiber& fiber) {
  const auto threads = static_cast<unsigned>(scheduler.order.size());
  const unsigned first = fiber.for_block ? 0 : fiber.thread / warp * warp;
  const unsigned end = fiber.for_block ? threads : std::min(first + warp, threads);
  for (unsigned thread = first; thread < end; ++thread) {
    if (!fiber.for_block && (fiber.mask >> (thread - first) & 1U) == 0) continue;
    if (scheduler.ended[thread]) continue;
    const Fiber* const other = scheduler.on_fiber[thread];
    if (other == nullptr || !other->waiting || other->for_block != fiber.for_block) return false;
  }
  return true;
}

/// Ends the wait of all threads that wait for each other with this one, if it is over.
void end_wait(const Fiber& fiber, std::vector<Fiber*>& ready) {
  if (!fiber.waiting || !is_over(fiber)) return;
  const auto threads = static_cast<unsigned>(scheduler.order.size());
  const bool for_block = fiber.for_block;
  const unsigned mask = fiber.mask;
  const unsigned first = for_block ? 0 : fiber.thread / warp * warp;
  const unsigned end = for_block ? threads : std::min(first + warp, threads);
  for (unsigned thread = first; thread < end; ++thread) {
    Fiber* const other = scheduler.on_fiber[thread];
    if (other == nullptr || (!for_block && (mask >> (thread - first) & 1U) == 0)) continue;
    other->waiting = false;
    ready.push_back(other);
  }
}

Fiber& idle_fiber() {
  for (const auto& fiber : scheduler.fibers)
    if (fiber->idle) return *fiber;
  scheduler.fibers.push_back(std::make_unique<Fiber>(run_threads));
  return *scheduler.fibers.back();
}

void run_block(unsigned threads) {
  scheduler.order.resize(threads);
  std::iota(scheduler.order.begin(), scheduler.order.end(), 0U);
  std::shuffle(scheduler.order.begin(), scheduler.order.end(), random_engine());
  scheduler.begun = 0;
  scheduler.on_fiber.assign(threads, nullptr);
  scheduler.ended.assign(threads, false);
  std::vector<Fiber*> ready;
  for (;;) {
    const bool more = scheduler.begun < threads;
    if (ready.empty() && !more) {
      for (const Fiber* const fiber : scheduler.on_fiber)
        if (fiber != nullptr) end_wait(*fiber, ready);  // others' ends may have ended it
      if (ready.empty()) break;
    }
    const std::size_t choice = random_below(ready.size() + (more ? 1 : 0));
    Fiber* fiber = nullptr;
    if (choice == ready.size()) {
      fiber = &idle_fiber();
    } else {
      fiber = ready[choice];
      ready.erase(ready.begin() + static_cast<std::ptrdiff_t>(choice));
      place_thread(fiber->thread);
    }
    fiber->resume();
    end_wait(*fiber, ready);
  }
  if (std::find(scheduler.ended.begin(), scheduler.ended.end(), false) != scheduler.ended.end())
    stop(
        "threads of a block wait for each other for ever: not all lanes of a mask reach "
        "__syncwarp or the shuffle, or not all threads __syncthreads");
}

void wait(bool for_block, unsigned mask) {
  Fiber& self = *scheduler.current;
  const uint3 place = threadIdx;
  if (!for_block && (mask >> (self.thread % warp) & 1U) == 0)
    stop("a lane waits for a mask that it is not in");
  self.waiting = true;
  self.for_block = for_block;
  self.mask = mask;
  self.leave();
  threadIdx = place;
}

}  // namespace

void run_grid(dim3 grid, dim3 block, std::size_t left_out, const std::function<void()>& thread) {
  gridDim = grid;
  blockDim = block;
  scheduler.body = &thread;
  std::vector<unsigned> order(std::size_t{grid.x} * grid.y * grid.z - left_out);
  std::iota(order.begin(), order.end(), 0U);
  std::shuffle(order.begin(), order.end(), random_engine());
  for (const unsigned n : order) {
    blockIdx = {n % grid.x, n / grid.x % grid.y, n / (grid.x * grid.y)};
    run_block(block.x * block.y * block.z);
  }
  scheduler.body = nullptr;
}

void wait_for_warp(unsigned mask) { wait(false, mask); }
void wait_for_block() { wait(true, 0); }

std::uint64_t exchange(unsigned mask, std::uint64_t mine, int lane) {
  Fiber& self = *scheduler.current;
  self.given = mine;
  wait_for_warp(mask);
  const Fiber* const other =
      scheduler.on_fiber[self.thread / warp * warp + static_cast<unsigned>(lane)];
  const std::uint64_t theirs = other == nullptr ? ~std::uint64_t{0} : other->given;
  wait_for_warp(mask);  // nobody gives the next value before all have read this one
  return theirs;
}

}  // namespace bellwether::host_gpu
