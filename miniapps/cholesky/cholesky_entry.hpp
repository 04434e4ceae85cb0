// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "miniapps/driver/prediction_entry.hpp"

namespace bellwether {

std::unique_ptr<PredictionEntry> make_cholesky_entry();

}  // namespace bellwether
