// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "kernels/airfoil/airfoil_work.hpp"
#include "kernels/launch/device.hpp"
#include "miniapps/airfoil/airfoil_problem.hpp"
#include "miniapps/comm/session.hpp"
#include "miniapps/miniapp.hpp"
#include "miniapps/variant.hpp"

namespace bellwether {

/// The Airfoil mini-app. Collective; the problem is valid. Throws BadInput where the mesh cannot be
/// read or computed on, or the variant is not one of Airfoil's, and BadEnvironment, before anything
/// large is allocated, where the memory does not suffice. The device outlives the app. The
/// heartbeat, if given, beats while the app is built.
std::unique_ptr<MiniApp> make_airfoil_app(const Session& session, Device& device,
                                          const AirfoilProblem& problem, const Variant& variant,
                                          Heartbeat* heartbeat = nullptr);

/// What all ranks together do in one iteration, in the loops that are asked for: bytes and flops as
/// airfoil_bytes and airfoil_flops count them, boundary edges all at the far field.
StepWork airfoil_step_work(const AirfoilCounts& counts, const AirfoilProblem& problem);

}  // namespace bellwether
