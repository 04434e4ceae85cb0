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

class StencilTrace final : public Trace {
 public:
  StencilTrace(const Machine& machine, const StencilKernel& kernel, const StencilStudy& study,
               ScalingPoint point)
      : Trace(std::move(point)),
        kernel_(kernel),
        element_(value_bytes(study.variant.precision)),
        overlap_(study.request.overlap.front()),
        on_gpu_(machine.device.kind == "gpu"),
        placement_{study.request.ranks_per_node},
        decomposition_(study.cells, this->point().choice.at("decomposition"), study.periodic) {
    if (study.solids) solids_ = study.solids(decomposition_);
    StencilVariant variant = study.variant;
    for (const bool overlap : {false, true}) {
      variant.overlap = overlap;
      models_[overlap ? 1 : 0] = refined_stencil_model(
          machine, kernel_, variant, ranks_on_node(decomposition_, placement_), study.cells_per_s);
    }
  }

  [[nodiscard]] std::vector<std::string> notes() const override {
    if (on_gpu_ && overlap_ && ranks() > 1)
      return {"copies of a GPU stand before and after the messages, not beside the interior"};
    return {};
  }

  void step(int rank, TraceSink& sink) const override {
    RankKind kind = rank_kind(decomposition_, placement_, decomposition_.coordinates(rank));
    if (!solids_.empty()) kind.solid = solids_[static_cast<std::size_t>(rank)];
    const TermList terms = models_[overlap_ ? 1 : 0]->step(kind, Bound::value, 0).terms;
    // With overlap a GPU's copies are part of the network's term.
    const TermList apart = models_[0]->step(kind, Bound::value, 0).terms;
    const std::vector<StencilMessage> messages =
        stencil_messages(kernel_, decomposition_, rank, element_);
    const double interior = terms.seconds("compute.interior");
    const double before = terms.seconds("compute.boundary") + terms.seconds("pack") +
                          apart.seconds("copy.to_host") + (overlap_ ? 0 : interior);
    sink.compute(before);
    for (const StencilMessage& one : messages) {
      const std::array<int, 3> back{-one.shift[0], -one.shift[1], -one.shift[2]};
      sink.start_receive(one.peer, one.bytes, tag_of(back));
    }
    for (const StencilMessage& one : messages)
      sink.start_send(one.peer, one.bytes, tag_of(one.shift));
    if (overlap_) sink.compute(interior);
    sink.wait_all();
    sink.compute(apart.seconds("copy.to_device") + terms.seconds("unpack"));
  }

 private:
  StencilKernel kernel_;
  double element_;
  bool overlap_, on_gpu_;
  RankPlacement placement_;
  Decomposition decomposition_;
  std::vector<SolidWork> solids_;                        ///< by rank; empty: all cells are fluid
  std::array<std::unique_ptr<StencilModel>, 2> models_;  ///< by overlap
};

}  // namespace

std::unique_ptr<Trace> stencil_trace(const Machine& machine, const StencilKernel& kernel,
                                     const StencilStudy& study) {
  return std::make_unique<StencilTrace>(machine, kernel, study,
                                        stencil_curve(machine, kernel, study).front());
}

}  // namespace bellwether
