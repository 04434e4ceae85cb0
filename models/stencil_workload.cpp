// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "models/errors.hpp"
#include "models/stencil.hpp"
#include "models/stencil_faces.hpp"

namespace bellwether {
namespace {

using Extent = std::array<double, 3>;

double volume(const Extent& box) { return box[0] * box[1] * box[2]; }

/// Cells that a one-wide stencil reads for a box: its own and one layer beyond each face.
double footprint(const Extent& box) {
  return volume(box) + 2 * (box[0] * box[1] + box[1] * box[2] + box[2] * box[0]);
}

/// The subdomain cut into one-cell-thick slabs at its exchanged faces and the rest.
struct Division {
  std::vector<Extent> slabs;
  Extent interior;
};

Division divide(const Extent& cells, const std::vector<ExchangedFace>& faces) {
  Division division{{}, cells};
  // z slabs are full, y slabs leave out the z ones, x slabs both: the interior shrinks in between.
  for (int direction = 2; direction >= 0; --direction) {
    const auto sides = std::count_if(faces.begin(), faces.end(), [direction](const auto& face) {
      return face.direction == direction;
    });
    Extent slab = division.interior;
    slab[direction] = 1;
    for (int side = 0; side < sides && volume(division.interior) > 0; ++side) {
      division.slabs.push_back(slab);
      division.interior[direction] -= 1;
    }
  }
  return division;
}

KernelWork update(const StencilKernel& kernel, const char* term, const std::vector<Extent>& boxes,
                  double element) {
  KernelWork work{.term = term, .rereads = kernel.rereads, .launches = 0};
  for (const Extent& box : boxes) {
    if (volume(box) <= 0) continue;
    work.cells += volume(box);
    work.bytes +=
        (footprint(box) * kernel.read_values + volume(box) * kernel.written_values) * element;
    ++work.launches;
  }
  work.flops = kernel.flops * work.cells;
  work.accessed_bytes = kernel.accessed_values * element * work.cells;
  return work;
}

/// Moving all faces between the field and the message buffers, one launch a face.
KernelWork move_faces(const StencilKernel& kernel, const char* term,
                      const std::vector<ExchangedFace>& faces, double element) {
  constexpr double cache_line = 64;
  KernelWork work{.term = term, .launches = static_cast<int>(faces.size())};
  for (const ExchangedFace& face : faces) {
    const double values = face.cells * kernel.halo_values;
    work.cells += face.cells;
    // Faces across y and z are rows; of a face across x each cell lies in a line of its own.
    work.bytes += values * (face.direction == 0 ? cache_line + element : 2 * element);
    work.accessed_bytes += values * 2 * element;
  }
  return work;
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

RankWorkload stencil_workload(const StencilKernel& kernel, const Decomposition& decomposition,
                              int rank, const StencilVariant& variant) {
  const double element = value_bytes(variant.precision);
  const std::array<int, 3> local = decomposition.local_cells(rank);
  const Extent cells{static_cast<double>(local[0]), static_cast<double>(local[1]),
                     static_cast<double>(local[2])};
  const std::vector<ExchangedFace> faces = exchanged_faces(decomposition, rank);

  RankWorkload workload;
  workload.rank = rank;
  workload.precision = variant.precision;
  workload.working_set_bytes =
      (kernel.read_values + kernel.written_values) * volume(cells) * element;
  if (variant.overlap && !faces.empty()) {
    const Division division = divide(cells, faces);
    workload.kernels.push_back(update(kernel, "compute.boundary", division.slabs, element));
    workload.kernels.push_back(update(kernel, "compute.interior", {division.interior}, element));
  } else {
    workload.kernels.push_back(update(kernel, "compute.interior", {cells}, element));
  }
  if (!faces.empty()) {
    workload.kernels.push_back(move_faces(kernel, "pack", faces, element));
    workload.kernels.push_back(move_faces(kernel, "unpack", faces, element));
  }
  for (const ExchangedFace& face : faces)
    workload.messages.push_back({face.neighbour, face.cells * kernel.halo_values * element});
  return workload;
}

}  // namespace bellwether
