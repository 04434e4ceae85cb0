// SPDX-License-Identifier: MIT
#include "models/machine/strict_json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "models/errors.hpp"
#include "models/machine/json_text.hpp"
#include "models/text_lines.hpp"

namespace bellwether {
namespace {

using nlohmann::json;

std::string found(const json& value) {
  constexpr std::size_t longest = 60;
  std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
  if (text.size() > longest) text = text.substr(0, longest) + "...";
  if (value.is_null()) return text;
  return fmt::format("{} {}", value.type_name(), text);
}

/// Finite and, unless 0, not below double's normal range: its inverse is finite too.
bool is_in_range(double number) { return number == 0 || std::isnormal(number); }

}  // namespace

void JsonNode::refuse(const std::string& expected) const {
  const std::string place = place_.to_string();
  throw BadInput(fmt::format("{}: key {}: found {}, expected {}", file_,
                             place.empty() ? "/" : place, found(*value_), expected));
}

JsonNode JsonNode::child(const std::string& key) const {
  return {value_->at(key), file_, place_ / key};
}

std::string JsonNode::text() const {
  if (!value_->is_string()) refuse("a string");
  return value_->get<std::string>();
}

double JsonNode::number(double highest) const {
  const bool bounded = highest < std::numeric_limits<double>::max();
  const auto expected = [&] {
    return bounded ? fmt::format("a number from 0 to {}", highest) : "a finite number >= 0";
  };
  if (!value_->is_number()) refuse(expected());
  const auto number = value_->get<double>();
  if (!is_in_range(number) || number < 0 || number > highest) refuse(expected());
  return number;
}

double JsonNode::positive_number() const {
  if (!value_->is_number() || !is_in_range(value_->get<double>()) || value_->get<double>() <= 0)
    refuse("a finite number > 0");
  return value_->get<double>();
}

int JsonNode::count(int lowest) const {
  const double number = value_->is_number() ? value_->get<double>() : -1;
  if (number < lowest || number > std::numeric_limits<int>::max() || number != std::floor(number))
    refuse(
        number > std::numeric_limits<int>::max()
            ? fmt::format("a whole number from {} to {}", lowest, std::numeric_limits<int>::max())
            : fmt::format("a whole number >= {}", lowest));
  return static_cast<int>(number);
}

std::vector<JsonNode> JsonNode::items(std::size_t fewest) const {
  if (!value_->is_array() || value_->size() < fewest)
    refuse(fewest == 0 ? "an array" : fmt::format("an array of at least {} element(s)", fewest));
  std::vector<JsonNode> nodes;
  for (std::size_t index = 0; index < value_->size(); ++index)
    nodes.emplace_back((*value_)[index], file_, place_ / index);
  return nodes;
}

std::string JsonNode::one_of(const std::vector<std::string>& words) const {
  if (value_->is_string())
    for (const std::string& word : words)
      if (value_->get_ref<const std::string&>() == word) return word;
  refuse(fmt::format("one of \"{}\"", fmt::join(words, "\", \"")));
}

JsonObject::JsonObject(JsonNode node) : node_(std::move(node)) {
  if (!node_.value().is_object()) node_.refuse("an object");
}

JsonNode JsonObject::required(const std::string& key) {
  known_.insert(key);
  if (!node_.value().contains(key))
    node_.refuse(fmt::format("the key \"{}\", which is missing", key));
  return node_.child(key);
}

std::optional<JsonNode> JsonObject::optional(const std::string& key) {
  known_.insert(key);
  if (!node_.value().contains(key)) return std::nullopt;
  return node_.child(key);
}

std::vector<std::string> JsonObject::keys() const {
  std::vector<std::string> names;
  for (const auto& [key, value] : node_.value().items()) names.push_back(key);
  return names;
}

void JsonObject::finish() const {
  for (const std::string& key : keys())
    if (!known_.contains(key))
      node_.child(key).refuse(fmt::format("no such key here (known: {})", fmt::join(known_, ", ")));
}

void require_above(const JsonNode& node, const char* what, double last, double next) {
  if (next <= last) node.refuse(fmt::format("{} above the one before, {}", what, last));
}

namespace {

/// Where a parser gave up, having read so many bytes.
std::string where_no_json(const std::string& text, std::size_t read) {
  const std::size_t end = text.find_last_not_of(" \t\r\n") + 1;
  const std::size_t at = std::min(read > 0 ? read - 1 : 0, end);
  const auto begin = text.begin();
  const auto line = 1 + std::count(begin, begin + static_cast<std::ptrdiff_t>(at), '\n');
  if (at == end) return fmt::format("it ends in line {} amid a value; was it cut off?", line);
  const std::size_t line_start = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;  // npos + 1 is 0
  constexpr std::size_t around = 24;
  const std::size_t from = std::max(line_start, at > around ? at - around : 0);
  const std::string found = text.substr(from, std::min(text.find('\n', at), at + around) - from);
  return fmt::format("line {}, column {}: {}", line, at - line_start + 1,
                     json(found).dump(-1, ' ', true, json::error_handler_t::replace));
}

/// What a library says of an error, without the error's number in it.
std::string without_number(const std::string& what) {
  const std::size_t number = what.find("] ");
  return number == std::string::npos ? what : what.substr(number + 2);
}

}  // namespace

json parse_json(const std::string& text, const std::string& file) {
  if (text.find_first_not_of(" \t\r\n") == std::string::npos)
    throw BadInput(fmt::format("{}: the file is empty, expected JSON", file));
  if (is_too_deep(text))
    throw BadInput(fmt::format("{}: found JSON nested deeper than {} levels, expected less", file,
                               deepest_json));
  std::vector<std::set<std::string>> open;  // keys seen so far in each enclosing object
  const auto refuse_twice = [&](int, json::parse_event_t event, json& value) {
    if (event == json::parse_event_t::object_start) open.emplace_back();
    if (event == json::parse_event_t::object_end) open.pop_back();
    if (event == json::parse_event_t::key && !open.back().insert(value.get<std::string>()).second)
      throw BadInput(fmt::format("{}: key {} stands twice in one object", file, value.dump()));
    return true;
  };
  try {
    return json::parse(text, refuse_twice);
  } catch (const json::parse_error& error) {
    throw BadInput(
        fmt::format("{}: found no valid JSON: {}", file, where_no_json(text, error.byte)));
  } catch (const json::exception& error) {
    throw BadInput(fmt::format("{}: found no valid JSON: {}", file, without_number(error.what())));
  }
}

json read_json_file(const std::string& path) { return parse_json(read_text(path), path); }

}  // namespace bellwether
