// SPDX-License-Identifier: MIT
#include "miniapps/airfoil/airfoil_parts.hpp"

#include <utility>

#include "miniapps/airfoil/files/airfoil_files.hpp"
#include "miniapps/airfoil/mesh/airfoil_blocks.hpp"
#include "miniapps/airfoil/mesh/airfoil_mesh_checks.hpp"
#include "miniapps/airfoil/mesh/airfoil_reference_mesh.hpp"
#include "miniapps/airfoil/mesh/airfoil_surroundings.hpp"

namespace bellwether {

AirfoilParts deal_out_airfoil(const Session& session, const AirfoilProblem& problem, bool gathers) {
  AirfoilBlocks blocks;
  if (problem.is_generated()) {
    const AirfoilMesh mesh = airfoil_mesh_of(problem.cells);
    require_mesh_memory(session, airfoil_mesh_bytes(airfoil_frame(mesh).mesh));
    blocks = generate_airfoil(mesh, session.size(), session.rank());
    check_airfoil(session.world(), blocks);
  } else {
    blocks = read_airfoil(session.world(), problem.file,
                          [&](double bytes) { require_mesh_memory(session, bytes); });
  }
  if (problem.precision == "f32") check_airfoil_in_f32(session.world(), blocks);
  AirfoilParts parts;
  parts.of_reference = problem.is_generated()
                           ? problem.cells == std::array<std::int64_t, 2>{400, 600}
                           : is_reference_mesh(session.world(), blocks);
  parts.local = distribute_airfoil(session.world(), blocks, partitioner_named(problem.partitioner));
  if (gathers) add_surroundings(session.world(), blocks, parts.local);
  const AirfoilWorkload own = workload_of(parts.local.mesh, session.rank(), session.node_of_rank());
  parts.workloads.resize(session.size());
  MPI_Allgather(&own, sizeof own, MPI_BYTE, parts.workloads.data(), sizeof own, MPI_BYTE,
                session.world());
  if (!problem.picture.empty()) parts.blocks = std::move(blocks);
  return parts;
}

}  // namespace bellwether
