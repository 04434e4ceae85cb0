// SPDX-License-Identifier: MIT
#include "models/precision.hpp"

#include <fmt/format.h>

#include "models/errors.hpp"

namespace bellwether {

double value_bytes(const std::string& precision) {
  if (precision == "f32") return 4;
  if (precision == "f64") return 8;
  throw BadInput(fmt::format("precision: found \"{}\", expected f32 or f64", precision));
}

}  // namespace bellwether
