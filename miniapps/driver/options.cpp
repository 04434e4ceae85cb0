// SPDX-License-Identifier: MIT
#include "miniapps/driver/options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "models/text_lines.hpp"

namespace bellwether {
namespace {

std::string refusal(const std::string& word, const std::string& expected) {
  return fmt::format("found '{}', expected {}", word, expected);
}

template <class Fits>
WordCheck finite_number(std::string expected, Fits fits) {
  return [=](const std::string& word) {
    const auto number = parse_number<double>(word);
    return number && std::isfinite(*number) && fits(*number) ? std::string()
                                                             : refusal(word, expected);
  };
}

}  // namespace

WordCheck whole_number(long long lowest, long long highest) {
  return [=](const std::string& word) {
    const auto number = parse_number<long long>(word);
    return number && *number >= lowest && *number <= highest
               ? std::string()
               : refusal(word, fmt::format("a whole number from {} to {}", lowest, highest));
  };
}

WordCheck any_number() {
  return finite_number("a number", [](double) { return true; });
}

WordCheck positive_number() {
  return finite_number("a number above 0", [](double number) { return number > 0; });
}

WordCheck non_negative_number() {
  return finite_number("a number of at least 0", [](double number) { return number >= 0; });
}

WordCheck number_from(double lowest, double highest) {
  return finite_number(fmt::format("a number from {:g} to {:g}", lowest, highest),
                       [=](double number) { return number >= lowest && number <= highest; });
}

WordCheck not_empty(const char* what) {
  return
      [=](const std::string& word) { return word.empty() ? refusal(word, what) : std::string(); };
}

WordCheck one_of(std::vector<std::string> names) {
  return [names = std::move(names)](const std::string& word) {
    if (std::find(names.begin(), names.end(), word) != names.end()) return std::string();
    return refusal(word, fmt::format("one of: {}", fmt::join(names, ", ")));
  };
}

WordCheck or_auto(WordCheck other) {
  return [other = std::move(other)](const std::string& word) {
    std::string wrong = word == "auto" ? "" : other(word);
    return wrong.empty() ? wrong : wrong + ", or auto";
  };
}

WordCheck list_of(WordCheck each) {
  return [each = std::move(each)](const std::string& text) {
    for (const std::string& part : split(text, ','))
      if (std::string wrong = each(part); !wrong.empty()) return wrong;
    return std::string();
  };
}

void Options::add_choice(std::string name, std::string& target, std::vector<std::string> choices,
                         std::string help, std::string group) {
  const std::string type = fmt::format("{}", fmt::join(choices, "|"));
  add(std::move(name), &target, std::move(help),
      {.type = type,
       .check = one_of(std::move(choices)),
       .shows_default = true,
       .group = std::move(group)});
}

bool Options::given(const std::string& name) const {
  for (const Option& option : all_) {
    const std::string names = "," + option.names + ",";
    if (names.find("," + name + ",") != names.npos) return option.count > 0;
  }
  throw std::logic_error("no option " + name);
}

}  // namespace bellwether
