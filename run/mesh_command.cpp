// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "kernels/launch/host_memory.hpp"
#include "miniapps/airfoil/airfoil_files.hpp"
#include "miniapps/airfoil/airfoil_mesh_checks.hpp"
#include "miniapps/option_checks.hpp"
#include "run/subcommand.hpp"
#include "run/with_session.hpp"

namespace bellwether {
namespace {

/// OP2 counts in 32 bits, and so do its files.
constexpr std::int64_t most_elements = 2147483647;

class MeshCommand final : public Subcommand {
 public:
  void add_to(CLI::App& program) override {
    verb_ = program.add_subcommand(
        "mesh", "Write a mesh that `run` can read: under mpirun, all ranks write it together");
    verb_->require_subcommand(1);
    airfoil_ = verb_->add_subcommand(
        "airfoil", "A C-mesh round a NACA0012 profile, in OP2's formats for Airfoil");
    airfoil_
        ->add_option("--cells", cells_,
                     "I J: columns of cells along the profile, and along either side of its wake; "
                     "rows. The mesh has 3 I J cells")
        ->required()
        ->expected(2)
        ->check(whole_number(1, most_elements));
    airfoil_
        ->add_option("-o,--output", file_,
                     "The file: HDF5 where its name ends in .h5 or .hdf5, ASCII otherwise")
        ->required()
        ->check(not_empty("a file"));
    airfoil_->add_flag("--json", json_, "Print one JSON document instead of a line");
  }
  [[nodiscard]] bool chosen() const override { return verb_->parsed(); }

  ExitStatus run(CommandLine command_line) override {
    const AirfoilMesh shape = wanted_shape();
    return with_session(command_line, 0, [&](Session& session, Heartbeat&) {
      require_memory(session, shape);
      const AirfoilBlocks blocks = generate_airfoil(shape, session.size(), session.rank());
      check_airfoil(session.world(), blocks);
      write_airfoil(session.world(), blocks, file_);
      if (session.rank() == 0) say(blocks);
      return ExitStatus::success;
    });
  }

 private:
  [[nodiscard]] AirfoilMesh wanted_shape() const {
    const AirfoilMesh shape{cells_[0], cells_[1]};
    // As real numbers first: the product of the largest would not fit into 64 bits.
    const double cells = 3.0 * static_cast<double>(cells_[0]) * static_cast<double>(cells_[1]);
    if (cells > static_cast<double>(most_elements) || shape.edges() > most_elements)
      throw BadInput(fmt::format("--cells: found {} x {}, expected a mesh of at most {} edges",
                                 cells_[0], cells_[1], most_elements));
    return shape;
  }
  /// Throws BadEnvironment on all ranks, before anything is allocated, where a node has too little.
  static void require_memory(const Session& session, const AirfoilMesh& shape) {
    // Maps, coordinates, and as much again and more while the text or the checks' values are there.
    constexpr double bytes_per_cell = 400;
    const double share = static_cast<double>(session.ranks_on_kernel()) / session.size();
    const double needed = bytes_per_cell * static_cast<double>(shape.cells()) * share;
    agree_on_errors(session.world(), [&] {
      const auto available = static_cast<double>(host_memory_available());
      constexpr double gib = 1 << 30;
      if (needed > available)
        throw BadEnvironment(fmt::format(
            "not enough memory on {}: the mesh needs {:.1f} GiB there, and {:.1f} GiB are "
            "available (a smaller mesh, or more nodes)",
            session.host(), needed / gib, available / gib));
    });
  }
  void say(const AirfoilBlocks& blocks) const {
    nlohmann::json counts{{"file", file_}};
    for (const MeshSet& set : blocks.mesh.sets) counts[set.name] = set.total;
    if (json_)
      std::cout << nlohmann::json{{"mesh", counts}}.dump(2) << "\n";
    else
      fmt::print("{}: {} nodes, {} cells, {} edges, {} boundary edges\n", file_,
                 blocks.mesh.sets[airfoil_nodes].total, blocks.mesh.sets[airfoil_cells].total,
                 blocks.mesh.sets[airfoil_edge_set].total, blocks.mesh.sets[airfoil_bedges].total);
  }

  CLI::App* verb_ = nullptr;
  CLI::App* airfoil_ = nullptr;
  std::vector<std::int64_t> cells_;
  std::string file_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Subcommand> make_mesh_command() { return std::make_unique<MeshCommand>(); }

}  // namespace bellwether
