// SPDX-License-Identifier: MIT
#include "results/gpu_monitor.hpp"

#include <dlfcn.h>

#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

namespace bellwether {
namespace {

using nlohmann::json;

// From NVML's reference: types as in nvml.h, enumerations being int there.
constexpr int success = 0;             // NVML_SUCCESS
constexpr int sm_clock = 1;            // NVML_CLOCK_SM
constexpr int memory_clock = 2;        // NVML_CLOCK_MEM
constexpr int temperature_of_gpu = 0;  // NVML_TEMPERATURE_GPU
using NvmlDevice = void*;

/// Calls a function of the library: whether it is there and succeeds.
template <class... Parameters, class... Arguments>
bool call(void* library, int (*)(Parameters...), const char* name, Arguments... arguments) {
  void* const symbol = library == nullptr ? nullptr : dlsym(library, name);
  if (symbol == nullptr) return false;
  return reinterpret_cast<int (*)(Parameters...)>(symbol)(arguments...) == success;
}
template <class... Parameters>
constexpr int (*takes)(Parameters...) = nullptr;

json number_or_null(const std::optional<unsigned>& number, double factor = 1) {
  if (!number) return nullptr;
  return factor == 1 ? json(*number) : json(*number * factor);
}
json text_or_null(const std::string& text) { return text.empty() ? json(nullptr) : json(text); }

}  // namespace

GpuMonitor::GpuMonitor(GpuNames names, const std::string& library) : names_(std::move(names)) {
  library_ = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!call(library_, takes<>, "nvmlInit_v2")) {
    library_ = nullptr;
    return;
  }
  const auto find = [this](const char* function, const std::string& name) {
    return !name.empty() &&
           call(library_, takes<const char*, NvmlDevice*>, function, name.c_str(), &device_);
  };
  // Part of a GPU (MIG) goes by a name of its own there: the whole has clocks and a temperature.
  if (!find("nvmlDeviceGetHandleByUUID", names_.uuid) &&
      !find("nvmlDeviceGetHandleByPciBusId_v2", names_.pci_bus_id))
    device_ = nullptr;
}

GpuMonitor::~GpuMonitor() { (void)call(library_, takes<>, "nvmlShutdown"); }

json GpuMonitor::read() const {
  const auto number = [this](const char* function, auto... which) -> std::optional<unsigned> {
    unsigned value = 0;
    if (device_ == nullptr || !call(library_, takes<NvmlDevice, decltype(which)..., unsigned*>,
                                    function, device_, which..., &value))
      return {};
    return value;
  };
  const auto enabled = [this](const char* function) {
    unsigned now = 0, after_restart = 0;
    return device_ != nullptr && call(library_, takes<NvmlDevice, unsigned*, unsigned*>, function,
                                      device_, &now, &after_restart)
               ? json(now != 0)
               : json(nullptr);
  };
  std::array<char, 80> driver{};
  (void)call(library_, takes<char*, unsigned>, "nvmlSystemGetDriverVersion", driver.data(),
             static_cast<unsigned>(driver.size() - 1));
  return {
      {"name", text_or_null(names_.name)},
      {"uuid", text_or_null(names_.uuid)},
      {"pci_bus_id", text_or_null(names_.pci_bus_id)},
      {"runtime", text_or_null(names_.runtime)},
      {"driver", text_or_null(driver.data())},
      {"sm_clock_mhz", number_or_null(number("nvmlDeviceGetClockInfo", sm_clock))},
      {"sm_clock_max_mhz", number_or_null(number("nvmlDeviceGetMaxClockInfo", sm_clock))},
      {"memory_clock_mhz", number_or_null(number("nvmlDeviceGetClockInfo", memory_clock))},
      {"memory_clock_max_mhz", number_or_null(number("nvmlDeviceGetMaxClockInfo", memory_clock))},
      {"power_w", number_or_null(number("nvmlDeviceGetPowerUsage"), 1e-3)},
      {"power_limit_w", number_or_null(number("nvmlDeviceGetEnforcedPowerLimit"), 1e-3)},
      {"temperature_c", number_or_null(number("nvmlDeviceGetTemperature", temperature_of_gpu))},
      {"ecc", enabled("nvmlDeviceGetEccMode")},
      {"mig", enabled("nvmlDeviceGetMigMode")}};
}

}  // namespace bellwether
