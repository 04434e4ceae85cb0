// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "kernels/launch/device.hpp"
#include "miniapps/comm/session.hpp"
#include "miniapps/driver/miniapp.hpp"
#include "miniapps/driver/variant.hpp"
#include "miniapps/lbm/lbm_problem.hpp"

namespace bellwether {

/// The lattice Boltzmann mini-app. Collective; the problem is valid. Throws BadInput where the
/// decomposition does not fit or the geometry leaves no fluid, and BadEnvironment, before anything
/// large is allocated, where the memory does not suffice. `machine` may be null; the device
/// outlives the app. The heartbeat, if given, beats while the app is built.
std::unique_ptr<MiniApp> make_lbm_app(const Session& session, Device& device,
                                      const LbmProblem& problem, const Variant& variant,
                                      const Machine* machine, Heartbeat* heartbeat = nullptr);

}  // namespace bellwether
