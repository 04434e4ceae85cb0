// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "models/errors.hpp"

namespace bellwether {

/// MPI's lifetime, and where this process stands. One a program. Initializes MPI with
/// MPI_THREAD_FUNNELED. A destructor that runs during an exception does not call MPI_Finalize,
/// which would wait for ranks that never come.
///
/// Two questions, which a cluster answers alike and a cluster in a box (run/lab/cluster) does not:
/// - Which ranks reach one another through shared memory? Those of a **node**, as MPI itself says
///   (MPI_COMM_TYPE_SHARED): MPI decides what a message passes over. It goes by the launcher's
///   daemon that started a rank (PMIx), of which each node has one, in a box too.
/// - Which ranks share memory and cores? Those under one **kernel** of the operating system, told
///   by the number it draws when it starts (boot_id). Several nodes under one kernel are a box.
class Session {
 public:
  /// Throws BadEnvironment if MPI grants less than MPI_THREAD_FUNNELED.
  Session(int& argc, char**& argv);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  [[nodiscard]] MPI_Comm world() const { return MPI_COMM_WORLD; }
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }
  /// The ranks that share this rank's memory (MPI_COMM_TYPE_SHARED) and this rank's place there.
  [[nodiscard]] MPI_Comm node() const { return node_; }
  [[nodiscard]] int local_rank() const { return local_rank_; }
  [[nodiscard]] int ranks_on_node() const { return ranks_on_node_; }
  /// The number by which this rank takes a device of its node: launched_local_rank() where that
  /// tells the node's ranks apart; else local_rank().
  [[nodiscard]] int device_rank() const { return device_rank_; }
  /// Whether any rank's launched_local_rank() was not good for that, the same on every rank.
  [[nodiscard]] bool launcher_misleads() const { return launcher_misleads_; }
  /// Of the fullest node: the same on every rank, where ranks_on_node() may differ.
  [[nodiscard]] int most_ranks_on_a_node() const;
  /// The ranks under this rank's kernel, and how many nodes they are on: 1, except in a box. A
  /// system that does not number its kernels counts each node as one.
  [[nodiscard]] MPI_Comm kernel() const { return kernel_; }
  [[nodiscard]] int ranks_on_kernel() const { return ranks_on_kernel_; }
  [[nodiscard]] int nodes_on_kernel() const { return nodes_on_kernel_; }
  /// Number of distinct nodes, and the node that each rank is on (0 to nodes() - 1, in the order of
  /// the lowest rank on each).
  [[nodiscard]] int nodes() const { return nodes_; }
  [[nodiscard]] const std::vector<int>& node_of_rank() const { return node_of_rank_; }
  [[nodiscard]] const std::string& host() const { return host_; }
  /// Host of each rank.
  [[nodiscard]] const std::vector<std::string>& hosts() const { return hosts_; }

  /// Ends the process at once, and the others with it: for an error that only this rank knows of.
  [[noreturn]] void leave(int status) const;
  /// Whether every rank calls this within 5 s of this one: then they all end in good order, and
  /// otherwise this rank must leave(), and not ask again.
  [[nodiscard]] bool all_part() const;

 private:
  void number_nodes();
  void number_devices();
  void gather_hosts();
  void find_kernel();

  MPI_Comm node_ = MPI_COMM_NULL, kernel_ = MPI_COMM_NULL, parting_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1, local_rank_ = 0, ranks_on_node_ = 1, nodes_ = 1;
  int ranks_on_kernel_ = 1, nodes_on_kernel_ = 1, device_rank_ = 0;
  bool launcher_misleads_ = false;
  std::string host_;
  std::vector<std::string> hosts_;
  std::vector<int> node_of_rank_;
};

/// Base of all that agree_on_errors throws, beside the exception's kind: an error that all ranks
/// throw together, so that one of them prints it and all end in good order.
class ThrownByAll {
 public:
  virtual ~ThrownByAll() = default;
};

/// Whether all ranks have thrown as this one has: known of ThrownByAll; of BadInput and
/// BadEnvironment, which may come from what every rank knows, asked with all_part(); of any other
/// error never so. What is the rank's own, it prints, and must leave().
bool thrown_by_all(const Session& session, const std::exception& error);

/// With which status an error ends the process. What the system refuses, memory (std::bad_alloc) or
/// a thread, is an environment that cannot do it.
ExitStatus status_of(const std::exception& error);

/// What is said of it then: of a fault that it is one, of memory how much there is.
std::string message_of(const std::exception& error);

/// The MPI library's name and version, as it says: "Open MPI v4.1.4".
std::string mpi_version();

namespace detail {

/// For each rank the lowest one under the same kernel. `kernels`: what each rank's kernel calls
/// itself, empty where it does not; `nodes`: of each rank.
std::vector<int> lowest_on_kernel(const std::vector<std::string>& kernels,
                                  const std::vector<int>& nodes);

/// Whether the launcher's numbers of a node's ranks, -1 where there is none, tell them apart.
bool tells_apart(std::vector<int> launched);

enum class ErrorKind : int { none = 0, bad_input = 1, bad_environment = 2, other = 3 };

/// Collective: returns if no rank brings an error, else throws the lowest such rank's on all.
void throw_lowest_error(MPI_Comm comm, ErrorKind kind, std::string message);

}  // namespace detail

/// Runs `body` on every rank and, when it throws on any of them, throws on all: the exception of
/// the lowest such rank, kind and message. So that a message is printed once and no rank waits for
/// another that has left. What is neither BadInput nor BadEnvironment comes out as
/// std::runtime_error. `body` itself must not throw between two halves of a collective call.
template <class Body>
void agree_on_errors(MPI_Comm comm, Body&& body) {
  auto kind = detail::ErrorKind::none;
  std::string message;
  try {
    body();
  } catch (const BadInput& error) {
    kind = detail::ErrorKind::bad_input;
    message = error.what();
  } catch (const std::exception& error) {
    const bool refused = status_of(error) == ExitStatus::bad_environment;
    kind = refused ? detail::ErrorKind::bad_environment : detail::ErrorKind::other;
    message = refused ? message_of(error) : error.what();
  }
  detail::throw_lowest_error(comm, kind, std::move(message));
}

}  // namespace bellwether
