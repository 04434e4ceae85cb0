// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "models/errors.hpp"
#include "models/machine/json_type.hpp"

namespace bellwether {

/// From the best to the worst. not_judged: there was too little to judge by, and it is said.
/// missing: the suite asked for it, and it is not there.
enum class Verdict : unsigned char { pass, not_judged, warning, missing, fail, wrong };

const char* name_of(Verdict verdict);

/// "5 %".
std::string share_text(double share);

/// What difference matters to whoever accepts the machine: a difference beyond `warning`, as a
/// share, is warned of, one beyond `failure` fails; each on top of what chance explains.
struct Material {
  double warning = 0, failure = 0;
  std::string source;

  /// "what matters: ..."
  [[nodiscard]] std::string text() const;
};

/// One judgement of an acceptance, with its evidence.
struct Finding {
  std::string kind;      ///< "complete", "right", "healthy", "promised", "before", …
  std::string subject;   ///< a case, "rank 3", "node2", "link node0 - node2", a part of the machine
  std::string quantity;  ///< "total", "memory bandwidth", …
  Verdict verdict = Verdict::pass;
  /// Not judged, since the calibration was too unsteady to judge by: no plain pass without it.
  bool cannot_tell = false;
  /// What was found, the range it lies in, what was expected, all in `unit`; absent where not
  /// judged.
  std::optional<double> value = {}, low = {}, high = {}, expected = {};
  std::string unit = {};
  /// Bounds of value / expected beyond which it is a warning and a failure; absent: none.
  std::optional<double> warning_bound = {}, failure_bound = {};
  /// Of as much or more on an undisturbed machine, for the whole group; absent where not computed.
  std::optional<double> p = {};
  std::vector<std::string> sources = {};  ///< of the expectation and of each bound
  /// Why the expectation is an extrapolation: it is warned of at most then; empty: it is none.
  std::vector<std::string> outside_range = {};
  std::string sentence = {};  ///< names who and what and by how much; for people

  /// Of a ratio that is 1 where nothing has changed: `unit` and the bounds of what matters.
  void expect_one(const Material& material, const char* of);
  /// A failure or a warning where the value is beyond the bound.
  void judge();
  /// How far it is off: |log(value / expected)|, 0 where that is not known.
  [[nodiscard]] double size() const;
};

Finding not_judged(const char* kind, const std::string& subject, const std::string& quantity,
                   std::string sentence);

/// The ranks that were accepted; 0 and empty: not known.
struct RankLayout {
  int ranks = 0, nodes = 0, ranks_per_node = 0;
  std::string device;
};
JsonType<RankLayout> rank_layout_type();

/// A node of a fleet, as its jobs tell it.
struct FleetNode {
  std::string name, leaf;  ///< its leaf switch; empty: not known
  std::string state;       ///< "alike", "slow", "wrong result", "hangs", "never started", …
  Verdict verdict = Verdict::pass;
};

/// An acceptance as its files tell it.
struct Acceptance {
  std::string suite;
  RankLayout layout;
  double false_alarm_rate = 0;  ///< of the whole, on an undisturbed machine; a warning counts too
  std::vector<Finding> findings;
  std::vector<std::string> remarks;       ///< of the preflight, of what was left out
  std::vector<FleetNode> nodes = {};      ///< of a fleet
  std::map<std::string, int> links = {};  ///< of a fleet: how many are in each state
  /// Files of the folder that people can look into.
  std::vector<std::string> evidence = {"verdict.json", "junit.xml"};

  /// Worst first, within a verdict the largest first.
  void sort();
  /// The worst; a warning where something cannot be told.
  [[nodiscard]] Verdict verdict() const;
};

/// "pass", "pass with warnings", "incomplete", "fail".
const char* verdict_word(Verdict verdict);
/// Of a command that ends with it.
ExitStatus exit_status(Verdict verdict);

/// Schema bellwether.verdict/1 (verdict.schema.json).
nlohmann::json to_json(const Acceptance& acceptance);
nlohmann::json verdict_json_schema();
/// Throws BadInput naming file and key.
Acceptance parse_acceptance(const nlohmann::json& document, const std::string& file);
/// A test suite for each kind, a test case for each finding: a failure where it failed or is
/// missing, skipped where it was not judged.
std::string junit_text(const Acceptance& acceptance);
/// One screen: the verdict, then a line for each finding that is no pass, worst first and 14 at
/// most, what was not judged for the same reason on one line, then what passed in numbers.
std::string verdict_text(const Acceptance& acceptance, const std::string& folder);

}  // namespace bellwether
