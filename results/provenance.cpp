// SPDX-License-Identifier: MIT
#include "results/provenance.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>

#include "results/build_facts.hpp"
#include "results/commit.hpp"

namespace bellwether {
namespace {

using nlohmann::json;

/// First value of each key of /proc/cpuinfo ("key : value").
std::map<std::string, std::string> cpu_facts() {
  std::map<std::string, std::string> facts;
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::size_t key_end = line.find_last_not_of(" \t", colon - 1);
    const std::size_t value = line.find_first_not_of(" \t", colon + 1);
    facts.emplace(line.substr(0, key_end + 1),
                  value == std::string::npos ? "" : line.substr(value));
  }
  return facts;
}

/// x86 says "model name", POWER "cpu"; Arm gives codes only.
json cpu_model(const std::map<std::string, std::string>& facts, const utsname& system) {
  for (const char* key : {"model name", "cpu"}) {
    if (const auto found = facts.find(key); found != facts.end()) return found->second;
  }
  const auto implementer = facts.find("CPU implementer");
  const auto part = facts.find("CPU part");
  if (implementer == facts.end() || part == facts.end()) return system.machine;
  return fmt::format("{} implementer {} part {}", system.machine, implementer->second,
                     part->second);
}

/// The kernel refuses masks smaller than its own, which may have more than CPU_SETSIZE bits.
json cores_usable() {
  for (int bits = CPU_SETSIZE; bits <= 64 * CPU_SETSIZE; bits *= 2) {
    const std::size_t bytes = CPU_ALLOC_SIZE(bits);
    std::vector<cpu_set_t> mask(bytes / sizeof(cpu_set_t));
    if (sched_getaffinity(0, bytes, mask.data()) == 0) return CPU_COUNT_S(bytes, mask.data());
  }
  return nullptr;
}

json memory_bytes() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page <= 0) return nullptr;
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page);
}

bool in_container() {
  for (const char* mark : {"/.dockerenv", "/run/.containerenv", "/.singularity.d"}) {
    std::error_code ignored;
    if (std::filesystem::exists(mark, ignored)) return true;
  }
  return std::getenv("container") != nullptr || std::getenv("APPTAINER_CONTAINER") != nullptr ||
         std::getenv("SINGULARITY_CONTAINER") != nullptr;
}

json relevant_environment() {
  json variables = json::object();
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string_view text(*entry);
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string name(text.substr(0, equals));
    if (is_relevant_variable(name)) variables[name] = text.substr(equals + 1);
  }
  return variables;
}

}  // namespace

bool is_relevant_variable(const std::string& name) {
  constexpr std::array prefixes = {"OMP_",      "KMP_",   "KOKKOS_",   "MKL_",
                                   "OPENBLAS_", "CUBLAS", "OMPI_MCA_", "UCX_"};
  constexpr std::array names = {"CUDA_VISIBLE_DEVICES",
                                "CUDA_DEVICE_ORDER",
                                "CUDA_LAUNCH_BLOCKING",
                                "CUDA_MPS_PIPE_DIRECTORY",
                                "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE",
                                "NVIDIA_TF32_OVERRIDE",
                                "MPICH_GPU_SUPPORT_ENABLED",
                                "MV2_USE_CUDA",
                                "MVP_USE_CUDA",
                                "I_MPI_OFFLOAD",
                                "SLURM_JOB_ID",
                                "SLURM_JOB_NODELIST",
                                "PBS_JOBID",
                                "LSB_JOBID"};
  // What Open MPI's launcher tells its processes: keys and addresses of the job, no choices.
  constexpr std::array internal = {"OMPI_MCA_orte_", "OMPI_MCA_ess", "OMPI_MCA_pmix"};
  const auto begins = [&](const char* prefix) { return name.starts_with(prefix); };
  return std::ranges::none_of(internal, begins) &&
         (std::ranges::any_of(prefixes, begins) ||
          std::ranges::any_of(names, [&](const char* known) { return name == known; }));
}

std::string utc_time() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

std::optional<std::int64_t> unix_time(const std::string& utc) {
  std::tm time{};
  const char* const end = strptime(utc.c_str(), "%Y-%m-%dT%H:%M:%SZ", &time);
  return end != nullptr && *end == '\0' ? std::optional(timegm(&time)) : std::nullopt;
}

std::string remark_on_other_kernels(const std::map<std::string, std::string>& calibration) {
  const auto fact = [&](const char* key) {
    const auto found = calibration.find(key);
    return found == calibration.end() ? "" : found->second;
  };
  if (fact("commit").empty() || fact("kernel_sources") == build_facts::kernels) return "";
  return fmt::format(
      "was calibrated with other kernels than this program's (those of commit {:.12}, {:.10}); "
      "calibrate again to predict these",
      fact("commit"), fact("time"));
}

json collect_provenance(const std::vector<std::string>& command_line) {
  utsname system = {};
  uname(&system);
  const auto facts = cpu_facts();
  const auto flags = facts.find("flags");
  // x86 kernels show the processor bit that every hypervisor sets for its guests.
  const bool guest =
      flags != facts.end() && (" " + flags->second + " ").find(" hypervisor ") != std::string::npos;
  return {{"time", utc_time()},
          {"host", system.nodename},
          {"cpu", cpu_model(facts, system)},
          {"cores_usable", cores_usable()},
          {"memory_bytes", memory_bytes()},
          {"kernel", fmt::format("{} {}", system.sysname, system.release)},
          {"virtual_machine", guest},
          {"container", in_container()},
          {"compiler", build_facts::compiler},
          {"compiler_flags", build_facts::flags},
          {"build_type", build_facts::build_type},
          {"version", build_facts::version},
          {"commit", build_facts::commit},
          {"kernel_sources", build_facts::kernels},
          {"command_line", command_line},
          {"environment", relevant_environment()}};
}

}  // namespace bellwether
