// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>

#include "kernels/lbm/lbm.hpp"
#include "miniapps/driver/app.hpp"
#include "miniapps/stencil/stencil_problem.hpp"
#include "models/workload.hpp"

namespace bellwether {

/// What is solved: weakly compressible flow on a box of cells, D3Q19 lattice Boltzmann with BGK
/// collisions (Shimokawabe, section 6.2), in lattice units (a cell, a step, density 1).
/// Boundary: periodic, or walls (no slip, halfway between the outermost cells and those beyond).
struct LbmProblem : StencilProblem {
  std::string geometry = "none";  ///< "none", "channel", "sphere", "city" or a file's name
  std::string initial = "auto";   ///< "auto", "taylor-green" or "flow"
  double tau = 0.8;               ///< relaxation time, steps
  std::optional<std::array<double, 3>> force;  ///< per volume; absent: what the geometry asks for
  double speed = 0.05;                         ///< peak of the initial flow, cells per step
  std::array<double, 3> drift{};               ///< added to the initial flow, cells per step
  std::optional<double> les;                   ///< Smagorinsky's constant, if eddies are modelled
  std::string picture;                         ///< VTK file for the last state, or empty

  /// Kinematic viscosity, cells^2 per step.
  [[nodiscard]] double viscosity() const { return (tau - 0.5) / 3; }
  [[nodiscard]] bool starts_as_taylor_green() const;
  /// Between floor and ceiling of a channel or city, whose lowest and highest cells are solid.
  [[nodiscard]] bool between_plates() const { return geometry == "channel" || geometry == "city"; }
  [[nodiscard]] long long height() const { return cells[2] - 2; }
  /// What drives the flow: where none is asked for, between plates the one that keeps a parabola of
  /// the peak speed, 8 nu U / height^2 along x, else none.
  [[nodiscard]] std::array<double, 3> driving_force() const;
  [[nodiscard]] bool is_driven() const { return driving_force() != std::array<double, 3>{}; }
  /// Largest speed at the start over that of sound; the second without the drift.
  [[nodiscard]] double mach() const;
  [[nodiscard]] double mach_at_rest() const;
  /// Of what the flow meets, in cells: the channel's or city's height, the sphere's diameter, else
  /// the shortest side; for Taylor-Green 1 / k, the length that vortices decay over.
  [[nodiscard]] double length() const;
  [[nodiscard]] double reynolds() const { return speed * length() / viscosity(); }

  void add_options(Options& options);
};

/// Throws BadInput, naming the option, for what no run could use.
void validate(const LbmProblem& problem);

/// As asked for: what records and resumed runs know of it.
nlohmann::json to_json(const LbmProblem& problem);

template <class T>
LbmCollision<T> lbm_collision(const LbmProblem& problem) {
  const std::array<double, 3> force = problem.driving_force();
  return {static_cast<T>(problem.tau),
          {static_cast<T>(force[0]), static_cast<T>(force[1]), static_cast<T>(force[2])},
          static_cast<T>(problem.les.value_or(0))};
}

/// What all ranks together do in one step: updates of so many fluid cells.
StepWork lbm_work(const LbmProblem& problem, double fluid_cells);

/// The application as the models see it: the paper's counts, and for the refined form our own.
StencilKernel lbm_stencil(const LbmProblem& problem);

/// A case of lattice Boltzmann. Collective; the problem is valid. Throws BadInput where the
/// decomposition does not fit or the geometry leaves no fluid, and BadEnvironment, before anything
/// large is allocated, where the memory does not suffice. The heartbeat beats
/// while the case is built.
std::unique_ptr<Case> make_lbm_case(const CaseSite& site, const LbmProblem& problem,
                                    const StencilRunVariant& variant);

}  // namespace bellwether
