// SPDX-License-Identifier: MIT
#include "models/stencil/stencil_work.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "models/workload.hpp"

namespace bellwether {
namespace {

using Extent = std::array<double, 3>;

constexpr double cache_line = 64;  // bytes

double volume(const Extent& box) { return box[0] * box[1] * box[2]; }

/// Cells beyond the faces of a box: a stencil reads one layer of them.
double surface(const Extent& box) {
  return 2 * (box[0] * box[1] + box[1] * box[2] + box[2] * box[0]);
}

/// Values of a cell that are kept.
double held_values(const StencilKernel& kernel) {
  return kernel.read_values + (kernel.in_place ? 0 : kernel.written_values);
}

int sides(const RankKind& kind, int direction) {
  return (kind.across[2 * direction] != Across::nobody) +
         (kind.across[2 * direction + 1] != Across::nobody);
}

/// Adds the update of a box: each own value read and written once, of the cells beyond its faces
/// only what crosses the face. In place no two cells share a value, and rows that do not wrap have
/// gaps between them.
void add_update(KernelWork& work, const StencilKernel& kernel, const Extent& box, double element,
                bool x_split) {
  if (volume(box) <= 0) return;
  const double beyond = kernel.in_place ? 0 : surface(box) * kernel.halo_values;
  work.rereads = kernel.rereads;
  work.cells += volume(box);
  work.flops = kernel.flops * work.cells;
  work.bytes += (volume(box) * (kernel.read_values + kernel.written_values) + beyond) * element;
  work.rows += box[1] * box[2];
  const bool broken = std::fmod(box[0] * element, kernel.whole_row_bytes) != 0;
  if (broken || (kernel.in_place && x_split)) work.broken_rows += box[1] * box[2];
  ++work.launches;
}

/// Cuts the subdomain into one-cell-thick slabs at its exchanged faces and the rest. z slabs are
/// full, y slabs leave out the z ones, x slabs both: the interior shrinks in between.
Extent cut_slabs(StencilWork& work, const StencilKernel& kernel, const RankKind& kind,
                 Extent interior, double element) {
  for (int direction = 2; direction >= 0; --direction) {
    Extent slab = interior;
    slab[direction] = 1;
    for (int side = sides(kind, direction); side > 0 && volume(interior) > 0; --side) {
      add_update(work.boundary, kernel, slab, element, kind.is_split(0));
      interior[direction] -= 1;
    }
  }
  return interior;
}

/// Of cells some of which are solid those are updated that share a cache line in x with a fluid
/// one: of each wall across x on the average half a line's more than are fluid. Of all cells is
/// looked up which are.
void leave_out_solid(StencilWork& work, const RankKind& kind, double element) {
  constexpr double mask_bytes = 1;
  const SolidWork& solid = *kind.solid;
  const double beside = solid.walls_x * (cache_line / element - 1) / 2;
  const double share = std::min(1., (solid.fluid_cells + beside) / kind.volume());
  const bool looks_up = solid.fluid_cells < 0.995 * kind.volume();  // counted in a smaller picture
  for (KernelWork* part : {&work.boundary, &work.interior}) {
    part->bytes = share * part->bytes + (looks_up ? mask_bytes * part->cells : 0);
    part->cells *= share;
    part->flops *= share;
  }
  work.link_lines = solid.link_lines;
}

/// Values of the message across a face. Of the populations that lean to either side of another
/// split direction a row each crosses an edge, and goes in the edge's message.
double face_values(const StencilKernel& kernel, const RankKind& kind, int direction) {
  double values = kind.face_cells(direction) * kernel.halo_values;
  for (const int other : {(direction + 1) % 3, (direction + 2) % 3}) {
    const int along = 3 - direction - other;
    if (kind.is_split(other)) values -= 2 * kernel.edge_values * kind.cells[along];
  }
  return values;
}

/// Moving values between the field and a message buffer: rows, or each value in a line of its own.
void add_packed(StencilWork& work, double cells, double values, bool rows, double element) {
  work.faces.cells += cells;
  work.faces.bytes += values * (rows ? 2 * element : cache_line + element);
  work.sent_bytes += values * element;
}

/// One value a cell across z: a plane of the field, whose rows begin at cache lines and have a
/// ghost cell at either end.
double plane_bytes(const RankKind& kind, double element) {
  const double row = std::ceil((kind.cells[0] + 2) * element / cache_line) * cache_line;
  return (kind.cells[1] - 1) * row + kind.cells[0] * element;
}

/// Direct halos pack no planes.
void add_faces(StencilWork& work, const StencilKernel& kernel, const RankKind& kind, double element,
               bool staged) {
  for (int face = 0; face < 6; ++face) {
    if (kind.across[face] == Across::nobody) continue;
    const int direction = face / 2;
    ++work.messages;
    if (direction == 2 && kernel.halo_values == 1 && !staged) {
      work.message_bytes[face] = plane_bytes(kind, element);
      work.sent_bytes += work.message_bytes[face];
      continue;
    }
    const double values = face_values(kernel, kind, direction);
    add_packed(work, kind.face_cells(direction), values, direction != 0, element);
    work.message_bytes[face] = values * element;
  }
}

void add_edges(StencilWork& work, const StencilKernel& kernel, const RankKind& kind,
               double element) {
  if (kernel.edge_values <= 0) return;
  for (int along = 0; along < 3; ++along) {
    EdgeMessages& edges = work.edges[along];
    const int first = 2 * ((along + 1) % 3), second = 2 * ((along + 2) % 3);
    for (const auto& [face, other] : {std::pair{first, second},
                                      {first, second + 1},
                                      {first + 1, second},
                                      {first + 1, second + 1}}) {
      edges.same_node += kind.across_edge(face, other) == Across::same_node;
      edges.other_node += kind.across_edge(face, other) == Across::other_node;
    }
    if (edges.count() == 0) continue;
    const double values = kernel.edge_values * kind.cells[along];
    edges.bytes = values * element;
    add_packed(work, edges.count() * kind.cells[along], edges.count() * values, along == 0,
               element);
  }
}

}  // namespace

StencilKernel lattice_boltzmann() {
  constexpr double intensity = 1.83;  // flop/byte, Section 6.2.2
  constexpr double f32_bytes = 4;
  StencilKernel kernel;
  kernel.name = "lbm";
  kernel.flops = kernel.paper_flops = 476;
  kernel.accessed_values = kernel.paper_flops / intensity / f32_bytes;
  kernel.read_values = 19;
  kernel.written_values = 19;
  kernel.in_place = true;
  kernel.arrays = 19;
  kernel.fetches_ahead = true;
  kernel.whole_row_bytes = 32;  // rows that wrap stand without a gap where their pitch is so
  kernel.halo_values = 5;
  kernel.edge_values = 1;
  kernel.paper_halo_values = 13;
  kernel.paper_aligned_buffers = false;
  return kernel;
}

double stencil_bytes(const StencilKernel& kernel, const Decomposition& decomposition,
                     const std::string& precision) {
  double cells = 1;  // rank 0 has the most in each direction
  for (const int along : decomposition.local_cells(0)) cells *= along;
  return held_values(kernel) * cells * value_bytes(precision);
}

StencilWork stencil_work(const StencilKernel& kernel, const RankKind& kind,
                         const StencilVariant& variant) {
  const double element_bytes = value_bytes(variant.precision);
  StencilWork work;
  work.boundary.launches = work.interior.launches = 0;
  const Extent cells{static_cast<double>(kind.cells[0]), static_cast<double>(kind.cells[1]),
                     static_cast<double>(kind.cells[2])};
  work.working_set_bytes = held_values(kernel) * volume(cells) * element_bytes;
  const Extent interior =
      variant.overlap ? cut_slabs(work, kernel, kind, cells, element_bytes) : cells;
  add_update(work.interior, kernel, interior, element_bytes, kind.is_split(0));
  if (kind.solid) leave_out_solid(work, kind, element_bytes);
  add_faces(work, kernel, kind, element_bytes, variant.staged);
  add_edges(work, kernel, kind, element_bytes);
  work.faces.launches = work.faces.cells > 0 ? 1 : 0;
  return work;
}

std::vector<StencilMessage> stencil_messages(const StencilKernel& kernel,
                                             const Decomposition& decomposition, int rank,
                                             const StencilVariant& variant) {
  constexpr RankPlacement apart{1};  // who shares a node does not change what is sent
  const RankKind kind = rank_kind(decomposition, apart, decomposition.coordinates(rank));
  const StencilWork work = stencil_work(kernel, kind, variant);
  const auto side_of = [](int face) { return face % 2 == 0 ? -1 : 1; };
  std::vector<StencilMessage> messages;
  for (int face = 0; face < 6; ++face) {
    if (kind.across[face] == Across::nobody) continue;
    StencilMessage message{
        decomposition.neighbour(rank, face / 2, face % 2), {}, work.message_bytes[face]};
    message.shift[face / 2] = side_of(face);
    messages.push_back(message);
  }
  for (int along = 0; along < 3; ++along) {
    if (work.edges[along].count() == 0) continue;
    const int first = (along + 1) % 3, second = (along + 2) % 3;
    for (const int face : {2 * first, 2 * first + 1}) {
      for (const int other : {2 * second, 2 * second + 1}) {
        if (kind.across_edge(face, other) == Across::nobody) continue;
        const int beside = decomposition.neighbour(rank, first, face % 2);
        StencilMessage message{
            decomposition.neighbour(beside, second, other % 2), {}, work.edges[along].bytes};
        message.shift[first] = side_of(face);
        message.shift[second] = side_of(other);
        messages.push_back(message);
      }
    }
  }
  return messages;
}

}  // namespace bellwether
