// SPDX-License-Identifier: MIT
#include "miniapps/comm/session.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <map>
#include <stdexcept>

namespace bellwether {
namespace {

template <class Error>
class FromAll : public Error, public ThrownByAll {
 public:
  using Error::Error;
};

}  // namespace

Session::Session(int& argc, char**& argv) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  if (provided < MPI_THREAD_FUNNELED) {
    throw BadEnvironment("MPI gives no thread support: MPI_THREAD_FUNNELED is needed");
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &node_);
  MPI_Comm_rank(node_, &local_rank_);
  MPI_Comm_size(node_, &ranks_on_node_);
  number_nodes();
  gather_hosts();
}

Session::~Session() {
  if (std::uncaught_exceptions() > 0) {
    return;
  }
  MPI_Comm_free(&node_);
  MPI_Finalize();
}

void Session::leave(int status) const {
  std::fflush(nullptr);
  if (size_ > 1) {
    MPI_Abort(MPI_COMM_WORLD, status);
  }
  ::_exit(status);
}

void Session::number_nodes() {
  int lowest = rank_;  // the split was keyed by rank: local rank 0 is the lowest on its node
  MPI_Bcast(&lowest, 1, MPI_INT, 0, node_);
  std::vector<int> lowest_of_rank(size_);
  MPI_Allgather(&lowest, 1, MPI_INT, lowest_of_rank.data(), 1, MPI_INT, MPI_COMM_WORLD);
  std::map<int, int> number;
  for (const int rank : lowest_of_rank) {
    number.emplace(rank, static_cast<int>(number.size()));
    node_of_rank_.push_back(number.at(rank));
  }
  nodes_ = static_cast<int>(number.size());
}

void Session::gather_hosts() {
  constexpr int longest = 64;  // HOST_NAME_MAX of Linux; a whole MPI name is 256 bytes a rank
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  MPI_Get_processor_name(name.data(), &length);
  host_.assign(name.data(), std::min(length, longest));

  std::vector<char> mine(longest, '\0');
  std::copy(host_.begin(), host_.end(), mine.begin());
  std::vector<char> all(static_cast<std::size_t>(longest) * size_);
  MPI_Allgather(mine.data(), longest, MPI_CHAR, all.data(), longest, MPI_CHAR, MPI_COMM_WORLD);
  for (auto host = all.begin(); host != all.end(); host += longest) {
    hosts_.emplace_back(host, std::find(host, host + longest, '\0'));
  }
}

int Session::most_ranks_on_a_node() const {
  std::vector<int> ranks(static_cast<std::size_t>(nodes_));
  for (const int node : node_of_rank_) ++ranks[static_cast<std::size_t>(node)];
  return *std::max_element(ranks.begin(), ranks.end());
}

namespace detail {

void throw_lowest_error(MPI_Comm comm, ErrorKind kind, std::string message) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  // One integer orders the ranks and carries the kind.
  constexpr long nobody = std::numeric_limits<long>::max();
  const long mine = kind == ErrorKind::none ? nobody : 4L * rank + static_cast<long>(kind);
  long lowest = nobody;
  MPI_Allreduce(&mine, &lowest, 1, MPI_LONG, MPI_MIN, comm);
  if (lowest == nobody) {
    return;
  }
  const int source = static_cast<int>(lowest / 4);
  int length = static_cast<int>(message.size());
  MPI_Bcast(&length, 1, MPI_INT, source, comm);
  message.resize(static_cast<std::size_t>(length));
  MPI_Bcast(message.data(), length, MPI_CHAR, source, comm);
  switch (static_cast<ErrorKind>(lowest % 4)) {
    case ErrorKind::bad_input:
      throw FromAll<BadInput>(message);
    case ErrorKind::bad_environment:
      throw FromAll<BadEnvironment>(message);
    default:
      throw FromAll<std::runtime_error>(message);
  }
}

}  // namespace detail

}  // namespace bellwether
