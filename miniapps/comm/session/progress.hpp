// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace bellwether {

/// What rank 0 says while something takes long: "what: done of all, about so long left". A terminal
/// has one line of it, rewritten in place; no file and no pipe gets any of it unasked.
///
///     Progress progress("auto", session.rank());
///     while (…) progress.show("diffusion, overlap off", samples, wanted);
///     progress.clear();  // before anything is printed
class Progress {
 public:
  /// Shows nothing.
  Progress() = default;
  /// `mode`: "off"; "auto": only on a terminal, stderr's own or its launcher's on this node; "on":
  /// else plain lines on stderr, ten seconds apart.
  Progress(const std::string& mode, int rank);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// May be called as often as there is news: it shows at most five lines a second. `all` 0: not
  /// known. Without `seconds_left` they are estimated from the time that `done` took so far.
  void show(const std::string& what, long done, long all, std::optional<double> seconds_left = {});
  /// Takes the line away. What is printed next has a fifth of a second to get there.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] std::string counts_text(long done, long all,
                                        std::optional<double> seconds_left) const;
  void write(const std::string& text) const;

  int output_ = -1;  ///< a file descriptor; -1: nothing is shown
  bool is_terminal_ = false;
  bool shown_ = false;
  Clock::time_point next_;   ///< earliest next line
  Clock::time_point begin_;  ///< of the work that is being counted
  long all_ = -1, done_ = 0;
};

}  // namespace bellwether
