// SPDX-License-Identifier: MIT
#include "miniapps/driver/app.hpp"

namespace bellwether {

// Each application's own folder defines its own.
using MakeApp = std::unique_ptr<App>();
MakeApp make_diffusion_app, make_lbm_app, make_airfoil_app, make_hpl_app, make_amg_app,
    make_cholesky_app;

std::vector<std::unique_ptr<App>> apps() {
  std::vector<std::unique_ptr<App>> all;
  for (MakeApp* const make : {make_diffusion_app, make_lbm_app, make_airfoil_app, make_hpl_app,
                              make_amg_app, make_cholesky_app})
    all.push_back(make());
  return all;
}

}  // namespace bellwether
