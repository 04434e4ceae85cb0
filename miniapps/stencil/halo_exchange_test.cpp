// SPDX-License-Identifier: MIT
#include "miniapps/stencil/halo_exchange.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <functional>
#include <string>

#include "miniapps/stencil/halo_faces.hpp"

namespace bellwether {
namespace {

using Exchange = std::function<void(HaloExchange&)>;

void start_and_finish(HaloExchange& exchange) {
  exchange.start();
  exchange.finish();
}

void start_progress_and_finish(HaloExchange& exchange) {
  exchange.start();
  while (!exchange.progress()) {
  }
  EXPECT_TRUE(exchange.progress());
  exchange.finish();
}

/// What the owner of global cell (i, j, k) puts into value `v` of it in a round of exchanges.
double owners_value(const std::array<int, 3>& global, const std::array<int, 3>& cells, int v,
                    int round) {
  return ((global[2] * cells[1] + global[1]) * cells[0] + global[0]) * 100.0 + v + round * 0.001;
}

template <class Visit>
void for_each_cell(const Box& box, Visit&& visit) {
  for (int k = box.low[2]; k < box.high[2]; ++k)
    for (int j = box.low[1]; j < box.high[1]; ++j)
      for (int i = box.low[0]; i < box.high[0]; ++i) visit(std::array<int, 3>{i, j, k});
}

void expect_owners_values(const Decomposition& decomposition, int values, const Exchange& run) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const auto& cells = decomposition.cells();
  const auto offset = decomposition.offset(rank);
  const auto faces = halo_faces(decomposition, rank);
  const auto messages = face_messages(decomposition, rank, values * sizeof(double));
  ASSERT_EQ(messages.size(), faces.size());
  std::vector<std::vector<double>> send, receive;
  std::vector<HaloBuffers> buffers;
  for (std::size_t f = 0; f < faces.size(); ++f) {
    const HaloFace& face = faces[f];
    ASSERT_EQ(messages[f].bytes, face.send.cells() * values * sizeof(double));
    ASSERT_EQ(face.send.cells(), face.receive.cells());
    send.emplace_back(face.send.cells() * values);
    receive.emplace_back(face.send.cells() * values);
    buffers.push_back({send.back().data(), receive.back().data()});
  }
  HaloExchange exchange(MPI_COMM_WORLD, messages, buffers);

  for (int round = 1; round <= 3; ++round) {
    for (std::size_t f = 0; f < faces.size(); ++f) {
      double* out = send[f].data();
      for_each_cell(faces[f].send, [&](std::array<int, 3> cell) {
        for (int d = 0; d < 3; ++d) cell[d] += offset[d];
        for (int v = 0; v < values; ++v) *out++ = owners_value(cell, cells, v, round);
      });
    }
    run(exchange);
    for (std::size_t f = 0; f < faces.size(); ++f) {
      const double* in = receive[f].data();
      for_each_cell(faces[f].receive, [&](std::array<int, 3> cell) {
        for (int d = 0; d < 3; ++d) cell[d] = (cell[d] + offset[d] + cells[d]) % cells[d];
        for (int v = 0; v < values; ++v)
          ASSERT_EQ(*in++, owners_value(cell, cells, v, round))
              << decomposition.name() << " direction " << faces[f].direction << " side "
              << faces[f].side;
      });
    }
  }
}

void expect_owners_values_everywhere(const Exchange& run) {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (const std::array<int, 3> cells : {std::array{7, 5, 9}, {4, 4, 4}, {5, 11, 4}}) {
    for (const auto& ranks : factorizations(size, cells)) {
      for (const bool periodic : {false, true}) {
        for (const int values : {1, 5}) {
          expect_owners_values(Decomposition(cells, ranks, periodic), values, run);
        }
      }
    }
  }
}

TEST(HaloExchange, EveryGhostCellReceivesItsOwnersValue) {
  expect_owners_values_everywhere(start_and_finish);
}

TEST(HaloExchange, EveryGhostCellReceivesItsOwnersValueWithProgressBetween) {
  expect_owners_values_everywhere(start_progress_and_finish);
}

TEST(HaloExchange, NoMessagesIsValid) {
  HaloExchange exchange(MPI_COMM_WORLD, {}, {});
  EXPECT_TRUE(exchange.progress());
  exchange.start();
  EXPECT_TRUE(exchange.progress());
  exchange.finish();
}

TEST(HaloExchange, BuffersMustMatchTheMessages) {
  EXPECT_THROW(HaloExchange(MPI_COMM_WORLD, {HaloMessage{}}, {}), std::invalid_argument);
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

TEST(HaloExchange, MessagesAboveTwoGibibytes) {
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
  HaloExchange exchange(
      MPI_COMM_WORLD,
      {HaloMessage{other, {0, 0, -1}, bytes, {}, {}}, HaloMessage{other, {0, 0, 1}, bytes, {}, {}}},
      {HaloBuffers{send.data(), low.data()}, HaloBuffers{send.data(), high.data()}});
  start_and_finish(exchange);
  EXPECT_EQ(low.data()[last_page - 1], 'm');
  EXPECT_EQ(std::string(low.data() + last_page, 18), std::string(17, 'e') + ".");
  EXPECT_EQ(std::string(high.data() + last_page, 17), std::string(17, 'e'));
}

}  // namespace
}  // namespace bellwether
