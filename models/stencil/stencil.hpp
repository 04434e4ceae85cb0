// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/machine/machine.hpp"
#include "models/prediction.hpp"
#include "models/stencil/decomposition.hpp"
#include "models/stencil/rank_kind.hpp"
#include "models/workload.hpp"

namespace bellwether {

/// A stencil application as the models see it; per cell and step.
struct StencilKernel {
  std::string name;
  double flops = 0;            ///< of our kernel: the refined form's
  double paper_flops = 0;      ///< as the paper counts them
  double accessed_values = 0;  ///< every access, as the paper counts them (diffusion: 8)
  double read_values = 0;      ///< compulsory, of the cell itself (diffusion: 1)
  double written_values = 0;   ///< compulsory (diffusion: 1)
  double rereads = 0;          ///< rows of neighbours found again in cache (diffusion: 4)
  bool in_place = false;       ///< written where it was read; no place is two cells'
  int arrays = 1;              ///< gone through at once
  /// On a CPU our kernel asks for its lines long before it needs them, so that its arithmetic runs
  /// while they are under way.
  bool fetches_ahead = false;
  double halo_values = 0;  ///< values sent per cell of a face (diffusion: 1)
  /// Values sent per cell of an edge between two directions that are split, in a message of its
  /// own; the edge's faces, two each, leave them out (diffusion: 0).
  double edge_values = 0;
  double paper_halo_values = 0;       ///< the same as the paper counts them (LBM: 13)
  bool paper_aligned_buffers = true;  ///< the paper's runs used page-aligned buffers
};

/// How the step is executed.
struct StencilVariant {
  std::string precision = "f32";
  bool overlap = false;
  bool staged = true;           ///< halos pass through host memory
  std::string stores = "auto";  ///< "cached", "streaming", or "auto": the faster of both
};

/// Device memory of the rank with most cells: its fields, of which one written in place is one.
double stencil_bytes(const StencilKernel& kernel, const Decomposition& decomposition,
                     const std::string& precision);

/// Shimokawabe, Eq. 1-5 on the real decomposition: T = V/P + C, or max(V/P, C) with overlap, where
/// C = sum_j s_j (2 g / B_net(s_j) + 2 / B_pcie(s_j)). P comes from the Improved Roofline (Eq. 1,
/// alpha = 0, every access counted) unless `cells_per_s` gives a measured rate of one rank.
/// Terms: compute.interior, network, copy (both directions). Of the slowest rank
/// (models/stencil/rank_kind.hpp).
Prediction predict_stencil_paper(const Machine& machine, const StencilKernel& kernel,
                                 const Decomposition& decomposition, const StencilVariant& variant,
                                 const RankPlacement& placement,
                                 std::optional<double> cells_per_s = {});

/// The refined form: T = T_boundary + T_pack + T_to_host + (T_interior + T_net - hidden) +
/// T_to_device + T_unpack with hidden = min(T_interior, h T_net), h the link's hideable share;
/// on a GPU with overlap both copies run beside the interior, T_net is T_to_host + T_net +
/// T_to_device, and its exposed part is the term network;
/// compute as in kernel_time, from the measured bandwidth at the kernel's working set and the
/// arithmetic; links in segments, sharing as measured. Terms as in the design. Of the slowest rank
/// (models/stencil/rank_kind.hpp).
Prediction predict_stencil_refined(const Machine& machine, const StencilKernel& kernel,
                                   const Decomposition& decomposition,
                                   const StencilVariant& variant, const RankPlacement& placement,
                                   std::optional<double> cells_per_s = {});

/// The factorization of `ranks` that the refined form (the paper form, where the machine has no
/// measured memory curves) predicts fastest; among equals least_surface, then the first of
/// factorizations. Throws BadInput if there is none.
std::array<int, 3> fastest_decomposition(const Machine& machine, const StencilKernel& kernel,
                                         std::array<int, 3> cells, int ranks, bool periodic,
                                         const StencilVariant& variant,
                                         const RankPlacement& placement);

}  // namespace bellwether
