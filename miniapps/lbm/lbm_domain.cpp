// SPDX-License-Identifier: MIT
#include "miniapps/lbm/lbm_domain.hpp"

#include <fmt/format.h>

#include "miniapps/comm/device_checks.hpp"
#include "miniapps/lbm/lbm_geometry.hpp"
#include "miniapps/lbm/lbm_solid_work.hpp"

namespace bellwether {
namespace {

constexpr const char* what_needs_memory = "the lattice, its solid cells and the halo buffers";

}  // namespace

LbmDomain::LbmDomain(const Session& session, Device& device, const LbmProblem& problem,
                     const Decomposition& decomposition, const LbmLayout& layout,
                     std::size_t other_bytes, const std::function<void()>& beat)
    : grid_{layout, {}, nullptr} {
  for (int d = 0; d < 3; ++d) grid_.wraps[d] = problem.periodic() && decomposition.ranks()[d] == 1;
  const GridLayout& field = layout.field();
  fluid_cells_ = problem.volume();
  const bool all_fluid = is_all_fluid(problem);
  const std::size_t mask_bytes = all_fluid ? 0 : field.elements();
  require_device_memory(session, device, other_bytes + mask_bytes, what_needs_memory);
  if (all_fluid) return;

  const GridLayout ghosted(layout.cells(), 1);  // of the mask on the host, by which links are found
  std::vector<unsigned char> solid;
  std::vector<LbmLink> links;
  std::size_t solid_count = 0;
  agree_on_errors(session.world(), [&] {
    solid = solid_cells(problem, decomposition, session.rank(), ghosted);
    beat();
    links = bounce_links(solid, ghosted, field, grid_.wraps);
    beat();
    solid_count = count_solid(solid, ghosted);
  });
  const double fluid = static_cast<double>(field.interior().cells() - solid_count);
  const SolidWork own = solid_work(fluid, links, problem.value_bytes());
  solids_.resize(static_cast<std::size_t>(session.size()));
  constexpr int numbers = sizeof(SolidWork) / sizeof(double);
  MPI_Allgather(&own, numbers, MPI_DOUBLE, solids_.data(), numbers, MPI_DOUBLE, session.world());
  fluid_cells_ = 0;
  for (const SolidWork& rank : solids_) {
    fluid_cells_ += rank.fluid_cells;
    has_solid_ = has_solid_ || rank.link_lines > 0;
  }
  if (fluid_cells_ <= 0)
    throw BadInput(fmt::format("--geometry: {} leaves no fluid among {} x {} x {} cells",
                               problem.geometry, problem.cells[0], problem.cells[1],
                               problem.cells[2]));
  require_device_memory(session, device, other_bytes + mask_bytes + links.size() * sizeof(LbmLink),
                        what_needs_memory);
  const auto stream = device.make_stream(false);
  links_ = uploaded(device, links, *stream);
  if (solid_count == 0) return;  // walls alone: no cell of the interior need be asked
  solid_ = uploaded(device, interior_mask(solid, ghosted, field), *stream);
  grid_.solid = solid_.data();
}

}  // namespace bellwether
