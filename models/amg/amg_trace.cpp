// SPDX-License-Identifier: MIT
#include "models/amg/amg_curve.hpp"

#include "models/amg/amg_neighbours.hpp"

namespace bellwether {
namespace {

/// Messages of a process for one operator.
struct Sends {
  std::vector<AmgNeighbours::Shift> to;
  double bytes = 0;  ///< of each
};

class AmgTrace final : public RankTrace {
 public:
  AmgTrace(const Machine& machine, const AmgFamily& family, const AmgStudy& study,
           const PredictionRequest& request, ScalingPoint point)
      : RankTrace(std::move(point)), overlap_(request.overlap.front()) {
    const nlohmann::json& choice = this->point().choice;
    const AmgPlacement placement{choice.at("nodes"), choice.at("mpi_ranks"),
                                 choice.at("ranks_per_node"), choice.at("threads_per_rank")};
    processes_ = placement.processes;
    hierarchy_ = family.at(choice.at("unknowns"), processes_);
    step_ = amg_step(machine, hierarchy_, placement, study.variant);
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
  [[nodiscard]] RankProgram program(int rank) const override {
    return step_.program(hierarchy_, overlap_, [&](std::size_t level) {
      return levels_[level].processes.place_of(rank) >= 0;
    });
  }
  [[nodiscard]] std::vector<RankMessages> messages(int rank, int which) const override {
    const auto [stage, level] = amg_exchange_of(which);
    const Level& one = levels_[level];
    const double unknowns = hierarchy_.levels[level].unknowns;
    if (stage == AmgStage::restriction) return exchange(one, rank, one.restriction);
    if (stage == AmgStage::interpolation) return exchange(one, rank, one.interpolation);
    if (stage == AmgStage::coarse_solve && unknowns <= amg_coarsest_unknowns)
      return gathering(one, rank, unknowns);
    return exchange(one, rank, one.solve);
  }

  static std::vector<RankMessages> exchange(const Level& level, int rank, const Sends& sends) {
    const int place = level.processes.place_of(rank);
    RankMessages all;
    int tag = 0;
    for (const auto& shift : sends.to) {
      const auto other = [&](int way) {
        return level.processes.rank_of(level.processes.at(place, shift, way));
      };
      all.in.push_back({other(-1), sends.bytes, tag});
      all.out.push_back({other(1), sends.bytes, tag++});
    }
    return {all};
  }
  /// In rounds: after each, every process has the unknowns of twice as many (dissemination).
  static std::vector<RankMessages> gathering(const Level& level, int rank, double unknowns) {
    constexpr int tag = 0;
    const int active = level.processes.active(), place = level.processes.place_of(rank);
    const double own_bytes = sizeof(double) * unknowns / active;
    std::vector<RankMessages> rounds;
    for (int held = 1; held < active; held *= 2) {
      const double bytes = own_bytes * std::min(held, active - held);
      rounds.push_back(
          {.in = {{level.processes.rank_of((place + held) % active), bytes, tag}},
           .out = {{level.processes.rank_of((place - held + active) % active), bytes, tag}}});
    }
    return rounds;
  }

  bool overlap_;
  int processes_ = 1;
  AmgHierarchy hierarchy_;
  AmgStep step_;
  std::vector<Level> levels_;
};

}  // namespace

std::unique_ptr<Trace> amg_trace(const Machine& machine, const AmgFamily& family,
                                 const AmgStudy& study, const PredictionRequest& request) {
  return std::make_unique<AmgTrace>(machine, family, study, request,
                                    amg_curve(machine, family, study, request).front());
}

}  // namespace bellwether
