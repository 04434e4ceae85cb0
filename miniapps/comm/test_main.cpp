// SPDX-License-Identifier: MIT
// The main of every MPI test: the ranks run the same tests together; a failure on any of them fails
// the test on all, and ranks that a failure has driven apart do not wait for each other for ever.
#include <gtest/gtest.h>
#include <mpi.h>

#include <chrono>
#include <cstdio>
#include <thread>

#include "miniapps/comm/session/test_session.hpp"

namespace {

const bellwether::Session* the_session = nullptr;  // MPI starts once a program

/// How long a rank that failed waits at a test's end for ranks that may hang in a call it left out.
constexpr std::chrono::seconds patience{10};

class RankListener : public testing::EmptyTestEventListener {
 public:
  explicit RankListener(int rank) : rank_(rank) { MPI_Comm_dup(MPI_COMM_WORLD, &comm_); }
  ~RankListener() override { MPI_Comm_free(&comm_); }
  RankListener(const RankListener&) = delete;
  RankListener& operator=(const RankListener&) = delete;

  /// At once, because this rank may not live to see the test's end. Rank 0 has a printer of its
  /// own.
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (result.failed() && rank_ != 0) {
      std::fprintf(stderr, "[rank %d] %s:%d: Failure\n%s\n", rank_,
                   result.file_name() != nullptr ? result.file_name() : "unknown file",
                   result.line_number(), result.message());
    }
  }

  /// Runs before the printer's, so that rank 0 prints a test as failed that failed elsewhere.
  void OnTestEnd(const testing::TestInfo& test) override {
    const int failed = test.result()->Failed() ? 1 : 0;
    int failed_ranks = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallreduce(&failed, &failed_ranks, 1, MPI_INT, MPI_SUM, comm_, &request);
    const auto deadline = std::chrono::steady_clock::now() + patience;
    for (int done = 0; done == 0;) {
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      if (done == 0 && failed != 0 && std::chrono::steady_clock::now() > deadline) {
        std::fprintf(stderr, "[rank %d] %s.%s failed here and other ranks do not return from it\n",
                     rank_, test.test_suite_name(), test.name());
        MPI_Abort(MPI_COMM_WORLD, 1);
      }
      std::this_thread::yield();
    }
    if (rank_ == 0 && failed_ranks > failed) {
      ADD_FAILURE() << "failed on " << failed_ranks << " ranks";
    }
  }

 private:
  int rank_;
  MPI_Comm comm_ = MPI_COMM_NULL;
};

int run_tests(int rank) {
  auto& listeners = testing::UnitTest::GetInstance()->listeners();
  if (rank != 0) {
    delete listeners.Release(listeners.default_result_printer());
    delete listeners.Release(listeners.default_xml_generator());
  }
  RankListener listener(rank);
  listeners.Append(&listener);
  int status = RUN_ALL_TESTS();
  listeners.Release(&listener);
  MPI_Allreduce(MPI_IN_PLACE, &status, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return status;
}

}  // namespace

const bellwether::Session& bellwether::test_session() { return *the_session; }

int main(int argc, char** argv) {
  bellwether::Session session(argc, argv);
  the_session = &session;
  testing::InitGoogleTest(&argc, argv);
  return run_tests(session.rank());
}
