// SPDX-License-Identifier: MIT
#include "models/airfoil/airfoil_curve.hpp"

#include "models/airfoil/airfoil_partition.hpp"
#include "models/airfoil/airfoil_refined.hpp"
#include "models/workload.hpp"

namespace bellwether {
namespace {

class AirfoilTrace final : public Trace {
 public:
  AirfoilTrace(const Machine& machine, const AirfoilStudy& study, const PredictionRequest& request,
               ScalingPoint point)
      : Trace(std::move(point)),
        machine_(machine),
        costs_(machine, study.precision),
        partition_(study.mesh, ranks()),
        cell_bytes_((airfoil_q_values + airfoil_adt_values) * value_bytes(study.precision)) {
    conditions_.precision = study.precision;
    conditions_.overlap = request.overlap.front();
    conditions_.ranks = ranks();
    conditions_.ranks_per_node = request.ranks_per_node;
    conditions_.sequence = study.sequence;
    conditions_.increments = study.increments;
    conditions_.staged = study.staged;
    for (int rank = 0; rank < ranks(); ++rank) imports_.push_back(partition_.imports(rank));
  }

  [[nodiscard]] std::vector<std::string> notes() const override {
    if (machine_.device.kind == "gpu" && conditions_.overlap && ranks() > 1)
      return {"copies of a GPU stand before and after the messages, not beside the core edges"};
    return {};
  }

  void step(int rank, TraceSink& sink) const override {
    const AirfoilWorkload work = partition_.workload(rank, conditions_.ranks_per_node);
    const RankStep whole = airfoil_refined_step(machine_, costs_, work, conditions_, Bound::value);
    AirfoilConditions apart = conditions_;
    apart.overlap = false;  // a GPU's copies by themselves
    const TermList copies = airfoil_refined_step(machine_, costs_, work, apart, Bound::value).terms;
    const TermList& terms = whole.terms;
    double compute = 0;
    for (const Term& term : terms.terms())
      if (term.name.starts_with("compute.")) compute += term.seconds;
    const double save = terms.seconds("compute.save_soln");
    const double first = terms.seconds("compute.adt_calc");
    const double core = conditions_.overlap ? whole.hiding_s : 0;
    constexpr int stages = 2;
    sink.compute(save);
    for (int stage = 0; stage < stages; ++stage) {
      sink.compute((first + terms.seconds("pack") + copies.seconds("copy.to_host")) / stages);
      start_exchange(rank, sink);
      if (core > 0) sink.compute(core / stages);
      sink.wait_all();
      sink.compute((copies.seconds("copy.to_device") + terms.seconds("unpack") + compute - save -
                    first - core) /
                   stages);
      if (conditions_.sequence == AirfoilSequence::five && ranks() > 1)
        sink.allreduce(value_bytes(conditions_.precision));
    }
  }

 private:
  void start_exchange(int rank, TraceSink& sink) const {
    constexpr int tag = 0;
    for (const CellImport& in : imports_of(rank))
      sink.start_receive(in.owner, in.cells * cell_bytes_, tag);
    for (const CellImport& in : imports_of(rank))  // who sends here also receives from here
      for (const CellImport& out : imports_of(in.owner))
        if (out.owner == rank) sink.start_send(in.owner, out.cells * cell_bytes_, tag);
  }
  [[nodiscard]] const std::vector<CellImport>& imports_of(int rank) const {
    return imports_[static_cast<std::size_t>(rank)];
  }

  const Machine& machine_;
  AirfoilLoopCosts costs_;
  AirfoilPartition partition_;
  double cell_bytes_;
  AirfoilConditions conditions_;
  std::vector<std::vector<CellImport>> imports_;  ///< by rank
};

}  // namespace

std::unique_ptr<Trace> airfoil_trace(const Machine& machine, const AirfoilStudy& study,
                                     const PredictionRequest& request) {
  AirfoilStudy counted = study;
  counted.halo_sizes = "counted";
  return std::make_unique<AirfoilTrace>(machine, counted, request,
                                        airfoil_curve(machine, counted, request).front());
}

}  // namespace bellwether
