// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <algorithm>
#include <exception>
#include <memory>

#include "microbench/driver/bench.hpp"
#include "microbench/links/rank_pairs.hpp"
#include "miniapps/comm/panel_broadcast.hpp"
#include "miniapps/comm/reduce.hpp"

namespace bellwether {

/// Two ranks, and what they send each other; no communicator: this rank has no partner.
class PanelPair {
 public:
  /// All of the pairs at once.
  PanelPair(const Bench& bench, const RankPairs& pairs) {
    const Session& session = bench.session();
    place_ = pairs.place_of(session.rank(), static_cast<int>(pairs.pairs.size()));
    const int number = std::min(session.rank(), place_.partner);
    MPI_Comm_split(session.world(), place_.partner < 0 ? MPI_UNDEFINED : number, session.rank(),
                   &comm_);
  }
  ~PanelPair() {
    broadcast_.reset();
    if (comm_ != MPI_COMM_NULL && std::uncaught_exceptions() == 0) MPI_Comm_free(&comm_);
  }
  PanelPair(const PanelPair&) = delete;
  PanelPair& operator=(const PanelPair&) = delete;

  [[nodiscard]] bool has_me() const { return comm_ != MPI_COMM_NULL; }
  [[nodiscard]] MPI_Comm comm() const { return comm_; }
  [[nodiscard]] int number() const { return place_.first ? 0 : 1; }

  /// Collective over the two.
  void make_broadcast(Device& device, std::size_t values) {
    if (has_me() && !broadcast_)
      broadcast_ = std::make_unique<PanelBroadcast>(comm_, device, "ring", values);
  }
  /// Seconds of panels to and fro as in a factorization: the receiver is at `work(true)` before it
  /// sends the next, composed by `compose`; the sender at `work(false)` meanwhile.
  template <class Compose, class Work>
  double send_between(int panels, std::size_t values, Compose&& compose, Work&& work) {
    PhaseClock clock(heartbeat_);
    double worked = 0;
    const double begin = clock_s();
    if (!owns_next()) start(values, clock);
    for (int n = 1; n <= panels; ++n) {
      const bool owns = owns_next();
      if (owns) worked += compose_and_start(values, compose, clock);
      broadcast_->finish(panel_, clock);
      ++panel_;
      if (owns && n < panels) start(values, clock);
      const double seconds = seconds_of([&] { work(!owns); });
      if (!owns) worked += seconds;
    }
    broadcast_->finish_all(clock);
    const double seconds = clock_s() - begin;
    MPI_Allreduce(MPI_IN_PLACE, &worked, 1, MPI_DOUBLE, MPI_SUM, comm_);
    return seconds - worked;
  }
  /// The same, each on its way while both are at `work(true)`, so that nobody waits: seconds of all
  /// without composing and work, which are a rank's own, as sender and receiver in turn.
  template <class Compose, class Work>
  double send_beside(int panels, std::size_t values, Compose&& compose, Work&& work) {
    PhaseClock clock(heartbeat_);
    double worked = 0;
    const double begin = clock_s();
    for (int n = 0; n < panels; ++n, ++panel_) {
      if (owns_next())
        worked += compose_and_start(values, compose, clock);
      else
        start(values, clock);
      worked += seconds_of([&] { work(true); });
      broadcast_->finish(panel_, clock);
    }
    const double own = clock_s() - begin - worked;
    broadcast_->finish_all(clock);
    // Who comes to be a panel ahead waits; not the other.
    return least(comm_, own);
  }

 private:
  [[nodiscard]] bool owns_next() const { return panel_ % 2 == number(); }
  void start(std::size_t values, PhaseClock& clock) {
    broadcast_->start(panel_, static_cast<int>(panel_ % 2), values, clock);
  }
  template <class Function>
  static double seconds_of(Function&& function) {
    const double begin = clock_s();
    function();
    return clock_s() - begin;
  }
  /// Seconds of the former.
  template <class Compose>
  double compose_and_start(std::size_t values, Compose& compose, PhaseClock& clock) {
    broadcast_->make_room(panel_, clock);
    const double seconds = seconds_of([&] { compose(broadcast_->values(panel_)); });
    start(values, clock);
    return seconds;
  }

  RankPairs::Place place_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::unique_ptr<PanelBroadcast> broadcast_;
  Heartbeat heartbeat_;
  long panel_ = 0;
};

}  // namespace bellwether
