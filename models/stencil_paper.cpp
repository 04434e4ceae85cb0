// SPDX-License-Identifier: MIT
#include <algorithm>

#include "models/kernel_time.hpp"
#include "models/link.hpp"
#include "models/placement.hpp"
#include "models/rank_prediction.hpp"
#include "models/roofline.hpp"
#include "models/stencil.hpp"
#include "models/stencil_faces.hpp"

namespace bellwether {
namespace {

double paper_link_time(const Machine& machine, const char* name, double bytes, Bound bound) {
  const auto link = machine.links.find(name);
  return link == machine.links.end() ? 0 : link_time_paper(link->second.one_way, bytes, bound);
}

/// s (1/B_pcie down + 1/B_pcie up) of Eq. 3, or both copies between host buffers on a CPU.
double copy_time(const Machine& machine, double bytes, Bound bound) {
  if (machine.device.kind != "gpu") return 2 * paper_link_time(machine, "staging", bytes, bound);
  return paper_link_time(machine, "device_to_host", bytes, bound) +
         paper_link_time(machine, "host_to_device", bytes, bound);
}

/// 2 g s / B_net(s) of Eq. 3. Ranks that share memory do not share a network card: g = 1.
double network_time(const Path& path, const StencilKernel& kernel, int on_node, double bytes,
                    Bound bound) {
  const Link& link = *path.link;
  const bool aligned = kernel.paper_aligned_buffers || !link.unaligned;
  const int sharing = path.name == "network" ? on_node : 1;
  return 2 * sharing * link_time_paper(aligned ? link.one_way : *link.unaligned, bytes, bound);
}

}  // namespace

Prediction predict_stencil_paper(const Machine& machine, const StencilKernel& kernel,
                                 const Decomposition& decomposition, const StencilVariant& variant,
                                 const RankPlacement& placement,
                                 std::optional<double> cells_per_s) {
  const double element = value_bytes(variant.precision);
  const int on_node = ranks_on_node(decomposition, placement);
  const auto step = [&](int rank, Bound bound) {
    RankStep result;
    double cell_time = 0;
    if (cells_per_s) {
      cell_time = 1 / *cells_per_s;
    } else {
      const Quantity peak = peak_flops(machine.device, variant.precision, result.notes);
      const Roofline device{rate_at(peak, bound),
                            rate_at(machine.device.memory_bandwidth_bytes_per_s, bound)};
      cell_time = roofline_time(device, kernel.flops, kernel.accessed_values * element);
    }
    const std::array<int, 3> local = decomposition.local_cells(rank);
    const double compute = cell_time * local[0] * local[1] * local[2];
    double network = 0;
    double copy = 0;
    for (const ExchangedFace& face : exchanged_faces(decomposition, rank)) {
      const double bytes = face.cells * kernel.paper_halo_values * element;
      const Path path = path_between(machine, placement, rank, face.neighbour);
      network += network_time(path, kernel, on_node, bytes, bound);
      if (variant.staged) copy += copy_time(machine, bytes, bound);
    }
    // Eq. 4: max(V/P, C) = V/P + the part of C beyond it, shared out over C's terms.
    const double communication = network + copy;
    const double hidden = variant.overlap ? std::min(compute, communication) : 0;
    result.hidden_fraction = communication > 0 ? hidden / communication : 0;
    result.communication_s = communication;
    result.hiding_s = compute;
    const double exposed = 1 - result.hidden_fraction;
    result.terms.add("compute.interior", compute);
    if (communication > 0) {
      result.terms.add("network", exposed * network);
      if (copy > 0) result.terms.add("copy", exposed * copy);
    }
    return result;
  };
  return slowest_rank("paper", distinct_ranks(decomposition, placement), step);
}

}  // namespace bellwether
