// SPDX-License-Identifier: MIT
#include "miniapps/comm/shared_stores.hpp"

#include <array>
#include <cstring>
#include <vector>

#include "kernels/launch/cpu/host_memory.hpp"
#include "miniapps/comm/session/cores.hpp"
#include "miniapps/comm/shared_window.hpp"
#include "models/median.hpp"

namespace bellwether {
namespace {

constexpr std::size_t shared_values = std::size_t{1} << 13;
/// Of the time with cached stores: streaming ones gain more where ranks have no cache in common
/// than they lose in a small step where ranks have one.
constexpr double worth_it = 0.8;
constexpr int rounds = 9;

/// What this rank writes and its partner reads, and the other way round.
class Neighbours {
 public:
  explicit Neighbours(MPI_Comm node)
      : window_(node, shared_values), own_(shared_values, 1), read_(shared_values) {
    MPI_Comm_rank(node, &me_);
    MPI_Comm_size(node, &ranks_);
  }
  /// Seconds of cached and streaming stores, those of ranks with a partner at each distance.
  std::array<double, 2> seconds() {
    std::array<double, 2> all{};
    if (!window_) return all;
    for (int distance = 1; distance < ranks_; distance *= 2) {
      std::array<std::vector<double>, 2> taken;
      for (int round = 0; round <= rounds; ++round)
        for (const std::size_t kind : {0, 1}) {
          const double seconds = exchange(me_ ^ distance, kind == 1);
          if (round > 0) taken[kind].push_back(seconds);  // the first finds nobody's lines
        }
      for (const std::size_t kind : {0, 1}) all[kind] += median_in(taken[kind]);
    }
    return all;
  }

 private:
  double exchange(int partner, bool streaming) {
    constexpr std::size_t bytes = shared_values * sizeof(double);
    const bool has_partner = partner < ranks_;
    own_.front() += 1;
    window_.barrier();
    double begin = MPI_Wtime();
    if (has_partner && streaming)
      copy_past_caches(window_.of(me_), own_.data(), bytes);
    else if (has_partner)
      std::memcpy(window_.of(me_), own_.data(), bytes);
    double seconds = MPI_Wtime() - begin;
    window_.barrier();
    begin = MPI_Wtime();
    if (has_partner) std::memcpy(read_.data(), window_.of(partner), bytes);
    seconds += MPI_Wtime() - begin;
    window_.barrier();
    return has_partner ? seconds : 0;
  }

  SharedWindow window_;
  std::vector<double> own_, read_;
  int me_ = 0, ranks_ = 1;
};

}  // namespace

Stores faster_shared_stores(const Session& session, const Device& device) {
  if (!device.is_host() || session.most_ranks_on_a_node() == 1 || !shared_cores(session).empty())
    return Stores::cached;
  std::array<double, 2> seconds = Neighbours(session.node()).seconds();
  MPI_Allreduce(MPI_IN_PLACE, seconds.data(), 2, MPI_DOUBLE, MPI_SUM, session.world());
  return seconds[1] < worth_it * seconds[0] ? Stores::streaming : Stores::cached;
}

}  // namespace bellwether
