// SPDX-License-Identifier: MIT
#include "miniapps/driver/registry.hpp"

#include "miniapps/airfoil/airfoil_entry.hpp"
#include "miniapps/amg/amg_entry.hpp"
#include "miniapps/cholesky/cholesky_entry.hpp"
#include "miniapps/diffusion/diffusion_entry.hpp"
#include "miniapps/hpl/hpl_entry.hpp"
#include "miniapps/lbm/lbm_entry.hpp"

namespace bellwether {

std::vector<std::unique_ptr<MiniAppEntry>> mini_apps() {
  std::vector<std::unique_ptr<MiniAppEntry>> all;
  all.push_back(make_diffusion_entry());
  all.push_back(make_lbm_entry());
  all.push_back(make_airfoil_entry());
  return all;
}

std::vector<std::unique_ptr<PredictionEntry>> predicted_apps() {
  std::vector<std::unique_ptr<PredictionEntry>> all;
  for (auto& app : mini_apps()) all.push_back(std::move(app));
  all.push_back(make_hpl_entry());
  all.push_back(make_amg_entry());
  all.push_back(make_cholesky_entry());
  return all;
}

}  // namespace bellwether
