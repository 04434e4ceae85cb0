// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "miniapps/driver/options.hpp"

namespace CLI {
class App;
}

namespace bellwether {

/// A word of the command line with its options and with verbs of its own: "run", "run diffusion".
class Verb {
 public:
  explicit Verb(CLI::App& parser) : parser_(parser) {}

  /// One of a verb's verbs must then be given.
  /// The summary's first sentence is what a list of verbs says of it.
  Verb& add_verb(const std::string& name, const std::string& summary);
  /// Command lines at the end of the verb's help, each indented by two spaces.
  void show_examples(const std::string& lines);
  /// The options outlive the parsing, which fills them and their targets.
  void add(Options& options);
  /// Words that are no options are taken, for other_words().
  void accept_other_words();

  [[nodiscard]] bool given() const;
  [[nodiscard]] std::vector<std::string> other_words() const;

 private:
  friend class CommandParser;
  /// Notes in each of the options, and those of its verbs, what it was given.
  void note_words();

  CLI::App& parser_;
  std::vector<Options*> options_;
  std::vector<std::unique_ptr<Verb>> verbs_;
};

/// Reads the command line; alone with CLI11.
class CommandParser {
 public:
  CommandParser(const std::string& description, const std::string& version);
  ~CommandParser();
  [[nodiscard]] Verb& root() { return *root_; }
  [[nodiscard]] std::string help() const;
  /// What to print instead, where help or the version was asked for. Throws BadInput for what
  /// cannot be read.
  [[nodiscard]] std::optional<std::string> parse(int argc, char** argv);

 private:
  std::unique_ptr<CLI::App> parser_;
  std::unique_ptr<Verb> root_;
};

/// The values that options were given or have by default, by their names with _ for -: numbers as
/// numbers, several words as a list. Options without a value are absent.
nlohmann::json asked_options(const Options& options);

}  // namespace bellwether
