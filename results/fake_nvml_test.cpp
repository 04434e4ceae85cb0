// SPDX-License-Identifier: MIT
#include <cstring>

// libnvidia-ml.so.1 for a test: two GPUs. The second is of before Ampere, knows no clocks, energy
// and XIDs and cannot be divided. With FAKE_NVML_STATUS it does not start.

#ifndef FAKE_NVML_STATUS
#define FAKE_NVML_STATUS 0
#endif

namespace {

constexpr int success = 0, not_supported = 3, not_found = 6, uninitialized = 1, timeout = 10;
int first = 0, second = 0, started = 0;
unsigned readings = 0;

int find(const char* wanted, const char* first_name, const char* second_name, void** device) {
  if (started == 0) return uninitialized;
  *device = nullptr;
  if (std::strcmp(wanted, first_name) == 0) *device = &first;
  if (std::strcmp(wanted, second_name) == 0) *device = &second;
  return *device == nullptr ? not_found : success;
}

int clock(void* device, int type, unsigned sm, unsigned memory, unsigned* mhz) {
  if (device != &first || type < 1 || type > 2) return not_supported;
  *mhz = type == 1 ? sm : memory;
  return success;
}

int put(unsigned value, unsigned* to) {
  *to = value;
  return success;
}

}  // namespace

extern "C" {

int nvmlInit_v2() {
  if (FAKE_NVML_STATUS == 0) ++started;
  return FAKE_NVML_STATUS;
}
int nvmlShutdown() {
  --started;
  return success;
}
int fakeNvmlStarted() { return started; }
unsigned fakeNvmlSlowing = 0;  // MHz that each reading of the clock is below the one before
int nvmlSystemGetDriverVersion(char* version, unsigned length) {
  std::strncpy(version, "580.65.06", length);
  return success;
}
int nvmlDeviceGetHandleByUUID(const char* uuid, void** device) {
  return find(uuid, "GPU-00010203-0405-0607-0809-0a0b0c0d0e0f",
              "GPU-11111111-1111-1111-1111-111111111111", device);
}
int nvmlDeviceGetHandleByPciBusId_v2(const char* id, void** device) {
  return find(id, "00000000:17:00.0", "00000000:3d:00.0", device);
}
int nvmlDeviceGetClockInfo(void* device, int type, unsigned* mhz) {
  const int status = clock(device, type, 1755 - fakeNvmlSlowing * readings, 2619, mhz);
  if (type == 1) ++readings;
  return status;
}
int nvmlDeviceGetMaxClockInfo(void* device, int type, unsigned* mhz) {
  return clock(device, type, 1980, 2620, mhz);
}
int nvmlDeviceGetPowerUsage(void*, unsigned* milliwatts) { return put(350125, milliwatts); }
unsigned long long fakeNvmlMillijoules = 0;
int nvmlDeviceGetTotalEnergyConsumption(void* device, unsigned long long* millijoules) {
  if (device != &first) return not_supported;
  *millijoules = fakeNvmlMillijoules;
  return success;
}
int nvmlDeviceGetEnforcedPowerLimit(void* device, unsigned* milliwatts) {
  return put(device == &first ? 700000 : 300000, milliwatts);
}
int nvmlDeviceGetTemperature(void*, int sensor, unsigned* celsius) {
  return sensor == 0 ? put(41, celsius) : not_supported;
}
int nvmlDeviceGetCurrentClocksThrottleReasons(void* device, unsigned long long* reasons) {
  if (device != &first) return not_supported;
  *reasons = 0x2 | 0x4 | 0x40;  // chosen clocks, power cap, the hardware's thermal slowdown
  return success;
}
// By the type of error, each since the driver was loaded and ever.
unsigned long long fakeNvmlErrors[2][2] = {{0, 12}, {0, 0}};
int nvmlDeviceGetTotalEccErrors(void* device, int type, int counter, unsigned long long* count) {
  if (device != &first || type < 0 || type > 1 || counter < 0 || counter > 1) return not_supported;
  *count = fakeNvmlErrors[type][counter];
  return success;
}
unsigned fakeNvmlPending = 0, fakeNvmlFailed = 0;
int nvmlDeviceGetRemappedRows(void* device, unsigned* corrected, unsigned* uncorrected,
                              unsigned* pending, unsigned* failed) {
  if (device != &first) return not_supported;
  *corrected = *uncorrected = 1;
  *pending = fakeNvmlPending;
  return put(fakeNvmlFailed, failed);
}
int nvmlDeviceGetRetiredPagesPendingStatus(void* device, unsigned* pending) {
  return device == &second ? put(1, pending) : not_supported;
}
unsigned fakeNvmlLanes = 16, fakeNvmlGeneration = 5;
int nvmlDeviceGetCurrPcieLinkWidth(void*, unsigned* lanes) { return put(fakeNvmlLanes, lanes); }
int nvmlDeviceGetMaxPcieLinkWidth(void*, unsigned* lanes) { return put(16, lanes); }
int nvmlDeviceGetCurrPcieLinkGeneration(void*, unsigned* generation) {
  return put(fakeNvmlGeneration, generation);
}
int nvmlDeviceGetMaxPcieLinkGeneration(void*, unsigned* generation) { return put(5, generation); }
int fakeNvmlEventSets = 0;  // not yet freed
int nvmlEventSetCreate(void** set) {
  ++fakeNvmlEventSets;
  *set = &fakeNvmlEventSets;
  return success;
}
int nvmlDeviceRegisterEvents(void* device, unsigned long long types, void*) {
  return device == &first && types == 8 ? success : not_supported;
}
int nvmlEventSetFree(void*) {
  --fakeNvmlEventSets;
  return success;
}
struct FakeNvmlEvent {
  void* device;
  unsigned long long type, data;
  unsigned gpu_instance, compute_instance;
};
unsigned long long fakeNvmlXid = 0;  // that comes next; 0: none
int nvmlEventSetWait_v2(void*, FakeNvmlEvent* event, unsigned milliseconds) {
  if (fakeNvmlXid == 0 || milliseconds > 0) return timeout;
  *event = {&first, 8, fakeNvmlXid, 0, 0};
  fakeNvmlXid = 0;
  return success;
}
int nvmlDeviceGetEccMode(void* device, unsigned* now, unsigned* after_restart) {
  *after_restart = device == &first ? 0 : 1;
  return put(device == &first ? 1 : 0, now);
}
int nvmlDeviceGetMigMode(void* device, unsigned* now, unsigned* after_restart) {
  if (device != &first) return not_supported;
  *after_restart = 1;
  return put(0, now);
}
}
