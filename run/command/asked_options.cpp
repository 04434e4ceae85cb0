// SPDX-License-Identifier: MIT
#include "run/command/asked_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

namespace bellwether {
namespace {

nlohmann::json value_of(const std::string& word) {
  const nlohmann::json number = nlohmann::json::parse(word, nullptr, false);
  return number.is_number() ? number : nlohmann::json(word);
}

}  // namespace

nlohmann::json asked_options(const std::vector<const CLI::Option*>& options) {
  nlohmann::json asked = nlohmann::json::object();
  for (const CLI::Option* option : options) {
    std::vector<std::string> words = option->results();
    if (words.empty() && !option->get_default_str().empty()) words = {option->get_default_str()};
    if (words.empty()) continue;
    std::string name = option->get_single_name();
    std::replace(name.begin(), name.end(), '-', '_');
    nlohmann::json values = nlohmann::json::array();
    for (const std::string& word : words) values.push_back(value_of(word));
    asked[name] = values.size() == 1 ? values.front() : values;
  }
  return asked;
}

}  // namespace bellwether
