// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "models/errors.hpp"
#include "models/stencil_faces.hpp"
#include "models/stencil_work.hpp"

namespace bellwether {
namespace {

using Extent = std::array<double, 3>;

double volume(const Extent& box) { return box[0] * box[1] * box[2]; }

/// Cells beyond the faces of a box: a stencil reads one layer of them.
double surface(const Extent& box) {
  return 2 * (box[0] * box[1] + box[1] * box[2] + box[2] * box[0]);
}

int sides(const RankKind& kind, int direction) {
  return (kind.across[2 * direction] != Across::nobody) +
         (kind.across[2 * direction + 1] != Across::nobody);
}

/// Adds the update of a box: each own value read and written once, of the cells beyond its faces
/// only what crosses the face.
void add_update(KernelWork& work, const StencilKernel& kernel, const Extent& box, double element) {
  if (volume(box) <= 0) return;
  work.rereads = kernel.rereads;
  work.cells += volume(box);
  work.bytes += (volume(box) * (kernel.read_values + kernel.written_values) +
                 surface(box) * kernel.halo_values) *
                element;
  ++work.launches;
}

void count_cells(KernelWork& work, const StencilKernel& kernel, double element) {
  work.flops = kernel.flops * work.cells;
  work.accessed_bytes = kernel.accessed_values * element * work.cells;
}

/// Cuts the subdomain into one-cell-thick slabs at its exchanged faces and the rest. z slabs are
/// full, y slabs leave out the z ones, x slabs both: the interior shrinks in between.
Extent cut_slabs(StencilWork& work, const StencilKernel& kernel, const RankKind& kind,
                 Extent interior, double element) {
  for (int direction = 2; direction >= 0; --direction) {
    Extent slab = interior;
    slab[direction] = 1;
    for (int side = sides(kind, direction); side > 0 && volume(interior) > 0; --side) {
      add_update(work.boundary, kernel, slab, element);
      interior[direction] -= 1;
    }
  }
  return interior;
}

/// Moving a face between the field and its message buffer.
void add_face(KernelWork& work, const StencilKernel& kernel, int direction, double cells,
              double element) {
  constexpr double cache_line = 64;
  const double values = cells * kernel.halo_values;
  work.cells += cells;
  // Faces across y and z are rows; of a face across x each cell lies in a line of its own.
  work.bytes += values * (direction == 0 ? cache_line + element : 2 * element);
  work.accessed_bytes += values * 2 * element;
  ++work.launches;
}

}  // namespace

double value_bytes(const std::string& precision) {
  if (precision == "f32") return 4;
  if (precision == "f64") return 8;
  throw BadInput(fmt::format("precision: found \"{}\", expected f32 or f64", precision));
}

std::vector<ExchangedFace> exchanged_faces(const Decomposition& decomposition, int rank) {
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

StencilWork stencil_work(const StencilKernel& kernel, const RankKind& kind, double element_bytes,
                         bool overlap) {
  StencilWork work;
  work.boundary.launches = work.interior.launches = work.faces.launches = 0;
  const Extent cells{static_cast<double>(kind.cells[0]), static_cast<double>(kind.cells[1]),
                     static_cast<double>(kind.cells[2])};
  work.working_set_bytes =
      (kernel.read_values + kernel.written_values) * volume(cells) * element_bytes;
  const Extent interior = overlap ? cut_slabs(work, kernel, kind, cells, element_bytes) : cells;
  add_update(work.interior, kernel, interior, element_bytes);
  count_cells(work.boundary, kernel, element_bytes);
  count_cells(work.interior, kernel, element_bytes);
  for (int face = 0; face < 6; ++face) {
    if (kind.across[face] == Across::nobody) continue;
    const double face_cells = kind.face_cells(face / 2);
    add_face(work.faces, kernel, face / 2, face_cells, element_bytes);
    work.message_bytes[face] = face_cells * kernel.halo_values * element_bytes;
    ++work.messages;
  }
  return work;
}

RankWorkload stencil_workload(const StencilKernel& kernel, const Decomposition& decomposition,
                              int rank, const StencilVariant& variant) {
  const RankKind kind = rank_kind(decomposition, {}, decomposition.coordinates(rank));
  const StencilWork work =
      stencil_work(kernel, kind, value_bytes(variant.precision), variant.overlap);
  RankWorkload workload;
  workload.rank = rank;
  workload.precision = variant.precision;
  workload.working_set_bytes = work.working_set_bytes;
  const auto add = [&workload](const char* term, const KernelWork& kernel_work) {
    workload.kernels.push_back(kernel_work);
    workload.kernels.back().term = term;
  };
  if (variant.overlap && work.messages > 0) add("compute.boundary", work.boundary);
  add("compute.interior", work.interior);
  if (work.messages > 0) {
    add("pack", work.faces);
    add("unpack", work.faces);
  }
  for (const ExchangedFace& face : exchanged_faces(decomposition, rank))
    workload.messages.push_back(
        {face.neighbour, work.message_bytes[2 * face.direction + face.side]});
  return workload;
}

}  // namespace bellwether
