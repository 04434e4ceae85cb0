// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace bellwether {

/// What one process can tell about where a result came from; the caller adds MPI, Kokkos, GPU and
/// layout. Keys: time (UTC, ISO 8601), host, cpu, cores_usable (by this process' affinity),
/// memory_bytes, kernel, virtual_machine and container (booleans), compiler, compiler_flags,
/// build_type, version, commit ("-dirty": tracked files were changed; "unknown": built outside a
/// checkout), kernel_sources (a hash of what the kernels' sources say), command_line, and
/// environment: an object of the variables that change performance or name the job. Of a GPU the
/// caller adds `gpu`: GpuMonitor's keys, rank 0's, as it was right after the timed steps, and
/// `during`: GpuWatch's, while they ran. What a system does not tell is null.
nlohmann::json collect_provenance(const std::vector<std::string>& command_line);

/// What is to be said of a machine, behind its name, that was calibrated with other kernels than
/// this program's. Empty if it was not.
std::string remark_on_other_kernels(const std::map<std::string, std::string>& calibration);

/// Now: UTC, ISO 8601.
std::string utc_time();
/// Seconds since 1970 of such a time; absent for other text.
std::optional<std::int64_t> unix_time(const std::string& utc);

/// Whether a variable belongs in a record.
bool is_relevant_variable(const std::string& name);

}  // namespace bellwether
