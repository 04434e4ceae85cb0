// SPDX-License-Identifier: MIT
#include "models/stencil/stencil_curve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "models/errors.hpp"
#include "models/scaling/scaling_curve.hpp"
#include "models/stencil/stencil_model.hpp"
#include "models/stencil/stencil_paper.hpp"
#include "models/stencil/stencil_refined.hpp"
#include "models/workload.hpp"

namespace bellwether {
namespace {

using Parts = std::array<int, 3>;

class StencilCurve final : public CurveModel {
 public:
  StencilCurve(const Machine& machine, const StencilKernel& kernel, const StencilStudy& study,
               const NoiseWait& noise)
      : machine_(machine),
        kernel_(kernel),
        study_(study),
        noise_(noise),
        placement_{study.request.ranks_per_node},
        cells_(study.cells) {
    // As the search sees it a direction that is not divided has one cell.
    for (int direction = 0; direction < 3; ++direction)
      if (!study.split[direction]) cells_[direction] = 1;
  }

  void divide(int ranks, bool overlap, const std::string& form) override {
    if (study_.decomposition) {
      const Decomposition given(study_.cells, *study_.decomposition, study_.periodic);
      if (given.size() != ranks)
        throw BadInput(fmt::format("decomposition {}: found {} ranks, expected {}", given.name(),
                                   given.size(), ranks));
    } else if (ranks != ranks_) {
      candidates_ = candidates(ranks, cells_);
      if (candidates_.empty()) (void)least_surface(ranks, cells_);  // throws
      ranks_ = ranks;
    }
    models_ = &models_of(placement_.on_node(ranks), overlap);
    overlap_ = overlap;
    decomposition_.emplace(study_.cells, study_.decomposition ? *study_.decomposition : best(form),
                           study_.periodic);
    kinds_ = rank_kinds(*decomposition_, placement_, form == "paper" ? no_solids : solids());
  }
  [[nodiscard]] std::string layout() const override { return decomposition_->name(); }
  [[nodiscard]] nlohmann::json choice() const override {
    return {{"decomposition", decomposition_->ranks()}};
  }
  [[nodiscard]] double bytes_per_rank() const override {
    return stencil_bytes(kernel_, *decomposition_, study_.variant.precision);
  }
  [[nodiscard]] Prediction predict(const std::string& form) const override {
    if (form == "paper")
      return predict_slowest(*models_->paper, kinds_, 0, decomposition_->mean_cells());
    StencilVariant variant = study_.variant;
    variant.overlap = overlap_;
    return predict_stencil_refined(*models_->refined, machine_, kernel_, *decomposition_, variant,
                                   placement_, kinds_, noise_);
  }

 private:
  /// The models of one overlap mode, for the ranks that share a node.
  struct Models {
    std::unique_ptr<StencilModel> paper, refined;
  };

  /// Of the decomposition's ranks.
  const std::vector<SolidWork>& solids() {
    if (!study_.solids) return no_solids;
    const auto [found, is_new] = solids_.try_emplace(decomposition_->ranks());
    if (is_new) found->second = study_.solids(*decomposition_);
    return found->second;
  }

  [[nodiscard]] Parts best(const std::string& form) const {
    const bool paper = form == "paper";
    return fastest_of(paper ? *models_->paper : *models_->refined,
                      (paper ? models_->refined : models_->paper).get(), study_.cells,
                      study_.periodic, placement_, candidates_);
  }

  const Models& models_of(int on_node, bool overlap) {
    const auto [found, is_new] = kept_.try_emplace({on_node, overlap});
    Models& models = found->second;
    if (!is_new) return models;
    StencilVariant variant = study_.variant;
    variant.overlap = overlap;
    models.paper = paper_stencil_model(machine_, kernel_, variant, on_node, study_.cells_per_s);
    models.refined = refined_stencil_model(machine_, kernel_, variant, on_node, study_.cells_per_s);
    return models;
  }

  static const inline std::vector<SolidWork> no_solids{};  // of the paper, which knows none

  const Machine& machine_;
  const StencilKernel& kernel_;
  const StencilStudy& study_;
  const NoiseWait& noise_;
  RankPlacement placement_;
  Parts cells_;
  bool overlap_ = false;
  int ranks_ = 0;  ///< that the candidates are of
  std::vector<Parts> candidates_;
  std::map<std::pair<int, bool>, Models> kept_;
  const Models* models_ = nullptr;
  std::map<Parts, std::vector<SolidWork>> solids_;  ///< by ranks in each direction
  std::optional<Decomposition> decomposition_;
  std::vector<RankKind> kinds_;
};

}  // namespace

std::vector<ScalingPoint> stencil_curve(const Machine& machine, const StencilKernel& kernel,
                                        const StencilStudy& study) {
  const NoiseWait noise(machine);
  return scaling_curve(machine, study.request, [&] {
    return std::make_unique<StencilCurve>(machine, kernel, study, noise);
  });
}

}  // namespace bellwether
