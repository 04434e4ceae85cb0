// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace bellwether {

/// An App whose problem may be in files.
class ProblemFiles {
 public:
  virtual ~ProblemFiles() = default;
  /// By the problem's keys; a run is resumed where they contain the same.
  [[nodiscard]] virtual std::map<std::string, std::vector<std::string>> problem_files() const = 0;
};

/// What tells a text from another: {"bytes": its length, "hash": 16 hexadecimal digits}.
nlohmann::json text_contents(std::string_view text);

/// The same of plain files together, the same for any number of ranks, which read a share each.
/// Collective. What cannot be read counts as nothing: whoever uses the file says why.
nlohmann::json file_contents(MPI_Comm comm, const std::vector<std::string>& files);

}  // namespace bellwether
