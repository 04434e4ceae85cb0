// SPDX-License-Identifier: MIT
#include "models/stencil/stencil_curve.hpp"

#include "models/stencil/stencil_model.hpp"
#include "models/stencil/stencil_refined.hpp"
#include "models/workload.hpp"

namespace bellwether {
namespace {

/// A number for a way from rank to rank, its opposite's being another.
int tag_of(const std::array<int, 3>& shift) {
  return (shift[0] + 1) + 3 * (shift[1] + 1) + 9 * (shift[2] + 1);
}

class StencilTrace final : public RankTrace {
 public:
  StencilTrace(const Machine& machine, const StencilKernel& kernel, const StencilStudy& study,
               ScalingPoint point)
      : RankTrace(std::move(point)),
        kernel_(kernel),
        placement_{study.request.ranks_per_node},
        decomposition_(study.cells, this->point().choice.at("decomposition"), study.periodic) {
    if (study.solids) solids_ = study.solids(decomposition_);
    variant_ = study.variant;
    variant_.overlap = study.request.overlap.front();
    copies_apart_ = machine.device.kind == "gpu" && variant_.overlap;
    model_ = refined_stencil_model(machine, kernel_, variant_,
                                   ranks_on_node(decomposition_, placement_), study.cells_per_s);
  }

  [[nodiscard]] std::vector<std::string> notes() const override {
    if (copies_apart_ && ranks() > 1)
      return {"copies of a GPU stand before and after the messages, not beside the interior"};
    return {};
  }

 private:
  [[nodiscard]] RankProgram program(int rank) const override {
    RankKind kind = rank_kind(decomposition_, placement_, decomposition_.coordinates(rank));
    if (!solids_.empty()) kind.solid = solids_[static_cast<std::size_t>(rank)];
    return model_->program(kind, Bound::value, 0);
  }
  [[nodiscard]] std::vector<RankMessages> messages(int rank, int /*which*/) const override {
    RankMessages all;
    for (const auto& [peer, shift, bytes] :
         stencil_messages(kernel_, decomposition_, rank, variant_)) {
      all.in.push_back({peer, bytes, tag_of({-shift[0], -shift[1], -shift[2]})});
      all.out.push_back({peer, bytes, tag_of(shift)});
    }
    return {all};
  }

  StencilKernel kernel_;
  StencilVariant variant_;
  bool copies_apart_ = false;
  RankPlacement placement_;
  Decomposition decomposition_;
  std::vector<SolidWork> solids_;  ///< by rank; empty: all cells are fluid
  std::unique_ptr<RefinedStencilModel> model_;
};

}  // namespace

std::unique_ptr<Trace> stencil_trace(const Machine& machine, const StencilKernel& kernel,
                                     const StencilStudy& study) {
  return std::make_unique<StencilTrace>(machine, kernel, study,
                                        stencil_curve(machine, kernel, study).front());
}

}  // namespace bellwether
