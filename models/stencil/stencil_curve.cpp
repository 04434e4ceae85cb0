// SPDX-License-Identifier: MIT
#include "models/stencil/stencil_curve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "models/errors.hpp"
#include "models/scaling/in_parallel.hpp"
#include "models/stencil/stencil_model.hpp"

namespace bellwether {
namespace {

using Parts = std::array<int, 3>;

/// The cells as the search sees them: a direction of one cell is not divided.
Parts divisible(const StencilStudy& study) {
  Parts cells = study.cells;
  for (int direction = 0; direction < 3; ++direction)
    if (!study.split[direction]) cells[direction] = 1;
  return cells;
}

/// The models of one overlap mode, for the ranks that share a node.
struct OverlapModels {
  StencilVariant variant;
  std::unique_ptr<StencilModel> search;
  std::vector<std::unique_ptr<StencilModel>> forms;
};

/// Predicts rank count after rank count.
class Sweep {
 public:
  Sweep(const Machine& machine, const StencilKernel& kernel, const StencilStudy& study)
      : machine_(machine), kernel_(kernel), study_(study), cells_(divisible(study)) {}

  void predict(int ranks, std::vector<ScalingPoint>& points) {
    std::vector<Parts> all;
    if (!study_.decomposition) {
      all = candidates(ranks, cells_);
      if (all.empty()) {
        if (!study_.leave_out_unfit) (void)least_surface(ranks, cells_);  // says what does not fit
        return;
      }
    }
    prepare(ranks);
    for (const OverlapModels& models : models_) {
      const Parts parts = study_.decomposition ? *study_.decomposition
                                               : fastest_of(*models.search, study_.cells,
                                                            study_.periodic, study_.placement, all);
      const Decomposition decomposition(study_.cells, parts, study_.periodic);
      if (decomposition.size() != ranks)
        throw BadInput(fmt::format("decomposition {}: found {} ranks, expected {}",
                                   decomposition.name(), decomposition.size(), ranks));
      const std::vector<RankKind> kinds = rank_kinds(decomposition, study_.placement);
      for (std::size_t form = 0; form < models.forms.size(); ++form)
        points.push_back({ranks,
                          models.variant.overlap,
                          study_.forms[form],
                          predict_slowest(*models.forms[form], kinds),
                          decomposition.name(),
                          {{"decomposition", decomposition.ranks()}}});
    }
  }

 private:
  /// The models, made anew only where fewer ranks than fill a node share it.
  void prepare(int ranks) {
    const int on_node = std::min(ranks, study_.placement.ranks_per_node);
    if (on_node == on_node_) return;
    models_.clear();
    for (const bool overlap : study_.overlap) {
      OverlapModels models;
      models.variant = study_.variant;
      models.variant.overlap = overlap;
      models.search = searching_stencil_model(machine_, kernel_, models.variant, on_node);
      for (const std::string& form : study_.forms)
        models.forms.push_back(model_of(form, models.variant, on_node));
      models_.push_back(std::move(models));
    }
    on_node_ = on_node;
  }

  [[nodiscard]] std::unique_ptr<StencilModel> model_of(const std::string& form,
                                                       const StencilVariant& variant,
                                                       int on_node) const {
    if (form == "paper")
      return paper_stencil_model(machine_, kernel_, variant, on_node, study_.cells_per_s);
    if (form == "refined")
      return refined_stencil_model(machine_, kernel_, variant, on_node, study_.cells_per_s);
    throw BadInput(fmt::format("model form: found \"{}\", expected paper or refined", form));
  }

  const Machine& machine_;
  const StencilKernel& kernel_;
  const StencilStudy& study_;
  Parts cells_;
  int on_node_ = 0;
  std::vector<OverlapModels> models_;
};

void check(const StencilStudy& study) {
  const std::size_t asked = study.ranks.size() * study.overlap.size() * study.forms.size();
  if (asked > most_scaling_points)
    throw BadInput(fmt::format(
        "ranks: found {} counts, {} points in all, expected at most {} points: fewer rank counts, "
        "or one overlap mode or form",
        study.ranks.size(), asked, most_scaling_points));
  if (study.placement.ranks_per_node < 1)
    throw BadInput(fmt::format("ranks per node: found {}, expected a positive count",
                               study.placement.ranks_per_node));
}

}  // namespace

std::vector<ScalingPoint> stencil_curve(const Machine& machine, const StencilKernel& kernel,
                                        const StencilStudy& study) {
  check(study);
  constexpr std::size_t chunk = 64;
  const std::size_t chunks = (study.ranks.size() + chunk - 1) / chunk;
  std::vector<std::vector<ScalingPoint>> parts(chunks);
  in_parallel(chunks, [&](std::size_t index) {
    Sweep sweep(machine, kernel, study);
    const std::size_t end = std::min(study.ranks.size(), (index + 1) * chunk);
    for (std::size_t at = index * chunk; at < end; ++at)
      sweep.predict(study.ranks[at], parts[index]);
  });
  std::size_t size = 0;
  for (const auto& part : parts) size += part.size();
  std::vector<ScalingPoint> points;
  points.reserve(size);
  for (auto& part : parts) {
    std::move(part.begin(), part.end(), std::back_inserter(points));
    std::vector<ScalingPoint>().swap(part);
  }
  if (points.empty() && !study.ranks.empty())
    (void)least_surface(study.ranks.front(), divisible(study));
  return points;
}

}  // namespace bellwether
