// SPDX-License-Identifier: MIT
#include "models/stencil/stencil_paper.hpp"

#include <algorithm>

#include "models/network/link.hpp"
#include "models/network/paths.hpp"
#include "models/roofline/roofline.hpp"
#include "models/workload.hpp"

namespace bellwether {
namespace {

struct PaperTimes {
  double compute = 0;
  double network = 0;
  double copy = 0;

  [[nodiscard]] double communication() const { return network + copy; }
  /// Eq. 4: max(V/P, C) = V/P + the part of C beyond it, shared out over C's terms.
  [[nodiscard]] double hidden_fraction(bool overlap) const {
    if (!overlap || communication() <= 0) return 0;
    return std::min(compute, communication()) / communication();
  }
};

class PaperModel final : public StencilModel {
 public:
  PaperModel(const Machine& machine, const StencilKernel& kernel, const StencilVariant& variant,
             int ranks_on_node, std::optional<double> cells_per_s)
      : machine_(machine),
        paths_(machine, {ranks_on_node},
               variant.staged ? MessageMemory::host : MessageMemory::device),
        kernel_(kernel),
        element_(value_bytes(variant.precision)),
        staged_(variant.staged),
        overlap_(variant.overlap),
        on_node_(ranks_on_node),
        cells_per_s_(cells_per_s) {
    if (!cells_per_s_) peak_ = peak_flops(machine.device, variant.precision, notes_);
    for (const Across across : {Across::same_node, Across::other_node})
      if (paths_.has(across)) routes_[static_cast<int>(across)] = route_to(across);
    if (!staged_) return;
    to_host_ = paths_.to_host();
    to_device_ = paths_.to_device();
  }

  [[nodiscard]] const char* form() const override { return "paper"; }

  [[nodiscard]] double seconds(const RankKind& kind) const override {
    const PaperTimes times = at(kind, Bound::value);
    const double exposed = 1 - times.hidden_fraction(overlap_);
    return times.compute + exposed * times.network + exposed * times.copy;
  }

  [[nodiscard]] RankStep step(const RankKind& kind, Bound bound, double) const override {
    const PaperTimes times = at(kind, bound);
    RankStep result;
    result.hidden_fraction = times.hidden_fraction(overlap_);
    result.communication_s = times.communication();
    result.hiding_s = times.compute;
    const double exposed = 1 - result.hidden_fraction;
    result.terms.add("compute.interior", times.compute);
    if (times.communication() > 0) {
      result.terms.add("network", exposed * times.network);
      if (times.copy > 0) result.terms.add("copy", exposed * times.copy);
    }
    if (bound == Bound::value) result.notes = notes_;
    if (bound != Bound::value || times.communication() == 0) return result;
    if (staged_) paths_.note_copies(result.notes);
    for (const Across across : kind.across)
      if (across != Across::nobody) Paths::note_path(paths_.to(across), result.notes);
    return result;
  }

 private:
  [[nodiscard]] PaperTimes at(const RankKind& kind, Bound bound) const {
    PaperTimes times;
    times.compute = cell_time(bound) * kind.cells[0] * kind.cells[1] * kind.cells[2];
    for (int face = 0; face < 6; ++face) {
      if (kind.across[face] == Across::nobody) continue;
      const double bytes = kind.face_cells(face / 2) * kernel_.paper_halo_values * element_;
      times.network += network_time(kind.across[face], bytes, bound);
      times.copy += copy_time(bytes, bound);
    }
    return times;
  }

  [[nodiscard]] double cell_time(Bound bound) const {
    if (cells_per_s_) return 1 / *cells_per_s_;
    const Roofline device{rate_at(peak_, bound),
                          rate_at(machine_.device.memory_bandwidth_bytes_per_s, bound)};
    return roofline_time(device, kernel_.paper_flops, kernel_.accessed_values * element_);
  }

  /// s (1/B_pcie down + 1/B_pcie up) of Eq. 3, or both copies between host buffers on a CPU.
  [[nodiscard]] double copy_time(double bytes, Bound bound) const {
    double sum = 0;
    if (to_host_ != nullptr) sum += link_time_paper(*to_host_, bytes, bound);
    if (to_device_ != nullptr) sum += link_time_paper(*to_device_, bytes, bound);
    return sum;
  }

  /// 2 g s / B_net(s) of Eq. 3. Ranks that share memory do not share a network card: g = 1.
  [[nodiscard]] double network_time(Across across, double bytes, Bound bound) const {
    const std::optional<Route>& route = routes_[static_cast<int>(across)];
    if (!route) (void)paths_.to(across);  // says what is missing
    return route->times * link_time_paper(*route->timing, bytes, bound);
  }

  struct Route {
    const LinkTiming* timing;
    double times;  ///< 2 g
  };

  [[nodiscard]] Route route_to(Across across) const {
    const Path path = paths_.to(across);
    const bool aligned = kernel_.paper_aligned_buffers || !path.link->unaligned;
    return {aligned ? &path.link->one_way : &*path.link->unaligned,
            path.name == "network" ? 2.0 * on_node_ : 2.0};
  }

  const Machine& machine_;
  Paths paths_;
  const StencilKernel& kernel_;
  double element_;
  bool staged_;
  bool overlap_;
  int on_node_;
  std::optional<double> cells_per_s_;
  Quantity peak_;
  std::vector<std::string> notes_;
  std::array<std::optional<Route>, 3> routes_;  ///< by Across
  const LinkTiming* to_host_ = nullptr;
  const LinkTiming* to_device_ = nullptr;
};

}  // namespace

std::unique_ptr<StencilModel> paper_stencil_model(const Machine& machine,
                                                  const StencilKernel& kernel,
                                                  const StencilVariant& variant, int ranks_on_node,
                                                  std::optional<double> cells_per_s) {
  return std::make_unique<PaperModel>(machine, kernel, variant, ranks_on_node, cells_per_s);
}

Prediction predict_stencil_paper(const Machine& machine, const StencilKernel& kernel,
                                 const Decomposition& decomposition, const StencilVariant& variant,
                                 const RankPlacement& placement,
                                 std::optional<double> cells_per_s) {
  const auto model = paper_stencil_model(machine, kernel, variant,
                                         ranks_on_node(decomposition, placement), cells_per_s);
  return predict_slowest(*model, rank_kinds(decomposition, placement), 0,
                         decomposition.mean_cells());
}

}  // namespace bellwether
