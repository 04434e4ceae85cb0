// SPDX-License-Identifier: MIT
#include "results/gpu_monitor.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <tuple>
#include <utility>

namespace bellwether {
namespace {

using nlohmann::json;

const std::string good = FAKE_NVML_FOLDER "/good/libnvidia-ml.so";
const std::string broken = FAKE_NVML_FOLDER "/broken/libnvidia-ml.so";
const GpuNames first{"NVIDIA H100", "GPU-00010203-0405-0607-0809-0a0b0c0d0e0f", "00000000:17:00.0",
                     "CUDA 13.0"};

json first_facts() {
  return json::parse(R"({"name": "NVIDIA H100", "runtime": "CUDA 13.0", "driver": "580.65.06",
    "uuid": "GPU-00010203-0405-0607-0809-0a0b0c0d0e0f", "pci_bus_id": "00000000:17:00.0",
    "sm_clock_mhz": 1755, "sm_clock_max_mhz": 1980, "memory_clock_mhz": 2619,
    "memory_clock_max_mhz": 2620, "power_w": 350.125, "power_limit_w": 700.0, "temperature_c": 41,
    "ecc": true, "mig": false})");
}

/// The same keys, with the runtime's names alone.
json names_alone() {
  json facts = first_facts();
  for (auto& [key, value] : facts.items())
    if (key != "name" && key != "uuid" && key != "pci_bus_id" && key != "runtime") value = nullptr;
  return facts;
}

TEST(GpuMonitor, TellsTheGpusState) { EXPECT_EQ(GpuMonitor(first, good).read(), first_facts()); }

TEST(GpuMonitor, FindsPartOfAGpuByTheBus) {
  GpuNames part = first;
  part.uuid = "GPU-ffffffff-ffff-ffff-ffff-ffffffffffff";
  json expected = first_facts();
  expected["uuid"] = part.uuid;
  EXPECT_EQ(GpuMonitor(part, good).read(), expected);
}

TEST(GpuMonitor, WhatAGpuDoesNotTellIsNull) {
  GpuNames second = first;
  second.uuid = "GPU-11111111-1111-1111-1111-111111111111";
  const json facts = GpuMonitor(second, good).read();
  for (const char* key :
       {"sm_clock_mhz", "sm_clock_max_mhz", "memory_clock_mhz", "memory_clock_max_mhz", "mig"})
    EXPECT_TRUE(facts.at(key).is_null()) << key;
  EXPECT_EQ(facts.at("power_limit_w"), 300.0);
  EXPECT_EQ(facts.at("ecc"), false);
}

TEST(GpuMonitor, WithoutTheLibraryTheNamesAreLeft) {
  EXPECT_EQ(GpuMonitor(first, "/nowhere/libnvidia-ml.so.1").read(), names_alone());
  EXPECT_EQ(GpuMonitor(first, broken).read(), names_alone());
  // A library without these functions, which the C library is.
  EXPECT_EQ(GpuMonitor(first, "libc.so.6").read(), names_alone());
}

TEST(GpuMonitor, OfAnUnknownGpuTheDriverIsTold) {
  GpuNames other = first;
  other.uuid = other.pci_bus_id = "";
  json expected = names_alone();
  expected["uuid"] = expected["pci_bus_id"] = nullptr;
  expected["driver"] = "580.65.06";
  EXPECT_EQ(GpuMonitor(other, good).read(), expected);
}

TEST(GpuRemarks, SayWhatIsCommonAndWhoDiffers) {
  using Remarks = std::vector<std::string>;
  const json one = first_facts();
  const std::string common =
      "GPUs: NVIDIA H100, driver 580.65.06, clock up to 1980 MHz, memory clock up to 2620 MHz, "
      "power limit 700 W, ECC on, MIG off, ";
  EXPECT_EQ(gpu_remarks({one, one}), Remarks{common + "41 °C"});
  json hot = one;
  hot["temperature_c"] = 63;
  EXPECT_EQ(gpu_remarks({one, hot, one}), Remarks{common + "41 to 63 °C"});
  json odd = one;
  odd["driver"] = "570.1";
  odd["power_limit_w"] = 500.0;
  odd["mig"] = nullptr;  // not told is no difference
  EXPECT_EQ(
      gpu_remarks({one, odd, one, one}),
      (Remarks{"GPUs: NVIDIA H100, clock up to 1980 MHz, memory clock up to 2620 MHz, ECC on, "
               "MIG off, 41 °C",
               "GPUs differ: rank 1: driver 570.1; the others: driver 580.65.06",
               "GPUs differ: rank 1: power limit 500 W; the others: power limit 700 W"}));
  json unchecked = one;
  unchecked["ecc"] = false;
  EXPECT_EQ(gpu_remarks({unchecked, unchecked, unchecked, unchecked, unchecked, one, one, one, one,
                         one, one})
                .back(),
            "GPUs differ: ranks 0, 1, 2, 3 and 1 more: ECC off; the others: ECC on");
}

TEST(GpuRemarks, SayNothingOfWhatNobodyTells) {
  EXPECT_TRUE(gpu_remarks({}).empty());
  EXPECT_TRUE(gpu_remarks({nullptr, nullptr}).empty());
  EXPECT_EQ(gpu_remarks({names_alone(), nullptr}), std::vector<std::string>{"GPUs: NVIDIA H100"});
  const json state = GpuMonitor(first, good).read();
  EXPECT_EQ(gpu_remarks({state}).size(), 1);
}

TEST(GpuWatch, TellsTheRangeOfWhatItRead) {
  void* const library = dlopen(good.c_str(), RTLD_NOW);
  ASSERT_NE(library, nullptr) << dlerror();
  auto& slowing = *static_cast<unsigned*>(dlsym(library, "fakeNvmlSlowing"));
  const GpuMonitor monitor(first, good);
  slowing = 2;
  const double begin = *monitor.read_moment().sm_clock_mhz - 2;
  GpuWatch watch(&monitor, std::chrono::milliseconds(1));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const json during = watch.end();
  slowing = 0;
  const unsigned readings = during.at("readings");
  ASSERT_GE(readings, 1);
  EXPECT_EQ(during.at("sm_clock_mhz"), (json{{"min", begin - 2. * (readings - 1)},
                                             {"median", begin - 1. * (readings - 1)},
                                             {"max", begin}}));
  EXPECT_EQ(during.at("power_w"), (json{{"min", 350.125}, {"median", 350.125}, {"max", 350.125}}));
  EXPECT_EQ(during.at("slowed_by"), (json{"power cap", "thermal slowdown"}));
  EXPECT_TRUE(watch.end().is_null());
  dlclose(library);
}

TEST(GpuWatch, WhatNobodyTellsIsNull) {
  GpuNames second = first;
  second.uuid = "GPU-11111111-1111-1111-1111-111111111111";
  const GpuMonitor without_clocks(second, good), none(first, "/nowhere/libnvidia-ml.so.1");
  const json during = GpuWatch(&without_clocks).end();
  EXPECT_GE(during.at("readings"), 1);
  EXPECT_TRUE(during.at("sm_clock_mhz").is_null());
  EXPECT_TRUE(during.at("slowed_by").empty());
  EXPECT_TRUE(GpuWatch(&none).end().is_null());
  EXPECT_TRUE(GpuWatch(nullptr).end().is_null());
}

/// Values and texts of what the GPU tells, by their keys.
std::map<std::string, std::pair<json, std::string>> health_of(GpuMonitor& monitor) {
  std::map<std::string, std::pair<json, std::string>> found;
  for (const HealthReading& one : monitor.health()) {
    EXPECT_EQ(one.of, "GPU " + monitor.names().pci_bus_id);
    EXPECT_TRUE(found.emplace(one.key, std::pair(one.value, one.text)).second) << one.key;
  }
  return found;
}

/// A variable of the fake library, which is restored.
template <class T>
class Changed {
 public:
  Changed(void* library, const char* name, T value)
      : variable_(*static_cast<T*>(dlsym(library, name))), before_(variable_) {
    variable_ = value;
  }
  ~Changed() { variable_ = before_; }
  Changed(const Changed&) = delete;
  Changed& operator=(const Changed&) = delete;

 private:
  T& variable_;
  T before_;
};

TEST(GpuHealth, OfAGoodGpuNothingIsAmiss) {
  GpuMonitor monitor(first, good);
  auto found = health_of(monitor);
  EXPECT_EQ(found.size(), 10U);
  EXPECT_EQ(found.at("gpu_corrected_errors_ever").first, 12);
  EXPECT_EQ(found.at("gpu_slowed_by").first, (json{"power cap", "thermal slowdown"}));
  for (const char* key : {"gpu_corrected_errors_ever", "gpu_slowed_by"}) found.erase(key);
  for (const auto& [key, reading] : found) EXPECT_EQ(reading.first, 0) << key;
}

TEST(GpuHealth, EveryFaultHasItsNumberAndWords) {
  void* const library = dlopen(good.c_str(), RTLD_NOW);
  ASSERT_NE(library, nullptr) << dlerror();
  GpuMonitor monitor(first, good);
  {
    const Changed<std::array<unsigned long long, 4>> errors(library, "fakeNvmlErrors",
                                                            {1, 2, 3, 4});
    const Changed<unsigned> pending(library, "fakeNvmlPending", 1),
        failed(library, "fakeNvmlFailed", 1), lanes(library, "fakeNvmlLanes", 8),
        generation(library, "fakeNvmlGeneration", 3);
    const Changed<unsigned long long> xid(library, "fakeNvmlXid", 79);
    const auto found = health_of(monitor);
    for (const auto& [key, value, text] :
         {std::tuple{"gpu_corrected_errors", 1,
                     "1 corrected memory errors since the driver was loaded"},
          {"gpu_corrected_errors_ever", 2, "2 corrected memory errors in its life"},
          {"gpu_uncorrected_errors", 3, "3 uncorrected memory errors since the driver was loaded"},
          {"gpu_uncorrected_errors_ever", 4, "4 uncorrected memory errors in its life"},
          {"gpu_repair_pending", 1, "faulty memory is in use until the GPU is reset"},
          {"gpu_repair_failed", 1, "faulty memory could not be replaced by spare rows"},
          {"gpu_lanes_missing", 8, "8 of 16 PCIe lanes are up"},
          {"gpu_generations_missing", 2, "PCIe runs at generation 3 of 5"},
          {"gpu_xid_events", 1, "XID 79"}})
      EXPECT_EQ(found.at(key), (std::pair<json, std::string>(value, text)));
  }
  const Changed<unsigned long long> another(library, "fakeNvmlXid", 48);
  EXPECT_EQ(health_of(monitor).at("gpu_xid_events"),
            (std::pair<json, std::string>(2, "XID 79, 48")));
  dlclose(library);
}

TEST(GpuHealth, WhatAGpuDoesNotTellHasNoReading) {
  GpuNames second = first;
  second.uuid = "GPU-11111111-1111-1111-1111-111111111111";
  GpuMonitor before_ampere(second, good), none(first, "/nowhere/libnvidia-ml.so.1"),
      without_functions(first, "libc.so.6");
  const auto found = health_of(before_ampere);
  EXPECT_EQ(found.size(), 3U);
  EXPECT_EQ(found.at("gpu_repair_pending").first, 1) << "of retired pages";
  EXPECT_TRUE(found.contains("gpu_lanes_missing") && found.contains("gpu_generations_missing"));
  EXPECT_TRUE(none.health().empty());
  EXPECT_TRUE(without_functions.health().empty());
}

TEST(GpuMonitor, EndsWhatItStarts) {
  void* const library = dlopen(good.c_str(), RTLD_NOW);
  ASSERT_NE(library, nullptr) << dlerror();
  const auto started = reinterpret_cast<int (*)()>(dlsym(library, "fakeNvmlStarted"));
  const int& event_sets = *static_cast<int*>(dlsym(library, "fakeNvmlEventSets"));
  ASSERT_EQ(started(), 0);
  {
    GpuNames second = first;
    second.uuid = "GPU-11111111-1111-1111-1111-111111111111";
    const GpuMonitor monitor(first, good), without_events(second, good);
    EXPECT_EQ(started(), 2);
    EXPECT_EQ(event_sets, 1);
  }
  EXPECT_EQ(started(), 0);
  EXPECT_EQ(event_sets, 0);
}

}  // namespace
}  // namespace bellwether
