// SPDX-License-Identifier: MIT
#pragma once

#include "miniapps/comm/session/session.hpp"

namespace bellwether {

/// The session that the main of the MPI tests (test_main.cpp) has opened.
const Session& test_session();

}  // namespace bellwether
