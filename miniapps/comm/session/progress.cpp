// SPDX-License-Identifier: MIT
#include "miniapps/comm/session/progress.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>

#include "models/text_lines.hpp"

namespace bellwether {
namespace {

constexpr std::chrono::milliseconds between_lines(200);
constexpr std::chrono::seconds between_plain_lines(10);
constexpr const char* cleared = "\r\033[K";

std::string stderr_of(const std::string& process) { return "/proc/" + process + "/fd/2"; }

bool same_stderr(const std::string& process) {
  struct stat own {};
  struct stat other {};
  return fstat(STDERR_FILENO, &own) == 0 && stat(stderr_of(process).c_str(), &other) == 0 &&
         own.st_dev == other.st_dev && own.st_ino == other.st_ino;
}

/// Empty where there is none to be found.
std::string parent_of(const std::string& process) {
  std::ifstream status("/proc/" + process + "/status");
  std::string key, value;
  while (status >> key)
    if (key == "PPid:" && status >> value && value != "0") return value;
  return {};
}

/// The process that reads the pipe which is this one's stderr: scripts in between have the same.
/// Empty if no launcher started this process.
std::string launcher() {
  const auto is_set = [](const char* variable) { return std::getenv(variable) != nullptr; };
  if (!is_set("OMPI_COMM_WORLD_RANK") && !is_set("PMIX_RANK") && !is_set("PMI_RANK")) return {};
  std::string process = parent_of("self");
  while (!process.empty() && same_stderr(process)) process = parent_of(process);
  return process;
}

/// The terminal that a process' stderr is, opened anew, or -1. A stopped terminal (Ctrl-S) then
/// loses lines and holds nobody up, and what is written there passes no launcher: it comes before
/// what is printed later and into no file that the launcher keeps.
int open_terminal(const std::string& process) {
  const int file = open(stderr_of(process).c_str(), O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0 || isatty(file) == 1) return file;
  close(file);
  return -1;
}

std::string seconds_text(double seconds) {
  return seconds < 120 ? fmt::format("{:.0f} s", seconds) : fmt::format("{:.0f} min", seconds / 60);
}

std::size_t columns_of(int terminal) {
  winsize size{};
  return ioctl(terminal, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

Progress::Progress(const std::string& mode, int rank) {
  if (rank != 0 || mode == "off") return;
  output_ = open_terminal("self");
  if (const std::string process = launcher(); output_ < 0 && !process.empty())
    output_ = open_terminal(process);
  is_terminal_ = output_ >= 0;
  if (!is_terminal_ && mode == "on") output_ = dup(STDERR_FILENO);
}

Progress::~Progress() {
  clear();
  if (output_ >= 0) close(output_);
}

void Progress::show(const std::string& what, long done, long all,
                    std::optional<double> seconds_left) {
  if (output_ < 0) return;
  const Clock::time_point now = Clock::now();
  if (all != all_ || done < done_) begin_ = now;
  all_ = all;
  done_ = done;
  if (now < next_) return;
  next_ = now + (is_terminal_ ? Clock::duration(between_lines) : between_plain_lines);
  shown_ = true;
  const std::string counts = counts_text(done, all, seconds_left), safe = printable(what);
  if (!is_terminal_) return write(safe + counts + "\n");
  // Where the terminal is too narrow the counts stay. The cursor waits at the line's begin: what
  // others print, a watchdog or a shell, covers it.
  const std::size_t columns = columns_of(output_) - 1;
  const std::size_t left = columns - std::min(columns, counts.size());
  write(cleared + (safe.substr(0, left) + counts).substr(0, columns) + "\r");
}

std::string Progress::counts_text(long done, long all, std::optional<double> seconds_left) const {
  std::string text;
  if (all > 0) text += fmt::format(": {} of {}", done, all);
  if (!seconds_left && done > 0 && all > 0) {
    const double taken = std::chrono::duration<double>(Clock::now() - begin_).count();
    seconds_left = taken * static_cast<double>(all - done) / static_cast<double>(done);
  }
  if (seconds_left)
    text += fmt::format(", about {} left", seconds_text(std::max(0.0, *seconds_left)));
  return text;
}

void Progress::clear() {
  if (!is_terminal_ || !shown_) return;
  write(cleared);
  shown_ = false;
  next_ = Clock::now() + between_lines;
}

void Progress::write(const std::string& text) const {
  // Launched ranks are not in the terminal's foreground: after `stty tostop` writing there would
  // stop them, unless they block the signal.
  sigset_t stop, before;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTTOU);
  pthread_sigmask(SIG_BLOCK, &stop, &before);
  [[maybe_unused]] const ssize_t written = ::write(output_, text.data(), text.size());
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace bellwether
