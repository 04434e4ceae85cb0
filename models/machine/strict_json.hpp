// SPDX-License-Identifier: MIT
#pragma once

#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace bellwether {

/// A value of a JSON document with the place it stands at, read with types and ranges enforced.
/// Everything unfit throws BadInput naming file and key, what was found and what is expected. The
/// document must outlive the node.
class JsonNode {
 public:
  JsonNode(const nlohmann::json& value, std::string file,
           nlohmann::json::json_pointer place = nlohmann::json::json_pointer())
      : value_(&value), file_(std::move(file)), place_(std::move(place)) {}

  [[nodiscard]] const nlohmann::json& value() const { return *value_; }
  [[nodiscard]] std::string text() const;
  /// A finite number >= 0, and <= highest.
  [[nodiscard]] double number(double highest = std::numeric_limits<double>::max()) const;
  [[nodiscard]] double positive_number() const;
  /// A whole number >= lowest.
  [[nodiscard]] int count(int lowest = 0) const;
  /// The elements of an array of at least `fewest` elements.
  [[nodiscard]] std::vector<JsonNode> items(std::size_t fewest = 0) const;
  /// One of the given words.
  [[nodiscard]] std::string one_of(const std::vector<std::string>& words) const;
  [[nodiscard]] JsonNode child(const std::string& key) const;
  [[noreturn]] void refuse(const std::string& expected) const;

 private:
  const nlohmann::json* value_;
  std::string file_;
  nlohmann::json::json_pointer place_;
};

/// An object whose keys must all be known: each is asked for once, then `finish` refuses the rest.
class JsonObject {
 public:
  explicit JsonObject(JsonNode node);

  [[nodiscard]] JsonNode required(const std::string& key);
  [[nodiscard]] std::optional<JsonNode> optional(const std::string& key);
  /// All keys, as they stand.
  [[nodiscard]] std::vector<std::string> keys() const;
  void finish() const;

 private:
  JsonNode node_;
  std::set<std::string> known_;
};

/// Refuses `node` unless `next`, which it holds, lies above `last`, the same of the one before.
void require_above(const JsonNode& node, const char* what, double last, double next);

/// Reads and parses a file. Throws BadInput if it cannot be read, is empty, is not JSON (with line
/// and column) or has a key twice in one object.
nlohmann::json read_json_file(const std::string& path);
/// The same for text; `file` names it in messages.
nlohmann::json parse_json(const std::string& text, const std::string& file);

}  // namespace bellwether
