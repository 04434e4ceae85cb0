// SPDX-License-Identifier: MIT
#include "miniapps/driver/option_checks.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>

#include "models/errors.hpp"

namespace bellwether {
namespace {

/// The number that a whole word stands for, if it does.
template <class Number>
std::optional<Number> read(const std::string& word) {
  Number number{};
  const char* const end = word.data() + word.size();
  const auto [rest, error] = std::from_chars(word.data(), end, number);
  if (error != std::errc() || rest != end) return {};
  return number;
}

std::string refusal(const std::string& word, const std::string& expected) {
  return fmt::format("found '{}', expected {}", word, expected);
}

template <class Fits>
CLI::Validator finite_number(const char* expected, Fits fits) {
  return {[=](std::string& word) {
            const auto number = read<double>(word);
            return number && std::isfinite(*number) && fits(*number) ? std::string()
                                                                     : refusal(word, expected);
          },
          ""};
}

}  // namespace

CLI::Validator whole_number(long long lowest, long long highest) {
  return {[=](std::string& word) {
            const auto number = read<long long>(word);
            return number && *number >= lowest && *number <= highest
                       ? std::string()
                       : refusal(word,
                                 fmt::format("a whole number from {} to {}", lowest, highest));
          },
          ""};
}

CLI::Validator any_number() {
  return finite_number("a number", [](double) { return true; });
}

CLI::Validator positive_number() {
  return finite_number("a number above 0", [](double number) { return number > 0; });
}

CLI::Validator non_negative_number() {
  return finite_number("a number of at least 0", [](double number) { return number >= 0; });
}

void check_one_of(const char* option, const std::string& found, const char* first,
                  const char* second) {
  if (found != first && found != second)
    throw BadInput(
        fmt::format("{}: {}", option, refusal(found, fmt::format("{} or {}", first, second))));
}

CLI::Validator not_empty(const char* what) {
  return {[=](std::string& word) { return word.empty() ? refusal(word, what) : std::string(); },
          ""};
}

}  // namespace bellwether
