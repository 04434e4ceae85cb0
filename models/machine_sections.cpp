// SPDX-License-Identifier: MIT
#include "models/machine_sections.hpp"

#include "models/airfoil/airfoil_parameters.hpp"
#include "models/amg/amg_parameters.hpp"
#include "models/cholesky/cholesky_parameters.hpp"
#include "models/cholesky/start_up_parameters.hpp"
#include "models/drift/drift_parameters.hpp"
#include "models/hpl/hpl_parameters.hpp"
#include "models/noise/noise_parameters.hpp"
#include "models/power/power_parameters.hpp"
#include "models/stencil/stencil_core.hpp"

namespace bellwether {

const std::map<std::string, JsonType<std::any>>& machine_sections() {
  static const std::map<std::string, JsonType<std::any>> all{
      {AirfoilParameters::section_name, json_any(airfoil_parameters_type())},
      {AmgParameters::section_name, json_any(amg_parameters_type())},
      {CholeskyParameters::section_name, json_any(cholesky_parameters_type())},
      {DriftParameters::section_name, json_any(drift_parameters_type())},
      {HplParameters::section_name, json_any(hpl_parameters_type())},
      {NoiseParameters::section_name, json_any(noise_parameters_type())},
      {PowerParameters::section_name, json_any(power_parameters_type())},
      {StencilCores::section_name, json_any(stencil_cores_type())},
      {StartUpParameters::section_name, json_any(start_up_parameters_type())}};
  return all;
}

}  // namespace bellwether
