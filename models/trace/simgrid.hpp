// SPDX-License-Identifier: MIT
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "models/machine/machine.hpp"
#include "models/trace/trace.hpp"

namespace bellwether {

/// Writes a rank's operations as SimGrid's time-independent trace, a line each; seconds become
/// flops of a host of `simgrid_flops_per_s`. Without a file it counts bytes alone. All of several
/// messages are waited for one after another: that ends when the last does, and a replay that waits
/// for n at once takes steps as n^2.
class SimGridSink final : public TraceSink {
 public:
  SimGridSink(int rank, std::FILE* file);
  void begin();
  void end();
  void compute(double seconds) override;
  void start_receive(int from, double bytes, int tag) override;
  void start_send(int to, double bytes, int tag) override;
  void wait_received(int from, int tag) override;
  void wait_sent(int to, int tag) override;
  void wait_all() override;
  void receive(int from, double bytes, int tag) override;
  void send(int to, double bytes, int tag) override;
  void allreduce(double bytes) override;
  [[nodiscard]] double written_bytes() const { return bytes_; }

 private:
  void line(const std::string& text);
  void message(const char* what, int peer, double bytes, int tag);
  void wait(const std::string& one);

  int rank_;
  std::FILE* file_;
  double bytes_ = 0;
  std::vector<std::string> under_way_;  ///< what waits for each message that was started
};

inline constexpr double simgrid_flops_per_s = 1e9;

/// The platform that a machine describes: `nodes` hosts of `ranks_per_node` cores, joined as its
/// topology says (models/network/routes.hpp; without one all to one switch). A network link that
/// was measured in both directions at once carries both at once, each at the bandwidth of that;
/// else they share it. Throws BadInput naming machine and link if there is none.
std::string simgrid_platform(const Machine& machine, int nodes, int ranks_per_node);

/// smpirun's options: none of its own factors; messages of 8 KiB on travel once both sides have
/// started them, smaller ones at once; the machine's overheads for each message; and what lets it
/// simulate thousands of ranks.
std::vector<std::string> simgrid_options(const Machine& machine);

/// The host of each rank, a line each.
std::string simgrid_hosts(int ranks, int ranks_per_node);

}  // namespace bellwether
