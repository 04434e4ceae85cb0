// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "miniapps/driver/prediction_entry.hpp"

namespace bellwether {

/// The AMG solve cycle as the models know it.
std::unique_ptr<PredictionEntry> make_amg_entry();

}  // namespace bellwether
