// SPDX-License-Identifier: MIT
#include "run/command/backend_choice.hpp"

#include <fmt/format.h>

#include "models/errors.hpp"

namespace bellwether {

std::unique_ptr<Device> open_device(const std::string& backend, int local_rank) {
  std::string names;
  for (const BackendInfo& info : backends()) {
    if (info.name == backend) {
      if (!info.usable)
        throw BadEnvironment(fmt::format("--backend {}: {}", backend, info.problem));
      return make_device(backend, local_rank);
    }
    names += (names.empty() ? "" : ", ") + info.name;
  }
  throw BadInput(fmt::format("--backend: found '{}', expected one of: {}", backend, names));
}

}  // namespace bellwether
