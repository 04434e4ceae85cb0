// SPDX-License-Identifier: MIT
#include "miniapps/comm/session/launcher.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <string_view>

#include "models/text_lines.hpp"

namespace bellwether {
namespace {

/// Its variables; a null `size`: it counts no ranks for them.
struct Launcher {
  const char* name;
  const char* rank;
  const char* size;
};

/// A job's own launcher comes after those that are started within it, whose ranks inherit its
/// variables.
constexpr std::array launchers{
    Launcher{"Open MPI's mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    Launcher{"PMI's launcher (mpiexec of MPICH or Intel MPI, srun --mpi=pmi2)", "PMI_RANK",
             "PMI_SIZE"},
    Launcher{"MVAPICH2's launcher", "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},
    Launcher{"HPE's PALS", "PALS_RANKID", nullptr},
    Launcher{"jsrun", "JSM_NAMESPACE_RANK", "JSM_NAMESPACE_SIZE"},
    Launcher{"a PMIx server", "PMIX_RANK", nullptr},
    Launcher{"Flux", "FLUX_TASK_RANK", "FLUX_JOB_SIZE"},
    Launcher{"Slurm", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS"},
};

std::optional<int> number_in(const Variables& variables, const char* name) {
  const char* const text = name == nullptr ? nullptr : variables(name);
  const auto number = text == nullptr ? std::nullopt : parse_number<int>(text);
  return number >= 0 ? number : std::nullopt;
}

}  // namespace

const char* variable_of_process(const char* name) { return std::getenv(name); }

std::optional<Launched> launched(const Variables& variables) {
  for (const Launcher& launcher : launchers) {
    const auto rank = number_in(variables, launcher.rank),
               size = number_in(variables, launcher.size);
    if (rank && size && *rank < *size) return Launched{*rank, *size};
  }
  return {};
}

int launched_rank() { return launched().value_or(Launched{}).rank; }

std::optional<int> launched_local_rank(const Variables& variables) {
  // In the launchers' order; HPE's MPT tells no more than this.
  for (const char* name :
       {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "MV2_COMM_WORLD_LOCAL_RANK", "MPT_LRANK",
        "PALS_LOCAL_RANKID", "PMI_LOCAL_RANK", "JSM_NAMESPACE_LOCAL_RANK", "FLUX_TASK_LOCAL_ID",
        "SLURM_LOCALID"})
    if (const auto rank = number_in(variables, name)) return rank;
  return {};
}

std::optional<Started> started(const Variables& variables) {
  for (const Launcher& launcher : launchers) {
    if (const auto size = number_in(variables, launcher.size))
      return Started{launcher.name, *size, false};
    // One that counts none has started all up to this one.
    if (const auto rank = number_in(variables, launcher.rank); launcher.size == nullptr && rank > 0)
      return Started{launcher.name, *rank + 1, true};
  }
  return {};
}

std::string contradiction(const Started& started, int ranks, const std::string& mpi) {
  if (started.ranks <= ranks) return {};
  const bool is_slurm = std::string_view(started.launcher) == "Slurm";
  return fmt::format("{} started {}{} {}, MPI knows of {}: {} (MPI is {})", started.launcher,
                     started.ranks, started.or_more ? " or more" : "", is_slurm ? "tasks" : "ranks",
                     ranks,
                     is_slurm ? "srun --mpi=pmix, or what srun --mpi=list has for this MPI"
                              : "use the launcher of the MPI that this program was built with",
                     mpi);
}

}  // namespace bellwether
