// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <memory>

#include "kernels/launch/device.hpp"
#include "miniapps/comm/session.hpp"
#include "miniapps/diffusion/diffusion_problem.hpp"
#include "miniapps/driver/miniapp.hpp"
#include "miniapps/driver/variant.hpp"

namespace bellwether {

/// The 3-D diffusion mini-app. Collective; the problem is valid. Throws BadInput where the
/// decomposition does not fit and BadEnvironment, before anything large is allocated, where the
/// memory does not suffice. `machine` may be null; the device outlives the app. The heartbeat, if
/// given, beats while memory is touched and stores are tried.
std::unique_ptr<MiniApp> make_diffusion_app(const Session& session, Device& device,
                                            const DiffusionProblem& problem, const Variant& variant,
                                            const Machine* machine, Heartbeat* heartbeat = nullptr);

}  // namespace bellwether
