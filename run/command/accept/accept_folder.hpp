// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "results/record.hpp"
#include "run/command/accept/suite.hpp"

namespace bellwether {

/// Throws BadInput where an -o is there and holds anything. `or_else` ends the sentence: what to
/// do.
void require_new_folder(const std::string& path,
                        const char* or_else = ", or --resume to go on in it");
/// Makes an -o and the folders above it. Throws BadInput.
void make_folder(const std::string& path);
/// What a killed writer left without its end goes: what comes next would follow a line that nobody
/// can read.
void drop_torn_line(const std::string& file);

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
  void check(const Manifest& now, bool resume) const;
  /// What has been recorded; empty where nothing has, and of a first line that was cut short.
  [[nodiscard]] std::vector<Record> records() const;
  /// How long a burn-in had taken, in all sittings, when its last whole record was written: that
  /// one's "burn_in_s"; 0 without records.
  [[nodiscard]] double burn_in_s() const;
};

/// The folder in the hands of one acceptance, until the process ends. Before it begins it goes as
/// it came.
class TakenFolder {
 public:
  /// Checks the folder, makes it, with its manifest, and locks it. Throws BadInput if it cannot be
  /// made, or where another acceptance has it.
  TakenFolder(AcceptFolder folder, const Manifest& now, bool resume);
  ~TakenFolder();
  TakenFolder(const TakenFolder&) = delete;
  TakenFolder& operator=(const TakenFolder&) = delete;
  /// The manifest is `now` then, but of one that goes on, where what a killed writer left without
  /// an end is dropped.
  void begin(const Manifest& now);

 private:
  AcceptFolder folder_;
  bool is_new_, goes_on_, has_begun_ = false;
  int lock_ = -1;
};

}  // namespace bellwether
