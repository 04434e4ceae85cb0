// SPDX-License-Identifier: MIT
#include "models/stencil/stencil_refined.hpp"

#include <algorithm>

#include "models/network/halo_cost.hpp"
#include "models/roofline/roofline.hpp"
#include "models/stencil/stencil_core.hpp"
#include "models/stencil/stencil_work.hpp"
#include "models/workload.hpp"

namespace bellwether {
namespace {

using Notes = std::vector<std::string>;

class RefinedModel final : public RefinedStencilModel {
 public:
  RefinedModel(const Machine& machine, const StencilKernel& kernel, const StencilVariant& variant,
               int ranks_on_node, std::optional<double> cells_per_s)
      : halo_(Paths(machine, {ranks_on_node},
                    variant.staged ? MessageMemory::host : MessageMemory::device),
              ranks_on_node),
        kernel_(kernel),
        variant_(variant),
        on_gpu_(machine.device.kind == "gpu"),
        between_kernels_(machine.device.between_kernels_s),
        cached_(!kernel.in_place && variant.stores == "cached"),
        cells_per_s_(cells_per_s),
        update_(machine, kernel.rereads,
                {variant.precision, kernel.in_place ? "in_place" : variant.stores, ranks_on_node, 0,
                 kernel.fetches_ahead, kernel.arrays}),
        copy_(machine, 0,
              {variant.precision, kernel.in_place ? "in_place" : variant.stores, ranks_on_node, 0}),
        faces_(machine, 0, {variant.precision, "cached", ranks_on_node, 0}) {
    if (const auto* cores = section<StencilCores>(machine); cores != nullptr) {
      if (on_gpu_)
        on_device_ = cores->update_of(kernel.name, variant.precision);
      else
        core_ = cores->of(kernel.name, variant.precision);
    }
  }

  [[nodiscard]] RankProgram program(const RankKind& kind, Bound bound,
                                    double contention_s) const override {
    return program(kind, work_of(kind), bound, contention_s);
  }
  void note(const RankKind& kind, Notes& notes) const override {
    const StencilWork work = work_of(kind);
    const double set = work.working_set_bytes;
    if (!cells_per_s_) {
      const KernelTimer& mover = core_ != nullptr ? mover_of_core() : update_;
      mover.note(work.boundary, set, notes);
      mover.note(work.interior, set, notes);
    }
    faces_.note(work.faces, set, notes);
    halo_.note(exchange(kind, work, 0, 0), notes);
  }

 private:
  /// A GPU updates all slabs of the boundary in one launch.
  [[nodiscard]] StencilWork work_of(const RankKind& kind) const {
    StencilWork work = stencil_work(kernel_, kind, variant_);
    if (on_gpu_) work.boundary.launches = std::min(work.boundary.launches, 1);
    return work;
  }
  [[nodiscard]] const KernelTimer& mover_of_core() const {
    return kernel_.fetches_ahead ? update_ : copy_;
  }
  /// An update whose core was measured takes what its memory and its core do together, and its
  /// rows' ends. The memory of one that asks for its lines ahead is that of its own curves; of
  /// another one that of a copy, since its rereads are its core's. On a GPU it takes so many times
  /// what its curve has.
  [[nodiscard]] ComputeTime compute(const KernelWork& work, double set, Bound bound) const {
    if (core_ == nullptr) {
      ComputeTime time = update_.time(work, update_.memory(set), bound);
      if (on_device_ != nullptr) time.memory_s *= cost_at(on_device_->times, bound);
      return time;
    }
    const KernelTimer& mover = mover_of_core();
    KernelWork moved = work;
    moved.flops = 0;
    ComputeTime time = mover.time(moved, mover.memory(set), bound);
    time.core_s = core_->seconds(work, bound);
    time.beside_s += core_->ends_s(work, bound);
    if (!cached_) core_->set_exposed(time, set, bound);
    return time;
  }
  /// Each line of both ends moves, and one of them back.
  [[nodiscard]] double bounce(const StencilWork& work, Bound bound) const {
    constexpr double line_bytes = 64;
    KernelWork lines;  // a launch
    lines.bytes = 3 * line_bytes * work.link_lines;
    return faces_.seconds(lines, faces_.memory(work.working_set_bytes), bound);
  }
  [[nodiscard]] RankProgram program(const RankKind& kind, const StencilWork& work, Bound bound,
                                    double contention_s) const {
    const bool exchanges = work.messages > 0, overlap = variant_.overlap && exchanges;
    const double set = work.working_set_bytes;
    RankProgram program;
    double boundary_s = 0, interior_s = 0;
    if (cells_per_s_) {
      boundary_s = work.boundary.cells / *cells_per_s_;
      interior_s = work.interior.cells / *cells_per_s_;
    } else {
      const ComputeTime interior = compute(work.interior, set, bound);
      ComputeTime& all = program.compute_time.emplace(compute(work.boundary, set, bound));
      boundary_s = all.seconds();
      interior_s = interior.seconds();
      all += interior;
    }
    if (work.link_lines > 0) {
      const double bounce_s = bounce(work, bound);
      (overlap ? boundary_s : interior_s) += bounce_s;
      if (program.compute_time) program.compute_time->beside_s += bounce_s;
    }
    if (overlap)
      program.compute("compute.boundary", boundary_s);
    else
      program.compute("compute.interior", interior_s);
    if (exchanges) {
      const double pack_s = faces_.seconds(work.faces, faces_.memory(set), bound);
      program.exchange({.times = halo_.times(exchange(kind, work, pack_s, contention_s), bound),
                        .pack_s = pack_s,
                        .meanwhile = "compute.interior",
                        .meanwhile_s = overlap ? interior_s : 0,
                        .hides_s = interior_s,
                        .overlap = overlap});
    } else if (on_gpu_ && between_kernels_) {
      program.wait("other", cost_at(*between_kernels_, bound));
    }
    return program;
  }

  /// All faces and edges, those of one size and path together.
  [[nodiscard]] HaloExchange exchange(const RankKind& kind, const StencilWork& work, double pack_s,
                                      double contention_s) const {
    HaloExchange halo{.pack_s = pack_s,
                      .swept_bytes = work.working_set_bytes,
                      .contention_s = contention_s,
                      .staged = variant_.staged,
                      .overlap = variant_.overlap};
    for (int face = 0; face < 6; ++face) {
      if (kind.across[face] == Across::nobody) continue;
      if (face % 2 == 1 && kind.across[face] == kind.across[face - 1])
        ++halo.messages.back().count;
      else
        halo.messages.push_back({kind.across[face], 1, work.message_bytes[face]});
    }
    for (const EdgeMessages& edges : work.edges) {
      if (edges.same_node > 0)
        halo.messages.push_back({Across::same_node, 1. * edges.same_node, edges.bytes});
      if (edges.other_node > 0)
        halo.messages.push_back({Across::other_node, 1. * edges.other_node, edges.bytes});
    }
    return halo;
  }

  HaloCost halo_;
  StencilKernel kernel_;
  StencilVariant variant_;
  bool on_gpu_;
  std::optional<Quantity> between_kernels_;
  bool cached_;
  std::optional<double> cells_per_s_;
  KernelTimer update_;
  KernelTimer copy_;
  KernelTimer faces_;
  const StencilCore* core_ = nullptr;         ///< of the machine; null: its flops count
  const StencilUpdate* on_device_ = nullptr;  ///< of a GPU; null: as fast as its memory curve
};

/// Of two kinds of stores those that is faster for each kind of rank.
class FasterModel final : public RefinedStencilModel {
 public:
  FasterModel(std::unique_ptr<RefinedStencilModel> one, std::unique_ptr<RefinedStencilModel> other)
      : one_(std::move(one)), other_(std::move(other)) {}
  [[nodiscard]] RankProgram program(const RankKind& kind, Bound bound,
                                    double contention_s) const override {
    return faster(kind).program(kind, bound, contention_s);
  }
  void note(const RankKind& kind, Notes& notes) const override { faster(kind).note(kind, notes); }

 private:
  [[nodiscard]] const RefinedStencilModel& faster(const RankKind& kind) const {
    return *(other_->seconds(kind) < one_->seconds(kind) ? other_ : one_);
  }
  std::unique_ptr<RefinedStencilModel> one_, other_;
};

/// Whether it matters to what cores and memory hide of one another which stores a run chooses.
bool tells_stores_apart(const Machine& machine, const StencilKernel& kernel,
                        const StencilVariant& variant) {
  const auto* const cores = section<StencilCores>(machine);
  const StencilCore* const core =
      cores != nullptr ? cores->of(kernel.name, variant.precision) : nullptr;
  const auto has = [&](const char* stores) {
    const auto curves = curves_of(machine.device, variant.precision);
    return std::any_of(curves.begin(), curves.end(),
                       [&](const MemoryCurve* curve) { return curve->stores == stores; });
  };
  return machine.device.kind != "gpu" && core != nullptr && !core->exposed.empty() &&
         has("cached") && has("streaming");
}

}  // namespace

double RefinedStencilModel::seconds(const RankKind& kind) const {
  return program(kind, Bound::value, 0).total();
}

RankStep RefinedStencilModel::step(const RankKind& kind, Bound bound, double contention_s) const {
  RankStep step = program(kind, bound, contention_s).step();
  if (bound == Bound::value) note(kind, step.notes);
  return step;
}

std::unique_ptr<RefinedStencilModel> refined_stencil_model(const Machine& machine,
                                                           const StencilKernel& kernel,
                                                           const StencilVariant& variant,
                                                           int ranks_on_node,
                                                           std::optional<double> cells_per_s) {
  const auto model_of = [&](const StencilKernel& one, const StencilVariant& as) {
    return std::make_unique<RefinedModel>(machine, one, as, ranks_on_node, cells_per_s);
  };
  if (variant.stores != "auto" || kernel.in_place || !tells_stores_apart(machine, kernel, variant))
    return model_of(kernel, variant);
  StencilVariant cached = variant, streaming = variant;
  cached.stores = "cached";
  streaming.stores = "streaming";
  return std::make_unique<FasterModel>(model_of(kernel, cached), model_of(kernel, streaming));
}

Prediction predict_stencil_refined(const StencilModel& model, const Machine& machine,
                                   const StencilKernel& kernel, const Decomposition& decomposition,
                                   const StencilVariant& variant, const RankPlacement& placement,
                                   const std::vector<RankKind>& kinds, const NoiseWait& noise) {
  Prediction prediction = predict_slowest(
      model, kinds, stencil_contention(machine, kernel, decomposition, placement, variant),
      decomposition.mean_cells());
  std::ptrdiff_t neighbours = 0;
  int dimensions = 0;
  for (const int parts : decomposition.ranks()) dimensions += parts > 1 ? 1 : 0;
  for (const RankKind& kind : kinds)
    neighbours = std::max(neighbours,
                          6 - std::count(kind.across.begin(), kind.across.end(), Across::nobody));
  if (neighbours > 0 && dimensions > 0)
    noise.add_to({.ranks = decomposition.size(),
                  .ranks_per_node = placement.ranks_per_node,
                  .times = 1,
                  .neighbours = static_cast<int>(neighbours),
                  .dimensions = dimensions,
                  .overlap = variant.overlap},
                 prediction);
  return prediction;
}

Prediction predict_stencil_refined(const Machine& machine, const StencilKernel& kernel,
                                   const Decomposition& decomposition,
                                   const StencilVariant& variant, const RankPlacement& placement,
                                   std::optional<double> cells_per_s,
                                   const std::vector<SolidWork>& solids) {
  const auto model = refined_stencil_model(machine, kernel, variant,
                                           ranks_on_node(decomposition, placement), cells_per_s);
  return predict_stencil_refined(*model, machine, kernel, decomposition, variant, placement,
                                 rank_kinds(decomposition, placement, solids), NoiseWait(machine));
}

}  // namespace bellwether
