// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "kernels/hpl/hpl_split.hpp"
#include "miniapps/driver/app.hpp"
#include "miniapps/hpl/hpl_variant.hpp"
#include "miniapps/hpl/local_matrix.hpp"
#include "models/hpl/hpl_problem.hpp"

namespace bellwether {

/// The host in whose memory the matrix lies where its update is split; else null.
std::unique_ptr<Device> host_of_split(const HplVariant& variant);

/// Collective. How the products are split: the widest blocks that suit the problem and fit the
/// memory of the site's device. Throws BadEnvironment where not even narrow ones do.
HplSplit split_of(const CaseSite& site, const HplProblem& problem, const HplVariant& variant);

/// Collective. The device's share R of the update (Hu and Lu 2021, Section 4.1) by what products as
/// the first panel's take on the host, and on the device with their copies; the mean over the
/// grid's processes, which all measure at once. 0 where the matrix is too small to tell. Leaves any
/// values in the matrix.
double measured_device_share(const Session& session, const HplGrid& grid, LocalMatrix& matrix,
                             SplitHpl& kernels);

}  // namespace bellwether
