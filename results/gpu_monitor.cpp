// SPDX-License-Identifier: MIT
#include "results/gpu_monitor.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <csignal>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <stop_token>
#include <utility>

#include "results/record_json_types.hpp"
#include "results/statistics.hpp"

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

/// What a function tells of a device as an unsigned number.
template <class... Which>
std::optional<unsigned> number_of(void* library, NvmlDevice device, const char* function,
                                  Which... which) {
  unsigned value = 0;
  if (device == nullptr ||
      !call(library, takes<NvmlDevice, Which..., unsigned*>, function, device, which..., &value))
    return {};
  return value;
}

json number_or_null(const std::optional<unsigned>& number, double factor = 1) {
  if (!number) return nullptr;
  return factor == 1 ? json(*number) : json(*number * factor);
}

struct GpuQuantity {
  const char* key;
  const char* shown;  ///< a format of the value; of a boolean, what it is called
};
constexpr GpuQuantity gpu_quantities[] = {{"name", "{}"},
                                          {"driver", "driver {}"},
                                          {"sm_clock_max_mhz", "clock up to {} MHz"},
                                          {"memory_clock_max_mhz", "memory clock up to {} MHz"},
                                          {"power_limit_w", "power limit {} W"},
                                          {"ecc", "ECC"},
                                          {"mig", "MIG"}};

std::string shown(const GpuQuantity& quantity, const json& value) {
  if (value.is_boolean())
    return fmt::format("{} {}", quantity.shown, value.get<bool>() ? "on" : "off");
  const std::string text =
      value.is_number() ? fmt::format("{:g}", value.get<double>()) : value.get<std::string>();
  return fmt::format(fmt::runtime(quantity.shown), text);
}

std::string ranks_text(const std::vector<std::size_t>& ranks) {
  constexpr std::size_t most = 4;
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < std::min(most, ranks.size()); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : ", ", ranks[i]);
  return ranks.size() > most ? fmt::format("{} and {} more", text, ranks.size() - most) : text;
}

/// The GPUs' temperatures, if they tell them.
std::string temperatures(const std::vector<json>& states) {
  std::optional<double> coldest, hottest;
  for (const json& state : states) {
    if (!state.is_object() || !state.at("temperature_c").is_number()) continue;
    const double now = state.at("temperature_c");
    coldest = std::min(coldest.value_or(now), now);
    hottest = std::max(hottest.value_or(now), now);
  }
  if (!coldest) return {};
  return *coldest == *hottest ? fmt::format("{:g} °C", *coldest)
                              : fmt::format("{:g} to {:g} °C", *coldest, *hottest);
}

/// Bits of nvmlClocksEventReasons that are a GPU's own, not a choice of clocks; some share a cause.
constexpr std::pair<unsigned long long, const char*> slowdowns[] = {
    {0x4, "power cap"},
    {0x8, "hardware slowdown"},
    {0x20 | 0x40, "thermal slowdown"},
    {0x80, "power brake"}};

/// Those of these bits.
std::vector<std::string> slowdowns_of(unsigned long long bits) {
  std::vector<std::string> names;
  for (const auto& [mask, name] : slowdowns)
    if ((bits & mask) != 0) names.emplace_back(name);
  return names;
}

/// Counts of errors in a GPU's memories: the type (corrected, uncorrected) and the counter (since
/// the driver was loaded, ever) as NVML numbers them.
struct MemoryErrors {
  int type, counter;
  const char *key, *text;
};
constexpr MemoryErrors memory_errors[] = {
    {0, 0, "gpu_corrected_errors", "corrected memory errors since the driver was loaded"},
    {1, 0, "gpu_uncorrected_errors", "uncorrected memory errors since the driver was loaded"},
    {0, 1, "gpu_corrected_errors_ever", "corrected memory errors in its life"},
    {1, 1, "gpu_uncorrected_errors_ever", "uncorrected memory errors in its life"}};

constexpr unsigned long long xid_event = 8;  // nvmlEventTypeXidCriticalError
/// nvmlEventData_t.
struct NvmlEvent {
  NvmlDevice device;
  unsigned long long type, data;
  unsigned gpu_instance, compute_instance;
};

using Moments = std::vector<GpuMonitor::Moment>;

json range_of(const Moments& moments, std::optional<double> GpuMonitor::Moment::*which) {
  std::vector<double> values;
  for (const GpuMonitor::Moment& moment : moments)
    if (moment.*which) values.push_back(*(moment.*which));
  if (values.empty()) return nullptr;
  const Summary range = summarize(std::move(values));
  return {{"min", range.min}, {"median", range.median}, {"max", range.max}};
}

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
  if (device_ != nullptr && call(library_, takes<void**>, "nvmlEventSetCreate", &events_) &&
      !call(library_, takes<NvmlDevice, unsigned long long, void*>, "nvmlDeviceRegisterEvents",
            device_, xid_event, events_))
    free_events();
}

GpuMonitor::~GpuMonitor() {
  free_events();
  (void)call(library_, takes<>, "nvmlShutdown");
}

void GpuMonitor::free_events() {
  if (events_ != nullptr) (void)call(library_, takes<void*>, "nvmlEventSetFree", events_);
  events_ = nullptr;
}

json GpuMonitor::read() const {
  const auto number = [this](const char* function, auto... which) {
    return number_of(library_, device_, function, which...);
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
      {"name", text_or_null().write(names_.name)},
      {"uuid", text_or_null().write(names_.uuid)},
      {"pci_bus_id", text_or_null().write(names_.pci_bus_id)},
      {"runtime", text_or_null().write(names_.runtime)},
      {"driver", text_or_null().write(driver.data())},
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

GpuMonitor::Moment GpuMonitor::read_moment() const {
  Moment moment;
  moment.sm_clock_mhz = number_of(library_, device_, "nvmlDeviceGetClockInfo", sm_clock);
  if (const auto milliwatts = number_of(library_, device_, "nvmlDeviceGetPowerUsage"))
    moment.power_w = 1e-3 * *milliwatts;
  // The name that every release has; the newer one is ...EventReasons.
  (void)call(library_, takes<NvmlDevice, unsigned long long*>,
             "nvmlDeviceGetCurrentClocksThrottleReasons", device_, &moment.slowed_by);
  return moment;
}

std::vector<HealthReading> GpuMonitor::health() {
  std::vector<HealthReading> found;
  if (device_ == nullptr) return found;
  const std::string gpu = "GPU " + (names_.pci_bus_id.empty() ? names_.uuid : names_.pci_bus_id);
  const auto add = [&](const char* key, const json& value, std::string text) {
    found.push_back({key, gpu, value, std::move(text)});
  };
  for (const auto& [type, counter, key, text] : memory_errors) {
    unsigned long long count = 0;
    if (call(library_, takes<NvmlDevice, int, int, unsigned long long*>,
             "nvmlDeviceGetTotalEccErrors", device_, type, counter, &count))
      add(key, count, fmt::format("{} {}", count, text));
  }
  unsigned corrected = 0, uncorrected = 0, pending = 0, failed = 0;
  const bool remaps =
      call(library_, takes<NvmlDevice, unsigned*, unsigned*, unsigned*, unsigned*>,
           "nvmlDeviceGetRemappedRows", device_, &corrected, &uncorrected, &pending, &failed);
  if (remaps) add("gpu_repair_failed", failed, "faulty memory could not be replaced by spare rows");
  // Before the Ampere generation pages are retired.
  if (remaps || call(library_, takes<NvmlDevice, unsigned*>,
                     "nvmlDeviceGetRetiredPagesPendingStatus", device_, &pending))
    add("gpu_repair_pending", pending, "faulty memory is in use until the GPU is reset");
  unsigned long long bits = 0;
  if (call(library_, takes<NvmlDevice, unsigned long long*>,
           "nvmlDeviceGetCurrentClocksThrottleReasons", device_, &bits)) {
    const std::vector<std::string> names = slowdowns_of(bits);
    add("gpu_slowed_by", names, fmt::format("slowed down now by {}", fmt::join(names, ", ")));
  }
  const auto compare = [&](const char* key, const char* now, const char* most, const char* text) {
    const auto has = number_of(library_, device_, now), can = number_of(library_, device_, most);
    if (has && can)
      add(key, *can - std::min(*has, *can), fmt::format(fmt::runtime(text), *has, *can));
  };
  compare("gpu_lanes_missing", "nvmlDeviceGetCurrPcieLinkWidth", "nvmlDeviceGetMaxPcieLinkWidth",
          "{} of {} PCIe lanes are up");
  compare("gpu_generations_missing", "nvmlDeviceGetCurrPcieLinkGeneration",
          "nvmlDeviceGetMaxPcieLinkGeneration", "PCIe runs at generation {} of {}");
  if (events_ != nullptr) {
    NvmlEvent event{};
    while (call(library_, takes<void*, NvmlEvent*, unsigned>, "nvmlEventSetWait_v2", events_,
                &event, 0U))
      xids_.push_back(event.data);
    add("gpu_xid_events", xids_.size(), fmt::format("XID {}", fmt::join(xids_, ", ")));
  }
  return found;
}

std::optional<double> GpuMonitor::energy_j() const {
  unsigned long long millijoules = 0;
  if (device_ == nullptr || !call(library_, takes<NvmlDevice, unsigned long long*>,
                                  "nvmlDeviceGetTotalEnergyConsumption", device_, &millijoules))
    return {};
  return static_cast<double>(millijoules) / 1e3;
}

GpuWatch::GpuWatch(const GpuMonitor* monitor, std::chrono::milliseconds period) {
  if (monitor == nullptr || !monitor->knows_the_device()) return;
  thread_ = periodically(period, [this, monitor] { moments_.push_back(monitor->read_moment()); });
}

json GpuWatch::end() {
  if (!thread_.joinable()) return nullptr;
  thread_.request_stop();
  thread_.join();
  unsigned long long bits = 0;
  for (const GpuMonitor::Moment& moment : moments_) bits |= moment.slowed_by;
  return {{"readings", moments_.size()},
          {"sm_clock_mhz", range_of(moments_, &GpuMonitor::Moment::sm_clock_mhz)},
          {"power_w", range_of(moments_, &GpuMonitor::Moment::power_w)},
          {"slowed_by", slowdowns_of(bits)}};
}

std::vector<std::string> gpu_remarks(const std::vector<json>& states) {
  std::string alike;
  const auto add = [&](const std::string& text) {
    if (!text.empty()) alike.append(alike.empty() ? "" : ", ").append(text);
  };
  std::vector<std::string> remarks;
  for (const GpuQuantity& quantity : gpu_quantities) {
    std::map<std::string, std::vector<std::size_t>> ranks_of;
    for (std::size_t rank = 0; rank < states.size(); ++rank)
      if (states[rank].is_object() && !states[rank].at(quantity.key).is_null())
        ranks_of[shown(quantity, states[rank].at(quantity.key))].push_back(rank);
    if (ranks_of.size() == 1) add(ranks_of.begin()->first);
    if (ranks_of.size() < 2) continue;
    const auto usual = std::max_element(
        ranks_of.begin(), ranks_of.end(),
        [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
    std::string others;
    for (const auto& one : ranks_of)
      if (one.first != usual->first)
        others +=
            fmt::format("{}{}: {}", others.empty() ? "" : "; ", ranks_text(one.second), one.first);
    remarks.push_back(fmt::format("GPUs differ: {}; the others: {}", others, usual->first));
  }
  add(temperatures(states));
  if (!alike.empty()) remarks.insert(remarks.begin(), "GPUs: " + alike);
  return remarks;
}

std::jthread periodically(std::chrono::milliseconds period, std::function<void()> work) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  std::jthread thread([period, work = std::move(work)](const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any ended;
    std::unique_lock lock(mutex);
    do work();
    while (!ended.wait_for(lock, stop, period, [&] { return stop.stop_requested(); }));
  });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

}  // namespace bellwether
