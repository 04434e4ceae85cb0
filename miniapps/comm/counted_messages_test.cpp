// SPDX-License-Identifier: MIT
#include "miniapps/comm/counted_messages_test.hpp"

#include <mpi.h>

#include <algorithm>
#include <map>

namespace {

std::map<MPI_Request, std::pair<int, double>> prepared;
bellwether::SentMessages sent;

}  // namespace

extern "C" int MPI_Send_init(const void* buffer, int count, MPI_Datatype type, int to, int tag,
                             MPI_Comm comm, MPI_Request* request) {
  const int status = PMPI_Send_init(buffer, count, type, to, tag, comm, request);
  int bytes = 0;
  PMPI_Type_size(type, &bytes);
  prepared[*request] = {to, 1.0 * count * bytes};
  return status;
}

extern "C" int MPI_Startall(int count, MPI_Request* requests) {
  for (int r = 0; r < count; ++r)
    if (const auto found = prepared.find(requests[r]); found != prepared.end())
      sent.push_back(found->second);
  return PMPI_Startall(count, requests);
}

extern "C" int MPI_Request_free(MPI_Request* request) {
  prepared.erase(*request);
  return PMPI_Request_free(request);
}

namespace bellwether {

SentMessages sent_by(const std::function<void()>& body) {
  sent.clear();
  body();
  std::sort(sent.begin(), sent.end());
  return sent;
}

SentMessages messages_of(const RankWorkload& workload) {
  SentMessages all;
  for (const Message& message : workload.messages)
    all.emplace_back(message.neighbour, message.bytes);
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace bellwether
