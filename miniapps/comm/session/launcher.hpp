// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace bellwether {

/// What an environment variable holds: null if it is not set.
using Variables = std::function<const char*(const char*)>;
const char* variable_of_process(const char* name);

/// This process among those that its launcher started, as the innermost launcher that numbers and
/// counts them says in the environment.
struct Launched {
  int rank = 0, size = 1;
};
/// Absent where no launcher does, or none whose number and count fit one another.
std::optional<Launched> launched(const Variables& variables = variable_of_process);

/// Its rank; 0 where launched() is absent. So that ranks print once before MPI numbers them.
int launched_rank();

/// Its rank on its node, as its launcher tells it before MPI starts; absent where none does.
std::optional<int> launched_local_rank(const Variables& variables = variable_of_process);

/// How many processes the innermost launcher says that it has started; absent where none does. To
/// be asked before MPI starts, which may set the same variables.
struct Started {
  const char* launcher;
  int ranks;
  bool or_more;
};
std::optional<Started> started(const Variables& variables = variable_of_process);

/// Why an MPI that knows of `ranks` ranks is not the launcher's, which started more: every process
/// is a run of its own, or MPI lost some. Empty if it may be. `mpi`: its name and version.
std::string contradiction(const Started& started, int ranks, const std::string& mpi);

}  // namespace bellwether
