// SPDX-License-Identifier: MIT
#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string_view>
#include <vector>

#include "kernels/launch/host_gpu/host_gpu.hpp"

namespace bellwether::host_gpu {
namespace {

std::string text_of(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::uint64_t number_of(const char* name, std::uint64_t otherwise) {
  const std::string text = text_of(name);
  if (text.empty()) return otherwise;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    stop(std::string(name) + ": found '" + text + "', expected a number of digits");
  return value;
}

int rank() {
  for (const char* const name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
    if (std::getenv(name) != nullptr) return static_cast<int>(number_of(name, 0));
  return 0;
}

/// A seed that the ranks of one run share, and no two runs.
std::uint64_t drawn_seed() {
  const std::string job = text_of("PMIX_NAMESPACE");
  const std::uint64_t number =
      job.empty() ? static_cast<std::uint64_t>(getpid()) : std::hash<std::string>()(job);
  const std::uint64_t seed = (number * 0x9e3779b97f4a7c15ULL) >> 44;
  if (rank() == 0)
    std::fprintf(stderr, "host GPU: HOST_GPU_SEED=%llu gives this order again\n",
                 static_cast<unsigned long long>(seed));
  return seed;
}

Settings read_settings() {
  Settings settings;
  settings.seed =
      std::getenv("HOST_GPU_SEED") != nullptr ? number_of("HOST_GPU_SEED", 0) : drawn_seed();
  settings.devices = static_cast<int>(number_of("HOST_GPU_DEVICES", 1));
  settings.memory = number_of("HOST_GPU_MEMORY", settings.memory);
  settings.fail = text_of("HOST_GPU_FAIL");
  if (const std::size_t at = settings.fail.find('@'); at != std::string::npos) {
    const bool here = settings.fail.substr(at + 1) == std::to_string(rank());
    settings.fail = here ? settings.fail.substr(0, at) : "";
  }
  settings.drop = text_of("HOST_GPU_DROP");
  settings.sites = text_of("HOST_GPU_SITES");
  settings.host_reaches_devices = number_of("HOST_GPU_HOST_ACCESS", 0) != 0;
  return settings;
}

/// Of an address in code, the same in every run: its module and the place there.
std::string name_of(const void* address) {
  Dl_info info{};
  if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return "unknown";
  std::string_view module = info.dli_fname;
  module.remove_prefix(module.rfind('/') + 1);
  std::array<char, 32> offset{};
  std::snprintf(offset.data(), offset.size(), "+0x%zx",
                static_cast<std::size_t>(static_cast<const char*>(address) -
                                         static_cast<const char*>(info.dli_fbase)));
  return std::string(module) + offset.data();
}

/// The sites that the program passed, written when it ends.
class Sites {
 public:
  void count(const std::string& site) { ++counts_[site]; }
  ~Sites() {
    std::string text;
    for (const auto& [site, count] : counts_) text += site + " " + std::to_string(count) + "\n";
    const int file = open(settings().sites.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0666);
    if (file >= 0) {
      (void)!write(file, text.data(), text.size());
      close(file);
    }
  }

 private:
  std::map<std::string, long> counts_;
};

bool dropped_at(const char* what, const void* address) {
  const std::string site = std::string(what) + ":" + name_of(address);
  if (!settings().sites.empty()) {
    static Sites sites;
    sites.count(site);
  }
  return site == settings().drop;
}

bool looks_for_sites() { return !settings().drop.empty() || !settings().sites.empty(); }

}  // namespace

void stop(const std::string& what) {
  std::fprintf(stderr, "host GPU: %s\n", what.c_str());
  std::abort();
}

const Settings& settings() {
  static const Settings* const read = new Settings(read_settings());  // outlives static objects
  return *read;
}

std::mt19937_64& random_engine() {
  static std::mt19937_64 engine(settings().seed * 1000003 + static_cast<std::uint64_t>(rank()));
  return engine;
}

std::size_t random_below(std::size_t bound) { return random_engine()() % bound; }

bool dropped(const char* what) {
  if (!looks_for_sites()) return false;
  std::array<void*, 16> callers{};
  const int found = backtrace(callers.data(), static_cast<int>(callers.size()));
  const auto is_ours = [&](int n) {
    static const char here = 0;
    Dl_info ours{}, theirs{};
    return dladdr(&here, &ours) != 0 &&
           dladdr(callers[static_cast<std::size_t>(n)], &theirs) != 0 &&
           ours.dli_fbase == theirs.dli_fbase;
  };
  // A sanitizer's own frames may stand before this library's; behind them the device's method.
  int n = 0;
  while (n < found && !is_ours(n)) ++n;
  while (n < found && is_ours(n)) ++n;
  return n + 1 < found && dropped_at(what, callers[static_cast<std::size_t>(n + 1)]);
}
bool dropped(const char* what, const void* function) {
  return looks_for_sites() && dropped_at(what, function);
}

}  // namespace bellwether::host_gpu
