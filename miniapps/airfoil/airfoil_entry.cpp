// SPDX-License-Identifier: MIT
#include "miniapps/airfoil/airfoil_entry.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "miniapps/airfoil/airfoil_app.hpp"
#include "miniapps/driver/option_checks.hpp"
#include "models/airfoil/airfoil_curve.hpp"
#include "models/errors.hpp"

namespace bellwether {
namespace {

// 3 I J cells of the largest mesh that --cells takes.
constexpr long long most_edges = 6'000'000'000'000;

class AirfoilEntry final : public MiniAppEntry {
 public:
  [[nodiscard]] const char* name() const override { return "airfoil"; }
  [[nodiscard]] const char* summary() const override {
    return "2-D inviscid flow round an airfoil, finite volumes on an unstructured mesh, loops over "
           "cells, edges and boundary edges as in OP2. Counted per iteration, of two stages: all "
           "cells, each value and index of a loop moved once";
  }
  void add_problem_options(CLI::App& command) override { problem_.add_options(command); }
  void add_run_options(CLI::App& command) override { problem_.add_run_options(command); }
  void add_prediction_options(CLI::App& command) override {
    predicts_ = true;
    command
        .add_option("--edges", edges_,
                    "In place of --cells: the mesh of about so many edges with 3 I = 2 J")
        ->type_name("N")
        ->check(whole_number(1, most_edges));
    command
        .add_option("--halo-sizes", study_.halo_sizes,
                    fmt::format("counted in a bisection of the mesh, fitted (c sqrt(cells per "
                                "rank)), or auto: counted up to {} ranks, fitted beyond",
                                study_.most_counted_ranks))
        ->capture_default_str()
        ->check(CLI::IsMember(std::vector<std::string>{"auto", "counted", "fitted"}));
  }
  void check() const override {
    const bool other = edges_ > 0 || !problem_.file.empty();
    if (problem_.is_generated() == other)
      throw BadInput(fmt::format("--cells, {}: found {}, expected one of them",
                                 predicts_ ? "--edges" : "--mesh", other ? "both" : "neither"));
    validate(problem_);
    if (!predicts_ && problem_.is_generated()) (void)airfoil_mesh_of(problem_.cells);
  }
  [[nodiscard]] std::vector<ScalingPoint> predict(const Machine& machine,
                                                  const PredictionRequest& request) const override {
    AirfoilStudy study = study_;
    study.mesh = mesh();
    study.precision = problem_.precision;
    study.fused = problem_.is_fused();
    return airfoil_curve(machine, study, request);
  }
  [[nodiscard]] StepWork work() const override {
    const AirfoilMesh all = mesh();
    return airfoil_step_work({all.nodes(), all.cells(), all.edges(), all.boundary_edges()},
                             problem_);
  }
  [[nodiscard]] const char* picture_ending() const override { return ".vtu"; }
  void ask_for_picture(std::string file) override { problem_.picture = std::move(file); }
  [[nodiscard]] nlohmann::json request() const override {
    nlohmann::json request = to_json(problem_);
    request["loops"] = problem_.loops;
    return request;
  }
  [[nodiscard]] std::unique_ptr<MiniApp> build(const Session& session, Device& device,
                                               const Variant& variant, const Machine* /*machine*/,
                                               Heartbeat& heartbeat) const override {
    return make_airfoil_app(session, device, problem_, variant, &heartbeat);
  }
  [[nodiscard]] const char* step_name() const override { return "iteration"; }

 private:
  [[nodiscard]] AirfoilMesh mesh() const {
    return problem_.is_generated() ? AirfoilMesh{problem_.cells[0], problem_.cells[1]}
                                   : mesh_with_edges(edges_);
  }

  AirfoilProblem problem_;
  std::int64_t edges_ = 0;  // 0: not given
  bool predicts_ = false;   ///< any size, and no file
  AirfoilStudy study_;
};

}  // namespace

std::unique_ptr<MiniAppEntry> make_airfoil_entry() { return std::make_unique<AirfoilEntry>(); }

}  // namespace bellwether
