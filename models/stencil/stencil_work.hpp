// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <string>
#include <vector>

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
  /// Where a row is a multiple of it, no row's end is updated by itself on a CPU.
  double whole_row_bytes = 64;
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

/// D3Q19 lattice Boltzmann as the models see it. Counted as the paper counts (Shimokawabe, Section
/// 6.2): 476 flops a cell, F/B of 1.83 in f32, 13 values sent for each boundary point from buffers
/// off the page. Compulsory are the 19 populations read and the 19 written, in the same places of
/// one lattice; across a face go the 5 that move through it (1 straight, 4 diagonal), less those
/// that cross an edge too: these, 1 a cell and way, have a message of their own. Whoever has a
/// kernel whose flops are other than the paper's replaces `flops`.
StencilKernel lattice_boltzmann();

/// Messages across the edges that run along a direction: how many go to ranks of the same node and
/// of another, and what each bears.
struct EdgeMessages {
  double bytes = 0;
  int same_node = 0;
  int other_node = 0;

  [[nodiscard]] int count() const { return same_node + other_node; }
};

/// One step of a rank of a kind, in numbers. Kernels that the step lacks have no launches.
struct StencilWork {
  KernelWork boundary;  ///< a launch for each slab, as a CPU goes through them
  KernelWork interior;
  KernelWork faces;                       ///< pack, and unpack just as well: a launch, if any
  std::array<double, 6> message_bytes{};  ///< x low, x high, y low, ...; 0 where nobody is across
  std::array<EdgeMessages, 3> edges{};    ///< along x, y and z
  double link_lines = 0;                  ///< of SolidWork; both ends move before any cell
  int messages = 0;                       ///< of faces
  double sent_bytes = 0;                  ///< in all messages; as many are received
  double working_set_bytes = 0;
};

StencilWork stencil_work(const StencilKernel& kernel, const RankKind& kind,
                         const StencilVariant& variant);

/// A message of a step from a rank to the one `shift` away in the grid of ranks, which sends as
/// much back.
struct StencilMessage {
  int peer;
  std::array<int, 3> shift;  ///< -1, 0 or 1 in each direction
  double bytes;
};

/// All messages that a rank sends in a step: faces, then edges.
std::vector<StencilMessage> stencil_messages(const StencilKernel& kernel,
                                             const Decomposition& decomposition, int rank,
                                             const StencilVariant& variant);

/// Device memory of the rank with most cells: its fields, of which one written in place is one.
double stencil_bytes(const StencilKernel& kernel, const Decomposition& decomposition,
                     const std::string& precision);

}  // namespace bellwether
