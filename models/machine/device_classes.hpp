// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "models/embedded_file.hpp"
#include "models/machine/machine.hpp"

namespace bellwether {

/// What applications get of a data sheet's rates, with the 90 % interval of published measurements.
struct DeviceClass {
  std::string kind;                ///< "cpu" or "gpu"
  std::string vendor;              ///< a word of the device's name; empty: any other
  double leave_one_out_error = 0;  ///< median miss of a published row by the others, relative
  Quantity memory_efficiency;
  Quantity matrix_efficiency;  ///< of the peak, in a library's matrix products
  /// Most that one core gets, byte/s; of CPUs.
  std::optional<Quantity> core_bandwidth_bytes_per_s = {};
};

/// The same of links, by name.
struct LinkClass {
  std::string name;
  Quantity latency, bandwidth;                       ///< factors
  std::optional<Quantity> wait_per_diameter_s = {};  ///< of a network, AmgParameters'
  std::optional<Quantity> nodes = {};                ///< of a network: it holds up to so many
};

/// models/machine/device_classes.json, estimated from results/published/outside.json.
struct DeviceClasses {
  std::string comment;
  std::vector<DeviceClass> devices;  ///< the first that fits holds
  Quantity widening_per_doubling;    ///< widen_beyond_known_nodes()
  std::vector<LinkClass> links;
};
const DeviceClasses& device_classes();
const DeviceClass& class_of(const DeviceParameters& device);
/// The most that the cores of a rank get, byte/s; nothing but of CPUs that were not measured.
std::optional<Quantity> core_bandwidth(const Machine& machine);
std::span<const EmbeddedFile> class_files();

/// Gives a machine that was not measured what its file lacks: the shares of its device's class, and
/// to plain numbers their class's intervals. What the file tells otherwise stays.
void assume_class(Machine& machine);

}  // namespace bellwether
