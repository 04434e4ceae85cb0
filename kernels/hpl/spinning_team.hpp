// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <thread>
#include <vector>

namespace bellwether {

/// Threads for pieces of work of microseconds, between which they look for the next one rather than
/// sleep; they sleep outside of shifts. On the cores that the thread that makes them may run on.
class SpinningTeam {
 public:
  /// `threads` with the caller's own, at least 1. Throws std::system_error where the system starts
  /// no more.
  explicit SpinningTeam(int threads);
  ~SpinningTeam();
  SpinningTeam(const SpinningTeam&) = delete;
  SpinningTeam& operator=(const SpinningTeam&) = delete;

  [[nodiscard]] int threads() const { return static_cast<int>(others_.size()) + 1; }

  /// While it lives some of the team's threads stand ready, 1 to all of them.
  class Shift {
   public:
    Shift(SpinningTeam& team, int threads);
    ~Shift();
    Shift(const Shift&) = delete;
    Shift& operator=(const Shift&) = delete;

   private:
    SpinningTeam& team_;
  };

  /// Threads of the shift; 1 outside.
  [[nodiscard]] int on_shift() const { return on_shift_; }

  /// work(n) by each thread n of the shift, the caller being 0; they have ended when it returns.
  /// What one wrote all see after. `work` must not throw.
  template <class Work>
  void each(const Work& work) {
    if (on_shift_ > 1)
      start([](const void* what, int n) { (*static_cast<const Work*>(what))(n); }, &work);
    work(0);
    if (on_shift_ > 1) wait_for_others();
  }

 private:
  using Call = void(const void* work, int thread);

  void start(Call* call, const void* work);
  void wait_for_others();
  void begin_shift(unsigned threads);
  void live(unsigned thread);
  void serve(int thread);

  int on_shift_ = 1;
  unsigned tasks_before_ = 0;  ///< the shift
  // What others look at is apart from what they do not, and what they write from what they read.
  alignas(64) std::atomic<unsigned> shift_{0};  ///< its number and how many threads it has
  struct alignas(64) {
    std::atomic<unsigned> number{0};
    Call* call = nullptr;  ///< null: the shift ends
    const void* work = nullptr;
  } task_;
  alignas(64) std::atomic<int> ended_{0};  ///< threads that have ended the task
  std::vector<std::jthread> others_;
};

}  // namespace bellwether
