// SPDX-License-Identifier: MIT
#include "miniapps/airfoil/airfoil_entry.hpp"

#include <fmt/format.h>

#include <array>

#include "miniapps/option_checks.hpp"
#include "models/airfoil/airfoil_loops.hpp"
#include "models/airfoil/airfoil_scaling.hpp"
#include "models/errors.hpp"

namespace bellwether {
namespace {

constexpr long long most_in_a_direction = 1'000'000;
// 3 I J cells of the largest mesh that --cells takes.
constexpr long long most_edges = 6'000'000'000'000;

class AirfoilEntry final : public PredictionEntry {
 public:
  [[nodiscard]] const char* name() const override { return "airfoil"; }
  [[nodiscard]] const char* summary() const override {
    return "2-D inviscid flow round an airfoil, finite volumes on an unstructured mesh, five loops "
           "over cells, edges and boundary edges as in OP2. Counted per iteration, which runs "
           "save_soln once and the other loops twice: all cells, each value of a loop moved once";
  }
  void add_problem_options(CLI::App& command) override {
    command
        .add_option("--cells", cells_,
                    "C-mesh of 3 I J cells: I columns along the airfoil and along each side of the "
                    "wake, J rows outwards (400 600: 720000 cells, 1.44 million edges)")
        ->type_name("I J")
        ->check(whole_number(1, most_in_a_direction));
    command
        .add_option("--edges", edges_,
                    "In place of --cells: the mesh of about so many edges with 3 I = 2 J")
        ->type_name("N")
        ->check(whole_number(1, most_edges));
    command.add_option("--precision", study_.precision, "f32 or f64")->capture_default_str();
  }
  void add_prediction_options(CLI::App& command) override {
    command
        .add_option("--halo-sizes", study_.halo_sizes,
                    fmt::format("counted in a bisection of the mesh, fitted (c sqrt(cells per "
                                "rank)), or auto: counted up to {} ranks, fitted beyond",
                                study_.most_counted_ranks))
        ->capture_default_str()
        ->check(CLI::IsMember(std::vector<std::string>{"auto", "counted", "fitted"}));
  }
  void check() const override {
    if (cells_given() == (edges_ > 0))
      throw BadInput(fmt::format("--cells, --edges: found {}, expected one of them",
                                 edges_ > 0 ? "both" : "neither"));
    (void)airfoil_loop_bytes(AirfoilLoop::save_soln, study_.precision);
  }
  [[nodiscard]] std::vector<ScalingPoint> predict(const Machine& machine,
                                                  const PredictionRequest& request) const override {
    AirfoilStudy study = study_;
    study.mesh = mesh();
    return airfoil_scaling(machine, study, request);
  }
  [[nodiscard]] StepWork work() const override {
    const AirfoilMesh all = mesh();
    const auto bytes = [this](AirfoilLoop loop, std::int64_t elements) {
      return airfoil_loop_bytes(loop, study_.precision) * static_cast<double>(elements);
    };
    const double twice = bytes(AirfoilLoop::adt_calc, all.cells()) +
                         bytes(AirfoilLoop::res_calc, all.edges()) +
                         bytes(AirfoilLoop::bres_calc, all.boundary_edges()) +
                         bytes(AirfoilLoop::update, all.cells());
    return {.units = static_cast<double>(all.cells()),
            .unit = "cells/s",
            .bytes = bytes(AirfoilLoop::save_soln, all.cells()) + 2 * twice};
  }
  [[nodiscard]] const char* step_name() const override { return "iteration"; }

 private:
  [[nodiscard]] bool cells_given() const { return cells_[0] > 0; }
  [[nodiscard]] AirfoilMesh mesh() const {
    return cells_given() ? AirfoilMesh{cells_[0], cells_[1]} : mesh_with_edges(edges_);
  }

  std::array<std::int64_t, 2> cells_ = {0, 0};  // 0: not given
  std::int64_t edges_ = 0;                      // 0: not given
  AirfoilStudy study_;
};

}  // namespace

std::unique_ptr<PredictionEntry> make_airfoil_entry() { return std::make_unique<AirfoilEntry>(); }

}  // namespace bellwether
