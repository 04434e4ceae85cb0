// SPDX-License-Identifier: MIT
#include "miniapps/comm/message_exchange.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <string>

namespace bellwether {
namespace {

class MessageExchangeTest : public testing::Test {
 protected:
  Heartbeat heartbeat_;
  PhaseClock clock_{heartbeat_};
};

TEST_F(MessageExchangeTest, NoMessagesIsValidAndShowsNoPhase) {
  MessageExchange exchange("network", MPI_COMM_WORLD, {}, {});
  EXPECT_TRUE(exchange.progress(clock_));
  exchange.start(clock_);
  EXPECT_TRUE(exchange.progress(clock_));
  exchange.finish(clock_);
  EXPECT_TRUE(clock_.phases().empty());
}

TEST_F(MessageExchangeTest, ProgressSaysWhenAllIsDone) {
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int above = (rank + 1) % size, below = (rank + size - 1) % size;
  int out = 0, in = -1;
  MessageExchange exchange("network", MPI_COMM_WORLD, {{below, 3, sizeof in, &in}},
                           {{above, 3, sizeof out, &out}});
  for (int round = 0; round < 3; ++round) {
    out = 10 * round + rank;
    exchange.start(clock_);
    while (!exchange.progress(clock_)) {
    }
    EXPECT_EQ(in, 10 * round + below);
    EXPECT_TRUE(exchange.progress(clock_));
    exchange.finish(clock_);
  }
}

/// Address space above 2 GiB on 1 MiB of memory: the same pages again and again, but for the end.
class Repeated {
 public:
  explicit Repeated(std::size_t bytes) : bytes_(bytes) {
    const int file = memfd_create("repeated", 0);
    EXPECT_EQ(ftruncate(file, page), 0);
    start_ = static_cast<char*>(
        mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    for (std::size_t at = 0; at + page < bytes_; at += page) {
      mmap(start_ + at, page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0);
    }
    close(file);
  }
  ~Repeated() { munmap(start_, bytes_); }
  Repeated(const Repeated&) = delete;
  Repeated& operator=(const Repeated&) = delete;
  [[nodiscard]] char* data() const { return start_; }
  static constexpr std::size_t page = std::size_t{1} << 20;

 private:
  std::size_t bytes_;
  char* start_ = nullptr;
};

TEST_F(MessageExchangeTest, MessagesAboveTwoGibibytes) {
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size > 2) {
    GTEST_SKIP() << "one rank with itself, and two ranks, are enough";
  }
  const int other = size - 1 - rank;
  constexpr std::size_t bytes = (std::size_t{2} << 30) + Repeated::page + 17;
  constexpr std::size_t last_page = bytes / Repeated::page * Repeated::page;
  Repeated send(last_page + Repeated::page), low(last_page + Repeated::page),
      high(last_page + Repeated::page);
  std::memset(send.data(), 'm', Repeated::page);
  std::memset(send.data() + last_page, 'e', Repeated::page);
  std::memset(low.data() + last_page, '.', Repeated::page);
  MessageExchange exchange("network", MPI_COMM_WORLD,
                           {{other, 1, bytes, low.data()}, {other, 2, bytes, high.data()}},
                           {{other, 2, bytes, send.data()}, {other, 1, bytes, send.data()}});
  exchange.start(clock_);
  exchange.finish(clock_);
  EXPECT_EQ(low.data()[last_page - 1], 'm');
  EXPECT_EQ(std::string(low.data() + last_page, 18), std::string(17, 'e') + ".");
  EXPECT_EQ(std::string(high.data() + last_page, 17), std::string(17, 'e'));
}

}  // namespace
}  // namespace bellwether
