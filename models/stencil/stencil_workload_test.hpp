// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "models/stencil/stencil_work.hpp"
#include "models/workload.hpp"

namespace bellwether {

/// One message of a step between a rank and a neighbour: `bytes` out and as many in.
struct Message {
  int neighbour = 0;
  double bytes = 0;
};

/// A kernel of a step by the term that its time is in.
struct TermWork : KernelWork {
  std::string term;  ///< compute.interior, compute.boundary, pack, unpack
};

/// What one step of one rank does, as the models count it.
struct RankWorkload {
  int rank = 0;
  std::vector<TermWork> kernels;
  std::vector<Message> messages;
  double working_set_bytes = 0;  ///< what the update of all cells touches
  std::string precision;         ///< "f32" or "f64"
};

/// A face of a rank's subdomain whose cells are exchanged with a neighbour.
struct ExchangedFace {
  int direction;
  int side;  ///< 0 low, 1 high
  int neighbour;
  double cells;
};

/// In the order x low, x high, y low, ...
inline std::vector<ExchangedFace> exchanged_faces(const Decomposition& decomposition, int rank) {
  std::vector<ExchangedFace> faces;
  for (int direction = 0; direction < 3; ++direction) {
    for (int side = 0; side < 2; ++side) {
      const int neighbour = decomposition.neighbour(rank, direction, side);
      if (neighbour < 0) continue;
      const auto cells = static_cast<double>(decomposition.face_cells(rank, direction));
      faces.push_back({direction, side, neighbour, cells});
    }
  }
  return faces;
}

/// One step of one rank: compute.boundary and compute.interior (all cells in compute.interior where
/// nothing is exchanged or overlap is off), pack and unpack where faces are packed.
inline RankWorkload stencil_workload(const StencilKernel& kernel,
                                     const Decomposition& decomposition, int rank,
                                     const StencilVariant& variant) {
  const RankKind kind = rank_kind(decomposition, {}, decomposition.coordinates(rank));
  const StencilWork work = stencil_work(kernel, kind, variant);
  RankWorkload workload;
  workload.rank = rank;
  workload.precision = variant.precision;
  workload.working_set_bytes = work.working_set_bytes;
  const auto add = [&workload](const char* term, const KernelWork& kernel_work) {
    workload.kernels.push_back({kernel_work, term});
  };
  if (variant.overlap && work.messages > 0) add("compute.boundary", work.boundary);
  add("compute.interior", work.interior);
  if (work.faces.launches > 0) {
    add("pack", work.faces);
    add("unpack", work.faces);
  }
  for (const ExchangedFace& face : exchanged_faces(decomposition, rank))
    workload.messages.push_back(
        {face.neighbour, work.message_bytes[2 * face.direction + face.side]});
  for (int along = 0; along < 3; ++along) {
    if (work.edges[along].count() == 0) continue;
    const int first = (along + 1) % 3, second = (along + 2) % 3;
    for (int edge = 0; edge < 4; ++edge) {
      const int beside = decomposition.neighbour(rank, first, edge % 2);
      const int across = beside < 0 ? -1 : decomposition.neighbour(beside, second, edge / 2);
      if (across >= 0) workload.messages.push_back({across, work.edges[along].bytes});
    }
  }
  return workload;
}

}  // namespace bellwether
