// SPDX-License-Identifier: MIT
#include "models/machine/device_classes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/amg/amg_parameters.hpp"
#include "models/machine/json_type.hpp"

namespace bellwether {
namespace {

const JsonType<DeviceClasses>& classes_type() {
  const JsonType<Quantity> positive = json_quantity(Range::positive);
  const JsonType<DeviceClass> device = json_object<DeviceClass>(
      {required("kind", &DeviceClass::kind, json_word({"cpu", "gpu"})),
       required("vendor", &DeviceClass::vendor, json_text()),
       required("leave_one_out_error", &DeviceClass::leave_one_out_error, json_number()),
       required("memory_efficiency", &DeviceClass::memory_efficiency,
                json_quantity(Range::efficiency)),
       required("matrix_efficiency", &DeviceClass::matrix_efficiency,
                json_quantity(Range::efficiency)),
       optional("core_bandwidth_bytes_per_s", &DeviceClass::core_bandwidth_bytes_per_s, positive)});
  const JsonType<LinkClass> link = json_object<LinkClass>(
      {required("latency", &LinkClass::latency, positive),
       required("bandwidth", &LinkClass::bandwidth, positive),
       optional("wait_per_diameter_s", &LinkClass::wait_per_diameter_s, positive),
       optional("nodes", &LinkClass::nodes, positive)});
  static const JsonType<DeviceClasses> type = json_object<DeviceClasses>(
      {required("comment", &DeviceClasses::comment, json_text()),
       required("devices", &DeviceClasses::devices, json_list(device, 1)),
       required("widening_per_doubling", &DeviceClasses::widening_per_doubling, positive),
       required("links", &DeviceClasses::links, json_by_name(&LinkClass::name, link))});
  return type;
}

/// The share of a number, whose own interval stays within the product's.
Quantity share_of(const Quantity& number, const Quantity& share) {
  return {number.value * share.value, number.low * share.low, number.high * share.high,
          fmt::format("assumed: {:.4g} of a data sheet times {:.3g} ({:.3g} to {:.3g}); {}",
                      number.value, share.value, share.low, share.high, share.source)};
}

bool is_published(const DeviceParameters& device) {
  return device.backend.empty() && device.memory.empty();
}

void assume(Quantity& number, const Quantity& share) {
  if (number.source == plain_number) number = share_of(number, share);
}

Quantity around_one(const Quantity& share) {
  return {1, share.low / share.value, share.high / share.value, share.source};
}

/// Of the memory bandwidth: a core's own loads and stores take their time beside the memory's.
Quantity memory_share(const Machine& machine) {
  Quantity share = class_of(machine.device).memory_efficiency;
  const std::optional<Quantity> core = core_bandwidth(machine);
  if (!core) return share;
  const double bandwidth = machine.device.memory_bandwidth_bytes_per_s.value;
  share.value = 1 / (1 / share.value + bandwidth / core->value);
  share.low = 1 / (1 / share.low + bandwidth / core->low);
  share.high = 1 / (1 / share.high + bandwidth / core->high);
  return share;
}

void assume_device(Machine& machine) {
  DeviceParameters& device = machine.device;
  const DeviceClass& known = class_of(device);
  if (!device.memory_efficiency)
    device.memory_efficiency = memory_share(machine);
  else
    assume(*device.memory_efficiency, around_one(known.memory_efficiency));
  device.memory_efficiency->high = std::min(1., device.memory_efficiency->high);
  for (auto& [precision, rate] : device.gemm_flops_per_s)
    assume(rate, around_one(known.matrix_efficiency));
  if (device.gemm_flops_per_s.empty() && !machine.sections.contains("hpl"))
    for (const auto& [precision, peak] : device.peak_flops_per_s)
      device.gemm_flops_per_s[precision] = share_of(peak, known.matrix_efficiency);
}

}  // namespace

const DeviceClasses& device_classes() {
  static const DeviceClasses classes = [] {
    const EmbeddedFile& file = class_files().front();
    const nlohmann::json document = parse_json(file.text, file.name);
    return classes_type().read(JsonNode(document, file.name));
  }();
  return classes;
}

const DeviceClass& class_of(const DeviceParameters& device) {
  const std::vector<DeviceClass>& known = device_classes().devices;
  return *std::find_if(known.begin(), known.end(), [&](const DeviceClass& one) {
    return one.kind == device.kind && device.name.find(one.vendor) != std::string::npos;
  });
}

std::optional<Quantity> core_bandwidth(const Machine& machine) {
  if (!is_published(machine.device) || machine.device.kind != "cpu") return {};
  const Quantity& core = *class_of(machine.device).core_bandwidth_bytes_per_s;
  const Layout& layout = machine.layout;
  const double cores = std::max(1., 1. * layout.cores_per_node / layout.ranks_per_node);
  return Quantity{cores * core.value, cores * core.low, cores * core.high, core.source};
}

void assume_class(Machine& machine) {
  for (const LinkClass& known : device_classes().links) {
    const auto found = machine.links.find(known.name);
    if (found == machine.links.end()) continue;
    Link& link = found->second;
    if (known.wait_per_diameter_s && link.one_way.latency_s.source == plain_number) {
      const auto* const amg = section<AmgParameters>(machine);
      AmgParameters parameters = amg != nullptr ? *amg : AmgParameters();
      if (!parameters.wait_per_diameter_s)
        parameters.wait_per_diameter_s = known.wait_per_diameter_s;
      set_section(machine, parameters);
    }
    assume(link.one_way.latency_s, known.latency);
    assume(link.one_way.bandwidth_bytes_per_s, known.bandwidth);
  }
  if (is_published(machine.device)) assume_device(machine);
}

}  // namespace bellwether
