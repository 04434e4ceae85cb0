// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <vector>

#include "miniapps/driver/app.hpp"
#include "run/command/verb.hpp"

namespace bellwether {

/// An application as a verb of a subcommand that predicts it.
struct AppChoice {
  Verb* verb = nullptr;
  Options options;  ///< the problem's and its predictions'
  std::unique_ptr<App> app;
};

/// All applications as verbs of one: `predict diffusion`, `trace diffusion`.
class AppChoices {
 public:
  /// Adds them with their own options and those that they have in common, which outlive the
  /// parsing.
  void add_to(Verb& verb, Options& common);
  /// The one that was asked for; the parser has seen to it that there is one.
  [[nodiscard]] const AppChoice& given() const;

 private:
  std::vector<std::unique_ptr<AppChoice>> choices_;
};

}  // namespace bellwether
