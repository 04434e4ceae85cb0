// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <string>

namespace bellwether {

/// A short text that one thread writes and other processes read: a reader may see a mixture of two
/// texts, never past the end.
class SharedText {
 public:
  void store(const char* text) {
    const std::size_t length = std::min(std::strlen(text), characters_.size() - 1);
    for (std::size_t i = 0; i <= length; ++i) {
      characters_[i].store(i < length ? text[i] : '\0', std::memory_order_relaxed);
    }
  }
  [[nodiscard]] std::string load() const {
    std::string text;
    for (const auto& character : characters_) {
      const char value = character.load(std::memory_order_relaxed);
      if (value == '\0') {
        break;
      }
      text.push_back(value);
    }
    return text;
  }

 private:
  std::array<std::atomic<char>, 48> characters_{};
};

/// Whether a rank is to be watched: while it runs. `failed` is a rank that leaves by an exception,
/// whose message is printed elsewhere; `ended` one that a signal is ending.
enum class RankState : int { running, left, failed, ended };

/// What one rank shows the others of its node. Written by its watchdog thread alone.
struct alignas(64) WatchdogSlot {
  std::atomic<RankState> state{RankState::running};
  std::atomic<int> pid{0};
  std::atomic<int> rank{0};
  std::atomic<long> ticks{0};  ///< a sign of life every tick, whatever the rank does
  std::atomic<long> beats{0};
  std::atomic<long> step{0};
  SharedText phase;
};

/// Start of the table, followed by a slot for each local rank.
struct alignas(64) WatchdogHeader {
  std::atomic<bool> claimed{false};  ///< by the rank that prints the one line
  std::atomic<bool> printed{false};
};

// Other processes read these: they must need no lock, which would be each process' own.
static_assert(std::atomic<long>::is_always_lock_free && std::atomic<bool>::is_always_lock_free &&
              std::atomic<char>::is_always_lock_free &&
              std::atomic<RankState>::is_always_lock_free);

}  // namespace bellwether
