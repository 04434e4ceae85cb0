// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <algorithm>
#include <exception>
#include <memory>

#include "microbench/driver/bench.hpp"
#include "microbench/links/rank_pairs.hpp"
#include "miniapps/comm/panel_broadcast.hpp"

namespace bellwether {

/// Two ranks of a node, and what they send each other; no communicator: this rank has no partner.
class PanelPair {
 public:
  explicit PanelPair(const Bench& bench) {
    const Session& session = bench.session();
    const RankPairs pairs = shared_memory_pairs(bench.node_of_rank());
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
  /// Panels, from one to the other and back.
  void send(int panels, std::size_t values) {
    PhaseClock clock(heartbeat_);
    for (int n = 0; n < panels; ++n, ++panel_) {
      const int owner = static_cast<int>(panel_ % 2);
      if (owner == number()) broadcast_->make_room(panel_, clock);
      broadcast_->start(panel_, owner, values);
      broadcast_->finish(panel_, clock);
    }
    broadcast_->finish_all(clock);
  }

 private:
  RankPairs::Place place_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::unique_ptr<PanelBroadcast> broadcast_;
  Heartbeat heartbeat_;
  long panel_ = 0;
};

}  // namespace bellwether
