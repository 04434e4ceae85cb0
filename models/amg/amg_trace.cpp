// SPDX-License-Identifier: MIT
#include "models/amg/amg_trace.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "models/amg/amg_run_cycle.hpp"
#include "models/stencil/decomposition.hpp"

namespace bellwether {
namespace {

using Shift = std::array<int, 3>;

/// The processes of a level in their box, and who of them talks to whom.
class Neighbourhood {
 public:
  explicit Neighbourhood(int processes)
      : box_({processes, processes, processes},
             least_surface(processes, {processes, processes, processes}), true) {}

  /// The `count` shifts that lead nearest, or as many as there are other processes.
  [[nodiscard]] std::vector<Shift> nearest(int count) const {
    count = std::min(count, box_.size() - 1);
    std::vector<Shift> shifts;
    for (int reach = 1; static_cast<int>(shifts.size()) < count; ++reach) shifts = within(reach);
    const auto far = [](const Shift& s) { return s[0] * s[0] + s[1] * s[1] + s[2] * s[2]; };
    std::sort(shifts.begin(), shifts.end(), [&](const Shift& a, const Shift& b) {
      return std::tuple(far(a), a) < std::tuple(far(b), b);
    });
    shifts.resize(static_cast<std::size_t>(count));
    return shifts;
  }
  [[nodiscard]] int at(int place, const Shift& shift, int way) const {
    std::array<int, 3> there = box_.coordinates(place);
    for (int direction = 0; direction < 3; ++direction) {
      const int length = box_.ranks()[direction];
      there[direction] = ((there[direction] + way * shift[direction]) % length + length) % length;
    }
    return box_.rank_at(there);
  }

 private:
  /// Of up to `reach` in each direction, each process once.
  [[nodiscard]] std::vector<Shift> within(int reach) const {
    Shift low, high;
    for (int direction = 0; direction < 3; ++direction) {
      const int length = box_.ranks()[direction];
      low[direction] = -std::min(reach, (length - 1) / 2);
      high[direction] = std::min(reach, length / 2);
    }
    std::vector<Shift> all;
    for (int z = low[2]; z <= high[2]; ++z)
      for (int y = low[1]; y <= high[1]; ++y)
        for (int x = low[0]; x <= high[0]; ++x)
          if (x != 0 || y != 0 || z != 0) all.push_back({x, y, z});
    return all;
  }

  Decomposition box_;
};

/// Messages of a process for one operator.
struct Sends {
  std::vector<Shift> to;
  double bytes = 0;  ///< of each
};

class AmgTrace final : public Trace {
 public:
  AmgTrace(const Machine& machine, const AmgFamily& family, const AmgStudy& study,
           const PredictionRequest& request, ScalingPoint point)
      : Trace(std::move(point)),
        variant_(study.variant),
        relaxation_(amg_relaxation(study.variant.relax)),
        overlap_(request.overlap.front()) {
    const nlohmann::json& choice = this->point().choice;
    const AmgPlacement placement{choice.at("nodes"), choice.at("mpi_ranks"),
                                 choice.at("ranks_per_node"), choice.at("threads_per_rank")};
    processes_ = placement.processes;
    hierarchy_ = family.at(choice.at("unknowns"), processes_);
    times_ = amg_run_levels(machine, hierarchy_, placement, study.variant, overlap_, Bound::value,
                            nullptr);
    for (const AmgLevel& level : hierarchy_.levels) {
      const int active =
          std::clamp(static_cast<int>(std::lround(level.active_processes)), 1, processes_);
      levels_.push_back({active, Neighbourhood(active), {}, {}, {}});
      Level& added = levels_.back();
      added.solve = sends_of(level.solve, added);
      added.interpolation = sends_of(level.interpolation, added);
      added.restriction =
          level.restriction ? sends_of(*level.restriction, added) : added.interpolation;
    }
  }

  [[nodiscard]] int ranks() const override { return processes_; }
  [[nodiscard]] std::vector<std::string> notes() const override {
    return {
        "who sends to whom: the nearest in a periodic box of each level's processes, as many "
        "and as much as the process that sends most"};
  }

  void step(int rank, TraceSink& sink) const override {
    const std::size_t last = levels_.size() - 1;
    for (std::size_t i = 0; i < last; ++i) {
      relax(i, rank, sink);
      product(i, rank, times_[i].residual.compute_s, solve_share(i), sink);
      transfer(i, rank, levels_[i].restriction, times_[i].restriction.compute_s, sink);
    }
    coarsest(rank, sink);
    for (std::size_t i = last; i-- > 0;) {
      transfer(i, rank, levels_[i].interpolation, times_[i].interpolation.compute_s, sink);
      relax(i, rank, sink);
    }
    if (variant_.solver == "pcg") krylov(rank, sink);
  }

 private:
  struct Level {
    int active;
    Neighbourhood box;
    Sends solve, interpolation, restriction;
  };

  [[nodiscard]] static Sends sends_of(const AmgOperator& one, const Level& level) {
    if (one.max_sends <= 0 || level.active == 1) return {};
    const int count = std::max(1, static_cast<int>(std::lround(one.max_sends)));
    Sends sends{level.box.nearest(count), 0};
    sends.bytes = sizeof(double) * one.max_elements / static_cast<double>(sends.to.size());
    return sends;
  }
  /// Where a level's process of this place is among all.
  [[nodiscard]] int rank_of(std::size_t i, int place) const {
    return static_cast<int>(1LL * place * processes_ / levels_[i].active);
  }
  /// -1: it has nothing of the level.
  [[nodiscard]] int place_of(std::size_t i, int rank) const {
    const int active = levels_[i].active;
    const auto place = static_cast<int>((1LL * rank * active + processes_ - 1) / processes_);
    return place < active && rank_of(i, place) == rank ? place : -1;
  }
  [[nodiscard]] double solve_share(std::size_t i) const {
    return amg_own_share(hierarchy_.levels[i].solve, hierarchy_.levels[i]);
  }

  /// An operation with its exchange; `own` of it needs nothing from others.
  void operation(std::size_t i, int rank, const Sends& sends, double seconds, double own,
                 TraceSink& sink) const {
    const int place = place_of(i, rank);
    if (place < 0) return;
    int tag = 0;
    for (const Shift& shift : sends.to)
      sink.start_receive(rank_of(i, levels_[i].box.at(place, shift, -1)), sends.bytes, tag++);
    tag = 0;
    for (const Shift& shift : sends.to)
      sink.start_send(rank_of(i, levels_[i].box.at(place, shift, 1)), sends.bytes, tag++);
    const double meanwhile = overlap_ ? own * seconds : 0;
    sink.compute(meanwhile);
    sink.wait_all();
    sink.compute(seconds - meanwhile);
  }
  void product(std::size_t i, int rank, double seconds, double own, TraceSink& sink) const {
    operation(i, rank, levels_[i].solve, seconds, own, sink);
  }
  void transfer(std::size_t i, int rank, const Sends& sends, double seconds,
                TraceSink& sink) const {
    const AmgLevel& level = hierarchy_.levels[i];
    operation(i, rank, sends, seconds, amg_own_share(level.interpolation, level), sink);
  }
  /// All sweeps of one side.
  void relax(std::size_t i, int rank, TraceSink& sink) const {
    const int exchanges = variant_.sweeps * relaxation_.exchanges;
    const double seconds = times_[i].relax.compute_s / 2 / exchanges;
    for (int exchange = 0; exchange < exchanges; ++exchange)
      product(i, rank, seconds, relaxation_.overlaps ? solve_share(i) : 0, sink);
  }
  void coarsest(int rank, TraceSink& sink) const {
    const std::size_t last = levels_.size() - 1;
    const double unknowns = hierarchy_.levels[last].unknowns;
    const double seconds = times_[last].coarse_solve.compute_s;
    if (unknowns > amg_coarsest_unknowns)
      return product(last, rank, seconds, relaxation_.overlaps ? solve_share(last) : 0, sink);
    const int place = place_of(last, rank);
    if (place < 0) return;
    const int active = levels_[last].active;
    constexpr int tag = 0;
    gather_among(
        active, place, sizeof(double) * unknowns / active, tag,
        [&](int other) { return rank_of(last, other); }, sink);
    sink.compute(seconds);
  }
  void krylov(int rank, TraceSink& sink) const {
    double seconds = 0;
    for (const Term& term : point().prediction.terms)
      if (term.name == "compute.krylov") seconds = term.seconds;
    product(0, rank, seconds, solve_share(0), sink);
    if (processes_ == 1) return;
    constexpr int inner_products = 3;
    for (int sum = 0; sum < inner_products; ++sum) sink.allreduce(sizeof(double));
  }

  AmgVariant variant_;
  AmgRelaxation relaxation_;
  bool overlap_;
  int processes_ = 1;
  AmgHierarchy hierarchy_;
  std::vector<AmgRunLevel> times_;
  std::vector<Level> levels_;
};

}  // namespace

std::unique_ptr<Trace> amg_trace(const Machine& machine, const AmgFamily& family,
                                 const AmgStudy& study, const PredictionRequest& request) {
  return std::make_unique<AmgTrace>(machine, family, study, request,
                                    amg_curve(machine, family, study, request).front());
}

}  // namespace bellwether
