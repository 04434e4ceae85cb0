// SPDX-License-Identifier: MIT
#include "miniapps/lbm/lbm_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "kernels/lbm/lbm_body.hpp"
#include "miniapps/driver/options.hpp"
#include "miniapps/lbm/lbm_geometry.hpp"
#include "miniapps/lbm/taylor_green.hpp"
#include "models/errors.hpp"
#include "models/stencil/stencil_work.hpp"
#include "models/text_lines.hpp"

namespace bellwether {
namespace {

constexpr double most_mach = 0.3;
constexpr double longest_relaxation = 1000;  // steps
constexpr double least_speed = 1e-12;        // cells per step

double size_of(const std::array<double, 3>& vector) {
  return std::hypot(vector[0], vector[1], vector[2]);
}

void check_initial(const LbmProblem& problem) {
  if (problem.initial == "taylor-green" && (!problem.periodic() || problem.geometry != "none"))
    throw BadInput(
        fmt::format("--initial taylor-green: found --boundary {} and --geometry {}, expected "
                    "periodic and none",
                    problem.boundary, problem.geometry));
}

}  // namespace

bool LbmProblem::starts_as_taylor_green() const {
  if (initial != "auto") return initial == "taylor-green";
  return periodic() && geometry == "none";
}

std::array<double, 3> LbmProblem::driving_force() const {
  if (force) return *force;
  if (!between_plates()) return {};
  const auto plates = static_cast<double>(std::max(1LL, height()));
  return {8 * viscosity() * speed / (plates * plates), 0, 0};
}

double LbmProblem::mach() const {
  return (speed + size_of(drift)) / std::sqrt(d3q19::sound_speed_squared);
}

double LbmProblem::mach_at_rest() const { return speed / std::sqrt(d3q19::sound_speed_squared); }

double LbmProblem::length() const {
  if (starts_as_taylor_green()) {
    const double square = TaylorGreen(grid()).wave_number_squared();
    if (square > 0) return 1 / std::sqrt(square);
  }
  if (between_plates()) return static_cast<double>(height());
  const auto shortest = static_cast<double>(*std::min_element(cells.begin(), cells.end()));
  return geometry == "sphere" ? shortest * sphere_diameter : shortest;
}

void LbmProblem::add_options(Options& options) {
  StencilProblem::add_options(options, "walls", "periodic, or walls (no slip, all six sides)");
  options.add("--geometry", &geometry,
              "none; channel (plates in z, forced along x); sphere (in the middle, a "
              "quarter of the shortest side); city (blocks on the ground, between plates "
              "in z); or a FILE of NX NY NZ bytes, x fastest, 0 fluid, 1 solid",
              {.shows_default = true});
  options.add_choice("--initial", initial, {"auto", "taylor-green", "flow"},
                     "taylor-green (vortices), flow (along x, between plates a parabola), or auto: "
                     "vortices where all is periodic and fluid");
  options.add("--tau", &tau, "Relaxation time in steps; the viscosity is (tau - 1/2) / 3",
              {.check = any_number(), .shows_default = true});
  options.add("--force", &force,
              "Body force, lattice units; without it between plates the one that keeps a "
              "parabola of --speed, else 0",
              {.type = "FX FY FZ", .check = any_number()});
  options.add("--speed", &speed, "Peak speed of the initial flow, cells per step",
              {.check = positive_number(), .shows_default = true});
  options.add("--drift", &drift, "Velocity added to the initial flow, cells per step",
              {.type = "UX UY UZ", .check = any_number()});
  const auto model_eddies = [this](const std::string& constant) {
    constexpr double usual = 0.16;
    les = constant.empty() ? usual : parse_number<double>(constant);
  };
  options.add("--les", model_eddies, "Model eddies (Smagorinsky), with this constant or 0.16",
              {.type = "C", .check = positive_number()});
}

void validate(const LbmProblem& problem) {
  validate(static_cast<const StencilProblem&>(problem));
  const double rounded = problem.precision == "f32"
                             ? static_cast<double>(static_cast<float>(problem.tau))
                             : problem.tau;
  if (!(rounded > 0.5 && rounded <= longest_relaxation))
    throw BadInput(fmt::format(
        "--tau: found {:.10g}{}, expected more than 0.5 (the viscosity is (tau - 1/2) / "
        "3) and at most {:g}",
        problem.tau, rounded == 0.5 && problem.tau > 0.5 ? ", in f32 0.5" : "",
        longest_relaxation));
  if (problem.speed < least_speed)
    throw BadInput(
        fmt::format("--speed: found {:g}, expected at least {:g}, or rounding is all "
                    "that moves",
                    problem.speed, least_speed));
  if (!(problem.mach() <= most_mach))
    throw BadInput(fmt::format(
        "--speed: found {:g} and a drift of {:g}, a Mach number of {:.3f}, expected at most {:g}",
        problem.speed, size_of(problem.drift), problem.mach(), most_mach));
  check_initial(problem);
  check_geometry(problem);
}

nlohmann::json to_json(const LbmProblem& problem) {
  nlohmann::json json = to_json(static_cast<const StencilProblem&>(problem));
  json["geometry"] = problem.geometry;
  json["initial"] = problem.starts_as_taylor_green() ? "taylor-green" : "flow";
  json["tau"] = problem.tau;
  json["force"] = problem.driving_force();
  json["speed"] = problem.speed;
  json["drift"] = problem.drift;
  json["les"] = problem.les ? nlohmann::json(*problem.les) : nlohmann::json();
  return json;
}

StepWork lbm_work(const LbmProblem& problem, double fluid_cells) {
  return stencil_work(problem, lbm_stencil(problem), fluid_cells);
}

StencilKernel lbm_stencil(const LbmProblem& problem) {
  StencilKernel kernel = lattice_boltzmann();
  kernel.flops = lbm_flops(problem.is_driven(), problem.les.has_value());
  return kernel;
}

}  // namespace bellwether
