// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "models/embedded_file.hpp"
#include "models/machine/strict_json.hpp"
#include "results/acceptance/finding.hpp"
#include "results/acceptance/occasions.hpp"
#include "results/record.hpp"

namespace bellwether {

/// Every rank, node and link, and each app's compute terms, against siblings; `alpha`: false alarms
/// of all groups. Of two that differ `baselines` tell which changed; those without are said.
std::vector<Finding> judge_siblings(const std::vector<SiblingOccasion>& occasions,
                                    const std::vector<Record>& records, const Material& material,
                                    double alpha, const std::vector<SiblingOccasion>& baselines);

/// Every case's verification: wrong where one of its repeats is.
std::vector<Finding> judge_right(const std::vector<Record>& records);

/// The rank that waited longest for its core while a record was made, and the share of the time:
/// its provenance's "waited_for_core", of each rank. Absent where that is not told.
std::optional<std::pair<std::size_t, double>> longest_waiting(const Record& record);
/// Who took it: "other programs", or also the CPU quota of the ranks' control group.
std::string takers_of_core(const Record& record);
/// What other programs took of the ranks' cores while cases ran, by the system's count: one
/// finding, of the rank that lost most; by what matters alone. None where no record tells.
std::vector<Finding> judge_waiting(const std::vector<Record>& records, const Material& material);

/// Every case's fastest repeat against its refined prediction: a warning beyond its interval, the
/// model's residual and the ranks' unsteadiness at the rate `alpha` over all cases, a failure at a
/// tenth of it; outside the calibrated range at most a warning. What is disturbed, untold or
/// unpredicted is not judged.
std::vector<Finding> judge_promised(const std::vector<Record>& records, double alpha,
                                    double disturbed = 0.05,
                                    const std::optional<Unsteadiness>& unsteady = {});

/// An earlier acceptance, or a part of one: what of it is there.
struct Baseline {
  std::string name;
  std::vector<Record> records;
  nlohmann::json machine;  ///< null: none
  std::vector<SiblingOccasion> siblings;
};

/// An accept folder, a results file or a machine file. Throws BadInput for what is not there, is
/// none of them, or has another layout than `layout`, naming both.
Baseline read_baseline(const std::string& path, const RankLayout& layout);

/// Cases and calibration parts against the baselines: slower where the gap between both intervals
/// exceeds their moderated spread (Student's t, `alpha` over all). One baseline only warns.
std::vector<Finding> judge_before(const Baseline& now, const std::vector<Baseline>& baselines,
                                  const Material& material, double alpha);

/// How much the logarithm of a quantity changes from baseline to baseline.
struct Deviation {
  double deviation = 0;  ///< standard deviation
  double freedom = 0;    ///< degrees of freedom; 0: not known
};

/// What a next value of each quantity is held against: its own variance, weighed by its freedom,
/// with the others' mean variance, weighed as 4. Keeps the stated rate of false alarms.
std::vector<Deviation> moderated(const std::vector<Deviation>& own);

/// P(T > t), T of Student's distribution with so many degrees of freedom.
double student_tail(double t, double freedom);

/// Cases of eight repeats and more over time, as a burn-in has them: the later half against the
/// earlier, at the rate `alpha` over all cases.
std::vector<Finding> judge_steady(const std::vector<Record>& records, const Material& material,
                                  double alpha);
/// P(as many pairs in which the later one is larger), by chance: exactly up to 40 on a side.
double later_slower_p(const std::vector<double>& first, const std::vector<double>& last);

/// A limit of a vendor or a contract.
struct SpecifiedLimit {
  std::string what, source;
  std::string machine;  ///< JSON pointer of a parameter of the machine file, or …
  std::string app;      ///< … whose best rate counts
  std::optional<double> at_least, at_most;  ///< one of them
};

/// Schema bellwether.spec/1 (run/suites/README.md).
struct Specification {
  std::string file;  ///< in messages
  std::vector<SpecifiedLimit> limits;
};

/// Throws BadInput naming file and key for what does not fit the schema, an app that is none of
/// `apps`, which a suite runs, and what cannot be a machine's parameter.
Specification read_specification(const nlohmann::json& document, const std::string& file,
                                 const std::vector<std::string>& apps);

/// A limit of what is not there is missing; without a machine, all of its parameters. Throws
/// BadInput for a parameter that the machine does not have.
std::vector<Finding> judge_specified(const Specification& spec, const nlohmann::json& machine,
                                     const std::vector<Record>& records);

/// What a suite asks for.
struct Asked {
  struct Records {
    std::string of;  ///< "/cases/3 (lbm)", with which the case of a record's request ends
    int variants = 1, repeats = 1;
    bool left_out = false;  ///< optional, and could not run there
  };
  std::vector<Records> records;
  int occasions = 0;
};

/// What was asked for and is not there: the calibration, records, occasions. Of what was left out
/// it is said.
std::vector<Finding> judge_complete(const Baseline& now, const Asked& asked);

/// How an acceptance is judged: what its suite says.
struct Rules {
  std::string suite;
  double false_alarm_rate =
      0;  ///< shared out in thirds: promised, before (and over time), siblings
  Material material;
  std::optional<Asked> asked = {};  ///< absent: what is there is all
};

/// All judgements of an acceptance's files, the worst first, and of equals what names a rank or a
/// node. A record's provenance may say in "judge" by which kinds alone it is.
Acceptance judge_acceptance(const Baseline& now, const RankLayout& layout, const Rules& rules,
                            const std::vector<Baseline>& baselines,
                            const std::optional<Specification>& spec);

}  // namespace bellwether
