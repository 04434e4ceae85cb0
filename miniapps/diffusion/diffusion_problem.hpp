// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "kernels/diffusion/diffusion_body.hpp"
#include "miniapps/driver/app.hpp"
#include "miniapps/stencil/stencil_problem.hpp"
#include "models/stencil/stencil_work.hpp"
#include "models/workload.hpp"

namespace bellwether {

/// What is solved: the diffusion equation on a box of cells, forward Euler in time, second order in
/// space (Shimokawabe, section 6.1).
/// Boundary: periodic, or dirichlet (value 0 at the walls).
using DiffusionProblem = StencilProblem;

/// What all ranks together do in one step.
StepWork diffusion_work(const DiffusionProblem& problem);

/// The application as the models see it.
StencilKernel diffusion_stencil();

/// One direction of the initial state: a Fourier mode of at most 64 cells a wavelength, which one
/// step multiplies by 1 - 2 s (1 - cos angle), s the direction's coefficient. The whole mode is the
/// product over the directions, its factor 1 - 2 sum s (1 - cos angle).
struct ModeDirection {
  double angle;  ///< phase advance from cell to cell
  double phase;  ///< of cell 0; the value is sin(phase + i angle)
};
ModeDirection mode_direction(int cells, bool periodic, int direction);

/// kappa dt / dx^2 of each direction: different, so that exchanged axes would show, and stable (the
/// sum is at most 1/2).
template <class T>
DiffusionCoefficients<T> diffusion_coefficients() {
  constexpr double x = 0.11, y = 0.1, z = 0.09;
  return {static_cast<T>(1 - 2 * (x + y + z)), static_cast<T>(x), static_cast<T>(y),
          static_cast<T>(z)};
}

/// A case of 3-D diffusion. Collective; the problem is valid. Throws BadInput where the
/// decomposition does not fit and BadEnvironment, before anything large is allocated, where the
/// memory does not suffice. The heartbeat beats while memory is touched and stores are tried.
std::unique_ptr<Case> make_diffusion_case(const CaseSite& site, const DiffusionProblem& problem,
                                          const StencilRunVariant& variant);

}  // namespace bellwether
