// SPDX-License-Identifier: MIT
#include "miniapps/comm/session/session.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <limits>
#include <map>
#include <new>
#include <set>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "kernels/launch/cpu/process_limits.hpp"
#include "miniapps/comm/reduce.hpp"
#include "miniapps/comm/session/launcher.hpp"

namespace bellwether {
namespace {

template <class Error>
class FromAll : public Error, public ThrownByAll {
 public:
  using Error::Error;
};

/// What Linux calls this start of the system; the same in all its namespaces. Empty elsewhere.
std::string kernel_name() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string name;
  std::getline(file, name);
  return name;
}

}  // namespace

Session::Session(int& argc, char**& argv) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  if (provided < MPI_THREAD_FUNNELED) {
    throw BadEnvironment("MPI gives no thread support: MPI_THREAD_FUNNELED is needed");
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
  MPI_Comm_dup(MPI_COMM_WORLD, &parting_);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &node_);
  MPI_Comm_rank(node_, &local_rank_);
  MPI_Comm_size(node_, &ranks_on_node_);
  number_devices();
  number_nodes();
  gather_hosts();
  find_kernel();
}

Session::~Session() {
  if (std::uncaught_exceptions() > 0) {
    return;
  }
  MPI_Comm_free(&kernel_);
  MPI_Comm_free(&node_);
  MPI_Comm_free(&parting_);
  MPI_Finalize();
}

void Session::leave(int status) const {
  std::fflush(nullptr);
  if (size_ > 1) {
    MPI_Abort(MPI_COMM_WORLD, status);
  }
  ::_exit(status);
}

bool Session::all_part() const {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + std::chrono::seconds(5);
  MPI_Request others = MPI_REQUEST_NULL;
  MPI_Ibarrier(parting_, &others);  // apart from whatever the others wait for meanwhile
  int here = 0;
  while (MPI_Test(&others, &here, MPI_STATUS_IGNORE), here == 0 && Clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return here != 0;
}

void Session::number_devices() {
  const int mine = launched_local_rank().value_or(-1);
  std::vector<int> launched(static_cast<std::size_t>(ranks_on_node_));
  MPI_Allgather(&mine, 1, MPI_INT, launched.data(), 1, MPI_INT, node_);
  device_rank_ = detail::tells_apart(std::move(launched)) ? mine : local_rank_;
  int misled = mine >= 0 && mine != device_rank_ ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &misled, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  launcher_misleads_ = misled != 0;
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
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  MPI_Get_processor_name(name.data(), &length);
  host_.assign(name.data(), static_cast<std::size_t>(length));
  hosts_ = gather_texts(MPI_COMM_WORLD, host_);
}

void Session::find_kernel() {
  const auto lowest =
      detail::lowest_on_kernel(gather_texts(MPI_COMM_WORLD, kernel_name()), node_of_rank_);
  const int mine = lowest[static_cast<std::size_t>(rank_)];
  MPI_Comm_split(MPI_COMM_WORLD, mine, rank_, &kernel_);
  MPI_Comm_size(kernel_, &ranks_on_kernel_);
  std::set<int> nodes;
  for (std::size_t rank = 0; rank < lowest.size(); ++rank)
    if (lowest[rank] == mine) nodes.insert(node_of_rank_[rank]);
  nodes_on_kernel_ = static_cast<int>(nodes.size());
}

int Session::most_ranks_on_a_node() const {
  std::vector<int> ranks(static_cast<std::size_t>(nodes_));
  for (const int node : node_of_rank_) ++ranks[static_cast<std::size_t>(node)];
  return *std::max_element(ranks.begin(), ranks.end());
}

bool thrown_by_all(const Session& session, const std::exception& error) {
  if (dynamic_cast<const ThrownByAll*>(&error) != nullptr) return true;
  return status_of(error) != ExitStatus::internal_fault && session.all_part();
}

ExitStatus status_of(const std::exception& error) {
  if (dynamic_cast<const BadInput*>(&error) != nullptr) return ExitStatus::bad_input;
  if (dynamic_cast<const BadEnvironment*>(&error) != nullptr) return ExitStatus::bad_environment;
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) return ExitStatus::bad_environment;
  const auto* const refused = dynamic_cast<const std::system_error*>(&error);
  if (refused != nullptr && (refused->code() == std::errc::resource_unavailable_try_again ||
                             refused->code() == std::errc::not_enough_memory))
    return ExitStatus::bad_environment;
  return ExitStatus::internal_fault;
}

std::string message_of(const std::exception& error) {
  if (status_of(error) == ExitStatus::internal_fault)
    return std::string("a fault of its own: ") + error.what();
  const bool tells = dynamic_cast<const BadInput*>(&error) != nullptr ||
                     dynamic_cast<const BadEnvironment*>(&error) != nullptr ||
                     dynamic_cast<const OutOfMemory*>(&error) != nullptr;
  if (tells) return error.what();
  return std::string("not enough memory, or too many threads: ") + error.what() + "; " +
         available_text(least_available(host_memory_pools()));
}

std::string mpi_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  const std::string all(text.data());
  return all.substr(0, all.find_first_of(",\n"));
}

namespace detail {

std::vector<int> lowest_on_kernel(const std::vector<std::string>& kernels,
                                  const std::vector<int>& nodes) {
  std::map<std::string, int> of_kernel;
  std::map<int, int> of_node;
  std::vector<int> lowest;
  for (std::size_t rank = 0; rank < kernels.size(); ++rank) {
    const int number = static_cast<int>(rank);
    const auto known = kernels[rank].empty()
                           ? of_node.emplace(nodes[rank], number).first->second
                           : of_kernel.emplace(kernels[rank], number).first->second;
    lowest.push_back(known);
  }
  return lowest;
}

bool tells_apart(std::vector<int> launched) {
  std::sort(launched.begin(), launched.end());
  return launched.front() >= 0 &&
         std::adjacent_find(launched.begin(), launched.end()) == launched.end();
}

void throw_lowest_error(MPI_Comm comm, ErrorKind kind, std::string message) {
  const int rank = rank_in(comm);
  // One integer orders the ranks and carries the kind.
  constexpr long nobody = std::numeric_limits<long>::max();
  const long mine = kind == ErrorKind::none ? nobody : 4L * rank + static_cast<long>(kind);
  long lowest = nobody;
  MPI_Allreduce(&mine, &lowest, 1, MPI_LONG, MPI_MIN, comm);
  if (lowest == nobody) {
    return;
  }
  const int source = static_cast<int>(lowest / 4);
  message = from_rank(comm, source, std::move(message));
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
