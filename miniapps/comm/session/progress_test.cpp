// SPDX-License-Identifier: MIT
#include "miniapps/comm/session/progress.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace bellwether {
namespace {

/// Puts a file descriptor in stderr's place and reads what comes out at the other end.
class StderrInto {
 public:
  StderrInto(int other_end, int in_its_place) : other_end_(other_end), before_(dup(STDERR_FILENO)) {
    dup2(in_its_place, STDERR_FILENO);
    close(in_its_place);
  }
  ~StderrInto() {
    dup2(before_, STDERR_FILENO);
    close(before_);
    close(other_end_);
  }
  StderrInto(const StderrInto&) = delete;
  StderrInto& operator=(const StderrInto&) = delete;

  [[nodiscard]] std::string text() const {
    std::string text;
    for (pollfd ready{other_end_, POLLIN, 0}; poll(&ready, 1, 0) > 0 && (ready.revents & POLLIN);) {
      char piece[256];
      const ssize_t length = read(other_end_, piece, sizeof piece);
      if (length <= 0) break;
      text.append(piece, static_cast<std::size_t>(length));
    }
    return text;
  }

 private:
  int other_end_, before_;
};

StderrInto into_terminal(unsigned short columns) {
  const int mine = posix_openpt(O_RDWR | O_NOCTTY);
  EXPECT_EQ(grantpt(mine) + unlockpt(mine), 0);
  const int theirs = open(ptsname(mine), O_RDWR | O_NOCTTY);
  const winsize size{24, columns, 0, 0};
  EXPECT_EQ(ioctl(theirs, TIOCSWINSZ, &size), 0);
  return {mine, theirs};
}

StderrInto into_pipe() {
  int ends[2] = {-1, -1};
  EXPECT_EQ(pipe(ends), 0);
  return {ends[0], ends[1]};
}

TEST(Progress, OnATerminalOneLineIsRewrittenAndTakenAway) {
  for (const char* mode : {"auto", "on"}) {
    const StderrInto terminal = into_terminal(80);
    {
      Progress progress(mode, 0);
      progress.show("links, round 3", 2, 40, 35.2);
      EXPECT_EQ(terminal.text(), "\r\033[Klinks, round 3: 2 of 40, about 35 s left\r");
      progress.show("links, round 3", 3, 40, 35.1);
      EXPECT_EQ(terminal.text(), "") << "sooner than anybody reads";
      progress.clear();
      EXPECT_EQ(terminal.text(), "\r\033[K");
      progress.clear();
      EXPECT_EQ(terminal.text(), "");
    }
    EXPECT_EQ(terminal.text(), "");
    {
      Progress progress(mode, 0);
      progress.show("links", 0, 0, 600);
      EXPECT_EQ(terminal.text(), "\r\033[Klinks, about 10 min left\r");
    }
    EXPECT_EQ(terminal.text(), "\r\033[K");
  }
}

TEST(Progress, WhatIsLeftIsEstimatedFromWhatIsDone) {
  const StderrInto terminal = into_terminal(80);
  Progress progress("auto", 0);
  progress.show("nothing done", 0, 8);
  EXPECT_EQ(terminal.text(), "\r\033[Knothing done: 0 of 8\r");
  progress.clear();
  EXPECT_EQ(terminal.text(), "\r\033[K");
  usleep(300'000);
  progress.show("all done", 8, 8);
  EXPECT_EQ(terminal.text(), "\r\033[Kall done: 8 of 8, about 0 s left\r");
}

TEST(Progress, ALineIsNoLongerThanTheTerminalIsWide) {
  const StderrInto terminal = into_terminal(12);
  Progress progress("auto", 0);
  progress.show("0123456789abcdef", 0, 0);
  EXPECT_EQ(terminal.text(), "\r\033[K0123456789a\r");
  progress.clear();
  EXPECT_EQ(terminal.text(), "\r\033[K");
  usleep(300'000);
  progress.show("0123456789abcdef", 0, 40);
  EXPECT_EQ(terminal.text(), "\r\033[K01: 0 of 40\r") << "the counts stay";
}

TEST(Progress, APipeGetsPlainLinesAndOnlyWhenAsked) {
  const StderrInto pipe = into_pipe();
  {
    Progress progress("auto", 0);
    progress.show("links", 1, 2, 3);
  }
  EXPECT_EQ(pipe.text(), "");
  {
    // Without a launcher, so that its terminal is no matter.
    for (const char* variable : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"})
      unsetenv(variable);
    Progress progress("on", 0);
    progress.show("links", 1, 2, 3);
    progress.show("links", 2, 2, 0);
    progress.clear();
  }
  EXPECT_EQ(pipe.text(), "links: 1 of 2, about 3 s left\n");
}

TEST(Progress, OthersThanRankZeroAndOffShowNothing) {
  const StderrInto terminal = into_terminal(80);
  {
    Progress other("on", 1), off("off", 0), none;
    for (Progress* progress : {&other, &off, &none}) {
      progress->show("links", 1, 2, 3);
      progress->clear();
    }
  }
  EXPECT_EQ(terminal.text(), "");
}

}  // namespace
}  // namespace bellwether
