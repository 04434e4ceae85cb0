// SPDX-License-Identifier: MIT
#include "models/airfoil/airfoil_curve.hpp"

#include "models/airfoil/airfoil_partition.hpp"
#include "models/airfoil/airfoil_refined.hpp"
#include "models/workload.hpp"

namespace bellwether {
namespace {

class AirfoilTrace final : public RankTrace {
 public:
  AirfoilTrace(const Machine& machine, const AirfoilStudy& study, const PredictionRequest& request,
               ScalingPoint point)
      : RankTrace(std::move(point)),
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

 private:
  [[nodiscard]] RankProgram program(int rank) const override {
    std::vector<std::string> unused;
    return airfoil_program(machine_, costs_, partition_.workload(rank, conditions_.ranks_per_node),
                           conditions_, Bound::value, unused);
  }
  [[nodiscard]] std::vector<RankMessages> messages(int rank, int /*which*/) const override {
    constexpr int tag = 0;
    RankMessages all;
    for (const CellImport& in : imports_of(rank)) {
      all.in.push_back({in.owner, in.cells * cell_bytes_, tag});
      for (const CellImport& out : imports_of(in.owner))  // who sends here also receives from here
        if (out.owner == rank) all.out.push_back({in.owner, out.cells * cell_bytes_, tag});
    }
    return {all};
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
