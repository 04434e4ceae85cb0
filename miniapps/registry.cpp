// SPDX-License-Identifier: MIT
#include "miniapps/registry.hpp"

#include "miniapps/diffusion/diffusion_entry.hpp"

namespace bellwether {

std::vector<std::unique_ptr<MiniAppEntry>> mini_apps() {
  std::vector<std::unique_ptr<MiniAppEntry>> all;
  all.push_back(make_diffusion_entry());
  return all;
}

}  // namespace bellwether
