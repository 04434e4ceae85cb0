// SPDX-License-Identifier: MIT
// What the command needs beside MPI's own functions in a simulation (BELLWETHER_SMPI): the
// simulated clock, a thread level, and a count of the messages that a rank sends. The program is
// loaded for each rank, so what is static here is a rank's own.
#include <fmt/format.h>
#include <mpi.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>

#include "models/replace_file.hpp"

namespace {

/// In a rank of a running simulation; the watchdog's thread, say, is none.
bool is_simulated() {
  if (::syscall(SYS_gettid) != ::getpid()) return false;
  int begun = 0, ended = 0;
  PMPI_Initialized(&begun);
  if (begun != 0) PMPI_Finalized(&ended);
  return begun != 0 && ended == 0;
}

/// To which rank of all, and of how many bytes.
using Message = std::pair<int, long>;
std::map<Message, long> sent;
std::map<MPI_Request, Message> persistent;

Message message_of(int count, MPI_Datatype type, int to, MPI_Comm comm) {
  int bytes = 0, rank = MPI_UNDEFINED;
  PMPI_Type_size(type, &bytes);
  MPI_Group group = MPI_GROUP_NULL, all = MPI_GROUP_NULL;
  PMPI_Comm_group(comm, &group);
  PMPI_Comm_group(MPI_COMM_WORLD, &all);
  PMPI_Group_translate_ranks(group, 1, &to, all, &rank);
  PMPI_Group_free(&group);
  PMPI_Group_free(&all);
  return {rank, static_cast<long>(bytes) * count};
}

void count_start(MPI_Request request) {
  if (const auto found = persistent.find(request); found != persistent.end()) ++sent[found->second];
}

/// A line for each kind: to whom, bytes, how many.
void write_sent(const std::string& folder) {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::string lines;
  for (const auto& [message, times] : sent)
    lines += fmt::format("{} {} {}\n", message.first, message.second, times);
  bellwether::replace_file(fmt::format("{}/sent{}.txt", folder, rank), lines);
}

}  // namespace

/// In place of the library's: what is measured is simulated time.
std::chrono::steady_clock::time_point std::chrono::steady_clock::now() noexcept {
  constexpr long long nanoseconds = 1'000'000'000;
  if (is_simulated()) return time_point(duration(static_cast<long long>(PMPI_Wtime() * 1e9)));
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return time_point(duration(now.tv_sec * nanoseconds + now.tv_nsec));
}

extern "C" {

/// A rank's main thread alone calls MPI, which SMPI does not promise to bear and does.
int MPI_Init_thread(int* argc, char*** argv, int, int* provided) {
  *provided = MPI_THREAD_FUNNELED;
  return PMPI_Init(argc, argv);
}

int MPI_Isend(const void* values, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
  ++sent[message_of(count, type, to, comm)];
  return PMPI_Isend(values, count, type, to, tag, comm, request);
}

int MPI_Send(const void* values, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  ++sent[message_of(count, type, to, comm)];
  return PMPI_Send(values, count, type, to, tag, comm);
}

int MPI_Sendrecv(const void* values, int count, MPI_Datatype type, int to, int tag, void* received,
                 int most, MPI_Datatype received_type, int from, int received_tag, MPI_Comm comm,
                 MPI_Status* status) {
  ++sent[message_of(count, type, to, comm)];
  return PMPI_Sendrecv(values, count, type, to, tag, received, most, received_type, from,
                       received_tag, comm, status);
}

int MPI_Send_init(const void* values, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                  MPI_Request* request) {
  const int status = PMPI_Send_init(values, count, type, to, tag, comm, request);
  persistent[*request] = message_of(count, type, to, comm);
  return status;
}

int MPI_Startall(int count, MPI_Request* requests) {
  for (int one = 0; one < count; ++one) count_start(requests[one]);
  return PMPI_Startall(count, requests);
}

int MPI_Request_free(MPI_Request* request) {
  persistent.erase(*request);
  return PMPI_Request_free(request);
}

/// Into the folder that BELLWETHER_SENT names, if it does.
int MPI_Finalize() {
  if (const char* const folder = std::getenv("BELLWETHER_SENT")) write_sent(folder);
  return PMPI_Finalize();
}

}  // extern "C"
