// SPDX-License-Identifier: MIT
#include "run/command/usage_message.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>

namespace bellwether {

std::string usage_message(const CLI::App& program, const CLI::ParseError& error) {
  const CLI::App* at = &program;
  while (!at->get_subcommands().empty()) at = at->get_subcommands().front();
  const auto choices = at->get_subcommands([](const CLI::App*) { return true; });
  const bool lacks_choice =
      error.get_exit_code() == static_cast<int>(CLI::ExitCodes::RequiredError);
  if (choices.empty() || !lacks_choice) return error.what();
  std::vector<std::string> names;
  for (const CLI::App* choice : choices) names.push_back(choice->get_name());
  const std::vector<std::string> words = at->remaining();
  return fmt::format("{}: found {}, expected one of: {}", at == &program ? "verb" : at->get_name(),
                     words.empty() ? "nothing" : "'" + words.front() + "'", fmt::join(names, ", "));
}

}  // namespace bellwether
