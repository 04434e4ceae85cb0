// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <array>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>

#include "miniapps/airfoil/airfoil_problem.hpp"
#include "miniapps/airfoil/files/airfoil_files.hpp"
#include "miniapps/airfoil/mesh/airfoil_blocks.hpp"
#include "miniapps/airfoil/mesh/airfoil_mesh_checks.hpp"
#include "miniapps/driver/options.hpp"
#include "run/command/subcommand.hpp"

namespace bellwether {
namespace {

class MeshCommand final : public Subcommand {
 public:
  void add_to(Verb& program) override {
    options_.add(
        "--cells", &cells_,
        "I J: columns of cells along the profile, and along either side of its "
        "wake; rows. The mesh has 3 I J cells",
        {.check = whole_number(1, std::numeric_limits<std::int32_t>::max()), .required = true});
    options_.add("-o,--output", &file_,
                 "The file: HDF5 where its name ends in .h5 or .hdf5, ASCII otherwise",
                 {.check = not_empty("a file"), .required = true});
    options_.add_flag("--json", json_, "Print one JSON document instead of a line");
    verb_ = &program.add_verb(
        "mesh", "Write a mesh that `run` can read. Under mpirun all ranks write it together");
    verb_->show_examples("  bellwether mesh airfoil --cells 400 600 -o naca0012.h5");
    verb_->add_verb("airfoil", "A C-mesh round a NACA0012 profile, in OP2's formats for Airfoil")
        .add(options_);
  }
  [[nodiscard]] bool is_parallel() const override { return true; }

  ExitStatus run(CommandLine command_line) override {
    const AirfoilMesh shape = airfoil_mesh_of(cells_);
    return with_session(command_line, {}, 0, [&](Session& session, Heartbeat&) {
      require_mesh_memory(session, airfoil_mesh_bytes(airfoil_frame(shape).mesh));
      const AirfoilBlocks blocks = generate_airfoil(shape, session.size(), session.rank());
      check_airfoil(session.world(), blocks);
      write_airfoil(session.world(), blocks, file_);
      if (session.rank() == 0) say(blocks);
      return ExitStatus::success;
    });
  }

 private:
  void say(const AirfoilBlocks& blocks) const {
    nlohmann::json counts{{"file", file_}};
    for (const MeshSet& set : blocks.mesh.sets) counts[set.name] = set.total;
    if (json_)
      std::cout << nlohmann::json{{"mesh", counts}}.dump(2) << "\n";
    else
      fmt::print(std::cout, "{}: {} nodes, {} cells, {} edges, {} boundary edges\n", file_,
                 blocks.mesh.sets[airfoil_nodes].total, blocks.mesh.sets[airfoil_cells].total,
                 blocks.mesh.sets[airfoil_edge_set].total, blocks.mesh.sets[airfoil_bedges].total);
  }

  std::array<std::int64_t, 2> cells_{};
  std::string file_;
};

}  // namespace

std::unique_ptr<Subcommand> make_mesh_command() { return std::make_unique<MeshCommand>(); }

}  // namespace bellwether
