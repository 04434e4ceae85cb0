// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

namespace bellwether {

/// The folder of an acceptance and its files, each of which can be read whenever it is killed.
struct AcceptFolder {
  std::string path;

  [[nodiscard]] std::string file(const char* name) const {
    return std::filesystem::path(path) / name;
  }
  [[nodiscard]] std::string manifest() const { return file("accept.json"); }
  [[nodiscard]] std::string machine() const { return file("machine.json"); }
  [[nodiscard]] std::string results() const { return file("results.jsonl"); }
  [[nodiscard]] std::string siblings() const { return file("siblings.jsonl"); }

  /// `now`: this acceptance's manifest. With `resume` a folder begun with its suite and layout,
  /// else none or an empty one. Throws BadInput otherwise.
  void check(const nlohmann::json& now, bool resume) const;
  /// Makes it, with its manifest; with `resume` drops what a killed writer left without an end.
  /// Throws BadInput if it cannot be made.
  void make(const nlohmann::json& now, bool resume) const;
  /// How long a burn-in had taken, in all sittings, when its last whole record was written: that
  /// one's "burn_in_s"; 0 without records.
  [[nodiscard]] double burn_in_s() const;
};

}  // namespace bellwether
