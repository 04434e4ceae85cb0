// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "microbench/driver/calibrate.hpp"
#include "miniapps/driver/app.hpp"
#include "models/embedded_file.hpp"
#include "results/acceptance/judge.hpp"
#include "results/health.hpp"

namespace bellwether {

/// The suites that are built in: quick.json, standard.json, burn-in.json, and a fleet's
/// node.json and link.json.
std::span<const EmbeddedFile> suite_files();

/// A case of a suite as its file has it (run/suites/README.md).
struct SuiteCase {
  std::string key;    ///< "/cases/3 (lbm)"
  std::string place;  ///< in messages: "quick.json, /cases/3 (lbm)"
  std::string app;
  std::map<std::string, nlohmann::json> problem;  ///< "cells" or "size"
  std::string per;                                ///< "rank", "all": whose problem that is
  std::map<std::string, nlohmann::json> options;  ///< of `bellwether run APP`, without dashes
  std::vector<std::string> judge{"right", "promised", "before"};
  bool optional = false;     ///< left out, and said, where it cannot run
  double time_budget_s = 0;  ///< 0, when read: the suite's
  int repeats = 0;           ///< the same
};

struct Suite {
  /// Measurements of ranks side by side: how many, and of a rank's one quantity the seconds.
  struct Siblings {
    int occasions = 0;
    std::size_t link_message_bytes = 0;
    double sample_s = 0;
  };
  std::string name, description;
  CalibrateOptions calibration;
  bool until_time = false;  ///< repeated until --hours are over
  std::string verify = "once";
  double false_alarm_rate = 0;
  Material material;
  Siblings siblings;
  HealthLimits health;
  double time_budget_s = 0;
  int repeats = 1;
  std::vector<SuiteCase> cases;

  [[nodiscard]] bool verifies_twice() const { return verify == "twice"; }
};

/// What a folder holds of its acceptance beside its results.
struct Manifest {
  Suite suite;
  RankLayout layout;
  std::vector<std::string> left_out;   ///< keys of optional cases that could not run
  std::vector<std::string> unhealthy;  ///< what nodes' health failed by when the suite had run
};
nlohmann::json to_json(const Manifest& manifest);
/// Throws BadInput naming file and key.
Manifest read_manifest(const std::string& file);
/// What its suite asks for of its ranks.
Asked asked_of(const Manifest& manifest);

/// Strict: throws BadInput naming file and key. `file` names the text in messages.
Suite read_suite(const std::string& text, const std::string& file);
/// The text and name of a suite that is built in or a file; throws BadInput naming both kinds.
std::pair<std::string, std::string> find_suite(const std::string& name_or_file);

/// A suite's case, ready to be planned on so many ranks.
class PreparedCase {
 public:
  /// Throws BadInput, which begins with the case's place, for an app or option that there is not.
  PreparedCase(const SuiteCase& from, int ranks);
  [[nodiscard]] const SuiteCase& from() const { return from_; }
  [[nodiscard]] App& app() const { return *app_; }
  [[nodiscard]] const std::vector<CasePlan>& plans() const { return plans_; }
  /// To be called once app().check() has passed. `device`: that of the cases; null where they are
  /// only counted.
  void plan(const Device* device) {
    if (device != nullptr) app_->choose_for(*device);
    plans_ = app_->cases();
  }

 private:
  SuiteCase from_;
  std::unique_ptr<App> app_;
  Options options_;
  std::vector<CasePlan> plans_;
};

}  // namespace bellwether
