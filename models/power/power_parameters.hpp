// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "models/machine/machine.hpp"
#include "models/machine/quantity.hpp"
#include "models/workload.hpp"

namespace bellwether {

template <class T>
struct JsonType;

/// Watts of a node, its CPU packages, memory and GPUs as far as they are counted, while all its
/// ranks copy memory or multiply matrices; absent: not measured.
struct PowerParameters {
  static constexpr const char* section_name = "power";
  std::string source;  ///< with what is counted
  std::optional<Quantity> memory_w, matrix_product_w;
};

/// How the section stands in a machine file.
JsonType<PowerParameters> power_parameters_type();

/// Joules of a step of so many seconds: all the time its nodes take the watts of what limits the
/// work. Absent where the machine does not know them, or the ranks do not fill nodes as it was
/// calibrated.
std::optional<double> step_joules(const Machine& machine, WorkLimit limit, int ranks,
                                  int ranks_per_node, double step_s);

/// "cells/J" of "cells/s".
std::string per_joule(const std::string& unit);

}  // namespace bellwether
