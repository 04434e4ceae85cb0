// SPDX-License-Identifier: MIT
#include "models/amg/amg_curve.hpp"

#include "models/amg/amg_neighbours.hpp"
#include "models/amg/amg_run_cycle.hpp"

namespace bellwether {
namespace {

/// Messages of a process for one operator.
struct Sends {
  std::vector<AmgNeighbours::Shift> to;
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
    times_ = amg_run_levels(machine, hierarchy_, placement, study.variant, overlap_);
    for (const AmgLevel& level : hierarchy_.levels) {
      levels_.push_back({AmgNeighbours(processes_, level.active_processes), {}, {}, {}});
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
    AmgNeighbours processes;
    Sends solve, interpolation, restriction;
  };

  [[nodiscard]] static Sends sends_of(const AmgOperator& one, const Level& level) {
    Sends sends{level.processes.nearest(one.max_sends), 0};
    if (!sends.to.empty())
      sends.bytes = sizeof(double) * one.max_elements / static_cast<double>(sends.to.size());
    return sends;
  }
  [[nodiscard]] double solve_share(std::size_t i) const {
    return amg_own_share(hierarchy_.levels[i].solve, hierarchy_.levels[i]);
  }

  /// An operation with its exchange; `own` of it needs nothing from others.
  void operation(std::size_t i, int rank, const Sends& sends, double seconds, double own,
                 TraceSink& sink) const {
    const AmgNeighbours& processes = levels_[i].processes;
    const int place = processes.place_of(rank);
    if (place < 0) return;
    const auto other = [&](const AmgNeighbours::Shift& shift, int way) {
      return processes.rank_of(processes.at(place, shift, way));
    };
    int tag = 0;
    for (const auto& shift : sends.to) sink.start_receive(other(shift, -1), sends.bytes, tag++);
    tag = 0;
    for (const auto& shift : sends.to) sink.start_send(other(shift, 1), sends.bytes, tag++);
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
    const AmgNeighbours& processes = levels_[last].processes;
    const int place = processes.place_of(rank);
    if (place < 0) return;
    constexpr int tag = 0;
    gather_among(
        processes.active(), place, sizeof(double) * unknowns / processes.active(), tag,
        [&](int other) { return processes.rank_of(other); }, sink);
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
