// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "kernels/launch/device.hpp"
#include "miniapps/airfoil/airfoil_problem.hpp"
#include "miniapps/comm/session.hpp"
#include "miniapps/driver/miniapp.hpp"
#include "miniapps/driver/variant.hpp"

namespace bellwether {

/// The Airfoil mini-app. Collective; the problem is valid. Throws BadInput where the mesh cannot be
/// read or computed on, or the variant is not one of Airfoil's, and BadEnvironment, before anything
/// large is allocated, where the memory does not suffice. The device outlives the app, as does the
/// heartbeat, if given, which beats where the app works outside of steps.
std::unique_ptr<MiniApp> make_airfoil_app(const Session& session, Device& device,
                                          const AirfoilProblem& problem, const Variant& variant,
                                          Heartbeat* heartbeat = nullptr);

}  // namespace bellwether
