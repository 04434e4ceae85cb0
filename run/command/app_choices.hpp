// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "miniapps/driver/app.hpp"
#include "run/command/verb.hpp"

namespace bellwether {

/// An application as a verb of a subcommand.
struct AppChoice {
  Verb* verb = nullptr;
  Options options;  ///< the problem's, and what was added
  std::unique_ptr<App> app;
};

/// All applications as verbs of one: `run diffusion`, `trace diffusion`.
class AppChoices {
 public:
  /// Adds them with their problem's options, those that `add_own` adds, and those that they have
  /// in common, which outlive the parsing.
  void add_to(Verb& verb, Options& common,
              const std::function<void(App&, Options&)>& add_own = &App::add_prediction_options);
  /// The one that was asked for; the parser has seen to it that there is one.
  [[nodiscard]] const AppChoice& given() const;

 private:
  std::vector<std::unique_ptr<AppChoice>> choices_;
};

}  // namespace bellwether
