// SPDX-License-Identifier: MIT
// The Workload that the models are given is what the app really sends: its messages are counted
// through MPI's profiling interface.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <map>

#include "miniapps/comm/test_session.hpp"
#include "miniapps/diffusion/diffusion_app.hpp"

namespace {

using Sent = std::vector<std::pair<int, double>>;  // receiver and bytes

std::map<MPI_Request, std::pair<int, double>> prepared;
Sent sent;

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
namespace {

Sent sent_by_one_step(MiniApp& app) {
  sent.clear();
  Heartbeat heartbeat;
  PhaseClock clock(heartbeat);
  app.step(clock);
  app.finish(clock);
  std::sort(sent.begin(), sent.end());
  return sent;
}

Sent messages_of(const RankWorkload& workload) {
  Sent all;
  for (const Message& message : workload.messages)
    all.emplace_back(message.neighbour, message.bytes);
  std::sort(all.begin(), all.end());
  return all;
}

TEST(DiffusionMessages, AreThoseOfTheWorkload) {
  const Session& session = test_session();
  const auto device = make_device("kokkos", session.local_rank());
  for (const char* boundary : {"periodic", "dirichlet"}) {
    for (const char* precision : {"f32", "f64"}) {
      for (const auto& ranks : factorizations(session.size(), {7, 6, 5})) {
        const DiffusionProblem problem{
            {7, 6, 5}, precision, fmt::format("{}x{}x{}", ranks[0], ranks[1], ranks[2]), boundary};
        const Decomposition decomposition({7, 6, 5}, ranks, problem.periodic());
        for (const bool overlap : {false, true}) {
          for (const char* halo : {"staged", "direct"}) {
            const Variant variant{"kokkos", overlap, halo, "cached"};
            const RankWorkload workload =
                stencil_workload(diffusion_stencil(), decomposition, session.rank(),
                                 stencil_variant(problem, variant, "cached"));
            const auto app = make_diffusion_app(session, *device, problem, variant, nullptr);
            EXPECT_EQ(sent_by_one_step(*app), messages_of(workload)) << problem.decomposition;
            EXPECT_EQ(app->working_set_bytes(), workload.working_set_bytes);
            EXPECT_EQ(app->bare_communication().has_value(), session.size() > 1);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace bellwether
