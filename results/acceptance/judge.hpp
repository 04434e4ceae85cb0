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

/// What difference matters to whoever accepts the machine: a difference beyond `warning`, as a
/// share, is warned of, one beyond `failure` fails; each on top of what chance explains.
struct Material {
  double warning = 0, failure = 0;
  std::string source;
};

/// Every rank, node and link against its siblings, and of `records`, each an occasion of its app,
/// each rank's time in compute terms. `alpha`: the rate of false alarms of all groups together.
/// `baselines`: the same of earlier acceptances of the layout, perhaps none: of two members that
/// differ they tell which has changed. Groups without siblings are said, not judged.
std::vector<Finding> judge_siblings(const std::vector<nlohmann::json>& occasions,
                                    const std::vector<Record>& records, const Material& material,
                                    double alpha, const std::vector<nlohmann::json>& baselines);

/// Every case's verification: wrong where one of its repeats is.
std::vector<Finding> judge_right(const std::vector<Record>& records);

/// By how much an app is slower than the refined form says, at the speed that a probe found; of
/// runs on undisturbed machines. Beyond the median the excess falls off exponentially.
struct Residual {
  int runs = 0;
  double median = 0;       ///< of measured / predicted - 1
  double mean_excess = 0;  ///< of the slower half over the median
  std::string source;

  /// That one of m runs exceeds by chance with probability `alpha`.
  [[nodiscard]] double bound(double alpha, int m) const;
};
/// Of an app, from that table; none: absent.
std::optional<Residual> residual_of(const std::string& app);

/// The rank that waited longest for its core while a record was made, and the share of the time:
/// its provenance's "waited_for_core", of each rank. Absent where that is not told.
std::optional<std::pair<std::size_t, double>> longest_waiting(const Record& record);
/// Who took it: "other programs", or also the CPU quota of the ranks' control group.
std::string takers_of_core(const Record& record);
/// What other programs took of the ranks' cores while cases ran, as the system counted it: one
/// finding, of the rank that lost most over all records. The time that so costs is warned of, or
/// fails, where it matters. None where no record tells.
std::vector<Finding> judge_waiting(const std::vector<Record>& records, const Material& material);

/// Every case's total in its fastest repeat, since what is slow is slow each time, against the
/// refined prediction, at the probe where there is one: a warning beyond what the prediction's
/// interval, the model's residual and how unsteadily the ranks themselves ran meanwhile, in
/// quadrature, explain at the rate `alpha` over all cases, a failure beyond the same at a tenth of
/// it; a prediction outside the calibrated range is warned of where another would fail, and never
/// fails. Names the term that explains most. Slower alone counts, by the record's verdict too. A
/// case of which that cannot be told is not judged (Finding::cannot_tell). A case without a
/// prediction, one whose ranks share cores or lost more than a share `disturbed` of a core to other
/// programs, and one of an app without a residual is not judged.
std::vector<Finding> judge_promised(const std::vector<Record>& records, double alpha,
                                    double disturbed = 0.05,
                                    const std::optional<Unsteadiness>& unsteady = {});

/// An earlier acceptance, or a part of one: what of it is there.
struct Baseline {
  std::string name;
  std::vector<Record> records;
  nlohmann::json machine;  ///< null: none
  std::vector<nlohmann::json> siblings;
};

/// An accept folder, a results file or a machine file. Throws BadInput for what is not there, is
/// none of them, or has another layout than `layout` ("ranks", "nodes", "backend"), naming both.
Baseline read_baseline(const std::string& path, const nlohmann::json& layout);

/// Cases and the calibration's parts against the baselines. One is slower where the near ends of
/// both intervals (of a part the medians over its parameters') are further apart than the spread
/// between baselines explains (each one's, moderated by that of its app's cases or of all parts of
/// the calibration): Student's t at the rate `alpha` over all comparisons. Of the calibration noise
/// is left out, and what ranks waited for one another. With one baseline the
/// spread is that of repeats, and a change is warned of at most: how allocations differ is not
/// known then.
std::vector<Finding> judge_before(const Baseline& now, const std::vector<Baseline>& baselines,
                                  const Material& material, double alpha);

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
  bool at_least = true;
  double value = 0;
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
Acceptance judge_acceptance(const Baseline& now, const nlohmann::json& layout, const Rules& rules,
                            const std::vector<Baseline>& baselines,
                            const std::optional<Specification>& spec);

}  // namespace bellwether
