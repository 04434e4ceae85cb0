// SPDX-License-Identifier: MIT
#include "miniapps/stencil/grid_parts.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "miniapps/diffusion/diffusion_problem.hpp"
#include "models/stencil/stencil_workload_test.hpp"

namespace bellwether {
namespace {

/// How often each cell of the subdomain lies in one of the boxes.
class Coverage {
 public:
  explicit Coverage(std::array<int, 3> cells)
      : cells_(cells), times_(static_cast<std::size_t>(cells[0]) * cells[1] * cells[2]) {}
  void add(const Box& box) {
    for (int k = box.low[2]; k < box.high[2]; ++k)
      for (int j = box.low[1]; j < box.high[1]; ++j)
        for (int i = box.low[0]; i < box.high[0]; ++i)
          ++times_.at(i + cells_[0] * (j + static_cast<std::size_t>(cells_[1]) * k));
  }
  [[nodiscard]] bool all_once() const {
    return std::all_of(times_.begin(), times_.end(), [](int times) { return times == 1; });
  }

 private:
  std::array<int, 3> cells_;
  std::vector<int> times_;
};

const KernelWork& kernel_of(const RankWorkload& workload, const char* term) {
  return *std::find_if(workload.kernels.begin(), workload.kernels.end(),
                       [term](const TermWork& kernel) { return kernel.term == term; });
}

void expect_parts_as_modelled(const Decomposition& decomposition, int rank, Cut cut) {
  const auto faces = halo_faces(decomposition, rank);
  const GridParts parts = split_for_overlap(decomposition.local_cells(rank), faces, cut);
  Coverage whole(decomposition.local_cells(rank)), in_parts(decomposition.local_cells(rank));
  whole.add(parts.interior);
  double boundary_cells = 0;
  for (const Box& slab : parts.boundary) {
    whole.add(slab);
    in_parts.add(slab);
    boundary_cells += static_cast<double>(slab.cells());
  }
  for (const Box& part : parts.interior_parts) in_parts.add(part);
  Coverage in_order(decomposition.local_cells(rank));
  for (const Box& part : parts.parts) in_order.add(part);
  EXPECT_TRUE(in_order.all_once());
  EXPECT_TRUE(whole.all_once());
  EXPECT_TRUE(in_parts.all_once());

  // Nothing that a neighbour waits for is left to the interior.
  for (const HaloFace& face : faces)
    for (int d = 0; d < 3; ++d)
      EXPECT_TRUE(parts.interior.empty() || face.send.high[d] <= parts.interior.low[d] ||
                  face.send.low[d] >= parts.interior.high[d] || d != face.direction);

  const RankWorkload workload =
      stencil_workload(diffusion_stencil(), decomposition, rank, {"f32", true, true, "cached"});
  EXPECT_EQ(kernel_of(workload, "compute.interior").cells,
            static_cast<double>(parts.interior.cells()));
  if (faces.empty()) {
    EXPECT_TRUE(parts.boundary.empty());
    return;
  }
  const KernelWork& boundary = kernel_of(workload, "compute.boundary");
  EXPECT_EQ(boundary.cells, boundary_cells);
  EXPECT_EQ(boundary.launches, static_cast<int>(parts.boundary.size()));
}

TEST(GridParts, AreDisjointAndCompleteAndThoseOfTheModel) {
  for (const std::array<int, 3> cells :
       {std::array{4, 4, 4}, {9, 7, 5}, {3, 6, 4}, {20, 80, 6}, {5, 4, 300}}) {
    for (const int ranks : {1, 2, 3, 4, 6, 8, 12, 16, 27}) {
      for (const auto& shape : factorizations(ranks, cells)) {
        for (const bool periodic : {false, true}) {
          const Decomposition decomposition(cells, shape, periodic);
          SCOPED_TRACE(decomposition.name() + (periodic ? " periodic" : " walled"));
          for (int rank = 0; rank < decomposition.size(); ++rank)
            for (const Cut cut : {Cut::rows, Cut::planes})
              expect_parts_as_modelled(decomposition, rank, cut);
        }
      }
    }
  }
}

TEST(GridParts, InteriorIsCutInAtMostEightPartsOfSixteenRows) {
  const auto parts_of = [](std::array<int, 3> cells, Cut cut, int direction) {
    std::vector<int> extents;
    for (const Box& part : split_for_overlap(cells, {}, cut).interior_parts) {
      extents.push_back(part.extent(direction));
      for (int other = 0; other < 3; ++other)
        EXPECT_TRUE(other == direction || part.extent(other) == cells[other]);
    }
    return extents;
  };
  EXPECT_EQ(parts_of({8, 32, 8}, Cut::rows, 1), (std::vector{16, 16}));
  EXPECT_EQ(parts_of({8, 50, 20}, Cut::rows, 1), (std::vector{16, 17, 17}));
  EXPECT_EQ(parts_of({8, 1000, 1000}, Cut::rows, 1), (std::vector<int>(8, 125)));
  EXPECT_EQ(parts_of({8, 31, 31}, Cut::rows, 2), (std::vector{31}));
  EXPECT_EQ(parts_of({8, 8, 32}, Cut::rows, 2), (std::vector{16, 16}));

  EXPECT_EQ(parts_of({8, 1000, 1000}, Cut::planes, 2), (std::vector<int>(8, 125)));
  EXPECT_EQ(parts_of({8, 16, 3}, Cut::planes, 2), (std::vector{1, 1, 1}));
  EXPECT_EQ(parts_of({8, 15, 5}, Cut::planes, 2), (std::vector{2, 3}));
  EXPECT_EQ(parts_of({8, 1, 31}, Cut::planes, 2), (std::vector{31}));
}

}  // namespace
}  // namespace bellwether
