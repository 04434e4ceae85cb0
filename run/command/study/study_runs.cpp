// SPDX-License-Identifier: MIT
#include "run/command/study/study_runs.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <memory>

#include "miniapps/comm/session/cores.hpp"
#include "miniapps/comm/session/launcher.hpp"
#include "models/text_lines.hpp"

namespace bellwether {
namespace {

/// As one word of a shell.
std::string quoted(const std::string& word) {
  std::string text;
  for (const char letter : word)
    if (letter == '\'')
      text += "'\\''";
    else
      text += letter;
  return fmt::format("'{}'", text);
}

}  // namespace

StudyRun run_on_ranks(const std::string& launcher, int ranks, const std::vector<std::string>& words,
                      const std::string& log) {
  constexpr std::string_view speaker = "bellwether: ";
  std::string command =
      fmt::format("{} {} {}", launcher, ranks,
                  quoted(std::filesystem::read_symlink("/proc/self/exe").string()));
  for (const std::string& word : words) command += fmt::format(" {}", quoted(word));
  command += fmt::format(" 2>&1 >>{} </dev/null", quoted(log));  // stderr alone goes to the pipe
  std::FILE* const said = popen(command.c_str(), "r");
  if (said == nullptr)
    throw BadEnvironment(fmt::format("study: no shell can be started: {}", std::strerror(errno)));
  StudyRun run;
  std::array<char, 4096> piece{};
  std::string line;
  while (std::fgets(piece.data(), piece.size(), said) != nullptr) {
    line += piece.data();
    if (!line.ends_with('\n')) continue;
    std::cerr << line;
    line.pop_back();
    if (line.starts_with(speaker)) run.why = line.substr(speaker.size());
    line.clear();
  }
  const int ended = pclose(said);
  const int code = WIFEXITED(ended) ? WEXITSTATUS(ended) : 128 + WTERMSIG(ended);
  if (code == 0) return {};
  // What is none of this program's is the launcher's.
  const bool is_own =
      code <= static_cast<int>(ExitStatus::internal_fault) && !(code == 1 && run.why.empty());
  run.status = is_own ? static_cast<ExitStatus>(code) : ExitStatus::bad_environment;
  if (run.why.empty()) run.why = fmt::format("'{} {}' ended with status {}", launcher, ranks, code);
  return run;
}

int allocated_ranks() {
  const char* const tasks = variable_of_process("SLURM_NTASKS");
  if (const auto ranks = parse_number<int>(tasks == nullptr ? "" : tasks); ranks > 0) return *ranks;
  return std::max(1, static_cast<int>(own_cores().size()));
}

}  // namespace bellwether
