// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/prediction.hpp"
#include "results/statistics.hpp"

namespace bellwether {

/// Per-step times of the slowest rank, seconds. The terms are that rank's phases, in the order in
/// which the step runs them; with overlap a communication phase counts the part that was exposed.
struct Measurement {
  Summary total_s;
  std::vector<std::pair<std::string, Summary>> terms;
  /// Share of the communication time hidden behind computation; absent without overlap or messages.
  std::optional<double> hidden_fraction;
  /// As Prediction's, of the ranks' medians; absent where they were not asked for.
  std::optional<double> imbalance_s;
};

struct Verification {
  bool passed = false;
  std::string what;  ///< "mode decay"
  double value = 0;  ///< what was measured, for example the largest error; may be non-finite
  double tolerance = 0;
};

/// Compulsory memory traffic of a term while it runs, of all ranks together.
struct TermRate {
  std::string term;
  double bytes_per_s = 0;
  double fraction_of_limit = 0;  ///< as in Rate
  std::string above_limit{};     ///< as in Rate
};

/// The work rate of all ranks together and the limit it is held against.
struct Rate {
  double value = 0;
  std::string unit;              ///< "cells/s"
  std::string limit;             ///< "memory bandwidth"; empty: nothing limits it alone
  double fraction_of_limit = 0;  ///< 0: no machine, so no limit known
  double flops_per_s = 0;        ///< as the app counts them; 0: it does not
  double bytes_per_s = 0;        ///< compulsory memory traffic; 0: it is not counted
  std::vector<TermRate> terms;   ///< those whose traffic is counted by itself
  std::string above_limit{};     ///< why the fraction is above 1; empty where it is not
  /// Of what a GPU's products make when they go on for seconds, and its clocks fall: the limit is
  /// then that of cold clocks. 0: not known.
  double fraction_of_sustained = 0;
};

/// What the timed steps took of all nodes' CPU packages and memory, other jobs' share included, and
/// of the ranks' GPUs, as far as each is counted everywhere.
struct Energy {
  double joules_per_step = 0;
  std::vector<std::pair<std::string, double>> watts;  ///< "packages", "memory", "gpus"
  double units_per_joule = 0;                         ///< of Rate's unit; 0: a wrong result
};

/// How fast the machine was while it ran, measured between the samples: a shared machine's speed
/// changes.
struct ProbeResult {
  std::string of;    ///< "memory": a copy of the fields; "loops": Airfoil's, without halos
  std::string unit;  ///< "B/s", "cells/s"
  Summary rate;      ///< per rank
  /// What the machine file says of the same; 0: it does not.
  double calibrated_rate = 0;
  struct Sample {
    double total_s = 0;    ///< seconds per step
    double rate = 0;       ///< harmonic mean of what was probed right before and right after
    double core_rate = 0;  ///< the same of the core, where it was probed
  };
  std::vector<Sample> samples;  ///< the run's, in order
  /// Cells/s per rank of the case's update in the caches; absent: none was measured.
  std::optional<Summary> core_rate{};
  double calibrated_core_rate = 0;  ///< the machine file's of the same
};

/// Where nine of ten runs of this case on this machine end, by the refined form (run_interval).
struct RunInterval {
  struct Ends {
    double total_s = 0;  ///< the prediction
    double low_s = 0, high_s = 0;
  };
  Ends run;
  std::optional<Ends> at_probe;  ///< at the speed that was probed between the run's samples
  std::vector<Term> terms;       ///< each one's own
  /// What each cause alone allows, 90 % of it: ratios of the run's time to the predicted one.
  std::pair<double, double> calibration{1, 1}, drift{1, 1}, model{1, 1};
  std::pair<double, double> machine_s;  ///< what the machine's own intervals allow
  int model_runs = 0;            ///< that the model's rests on; 0: not known, and taken for none
  std::string slowest_probe_of;  ///< "memory": of the calibration's probes what drifted most
  double slowest_probe = 1;      ///< of them, times as long as usual
};

/// One rank of a case: where it ran, and the median of each of its own terms, per step.
struct RankResult {
  std::string host;
  std::string cores;   ///< that it may run on: "0-3,8"; empty where the system does not say
  std::string device;  ///< "kokkos/Serial", "cuda: NVIDIA H100"
  std::vector<std::pair<std::string, double>> terms;  ///< seconds; "total" last
  /// GpuMonitor's, where the ranks have more than one GPU; else null.
  nlohmann::json gpu = nullptr;
};

/// Seconds that the rank with most in terms "compute.…" has more than the ranks' mean.
double measured_imbalance(const std::vector<RankResult>& ranks);

/// What a control group's CPU quota took of a rank: in so many of its periods the group had used up
/// its time, and stood still for so many seconds of all its CPUs together.
struct Throttled {
  int rank = 0;
  double cpus = 0;  ///< that the quota allows
  int periods = 0, throttled_periods = 0;
  double seconds = 0;
};

/// Whether a run took as long as it should.
enum class Answer : unsigned char {
  normal,
  slower,
  faster,
  cannot_tell,
  not_predicted,
  wrong_result,
};

/// The one answer of a record (verdict_of); whatever shows or judges a run reads it.
struct RunVerdict {
  /// Slower or faster where the run is that for its speed while it ran; else as for the machine.
  /// Intervals whose ends are more than a factor of 2 apart tell nothing.
  Answer answer = Answer::not_predicted;
  /// By the interval of the machine's runs; where its drift is not known, by whether the interval
  /// that the machine file implies and the measured one meet.
  Answer for_machine = Answer::not_predicted;
  std::optional<Answer> at_probe;  ///< absent without a probe that the machine file knows
  /// Why it cannot be told for the machine, and what helps; empty where it can.
  std::string because, to_do;
  /// The term that explains most of the difference, in a sentence: where the answer is slower or
  /// faster, and whatever it is where the error is more than 25 %; else empty.
  std::string explanation;
};

/// One finished case; on disk one line of a results file, schema bellwether.record/1.
struct Record {
  std::string app;
  int ranks = 0;
  nlohmann::json problem;
  nlohmann::json variant;
  Measurement measured;
  std::vector<Prediction> predicted;    ///< "paper" and "refined"; empty without a machine
  std::optional<RunInterval> interval;  ///< absent: the machine's drift is not known
  std::vector<std::pair<std::string, double>> setup;  ///< seconds of its phases, slowest rank
  std::optional<ProbeResult> probe;
  Rate rate;
  std::optional<Energy> energy;      ///< absent: it was not counted
  std::vector<RankResult> per_rank;  ///< in the order of ranks; empty: not asked for
  std::string not_run;  ///< why the case could not run: nothing is measured then; empty: it ran
  bool oversubscribed = false;  ///< ranks or their threads shared cores, or a CPU quota
  /// How a CPU quota held back the rank that it held back longest while samples were taken; absent:
  /// none did.
  std::optional<Throttled> throttled;
  int ranks_per_device = 0;  ///< of the GPU that most ranks share; 0: they compute on CPUs
  Verification verification;
  nlohmann::json result;
  std::string machine;  ///< name or file; empty if none
  nlohmann::json provenance;
  /// As whoever wrote it judged it, and found refined_error_at_probe; absent while it is not
  /// written.
  std::optional<RunVerdict> verdict;
  std::optional<double> error_at_probe;
};

inline constexpr const char* record_schema = "bellwether.record/1";

/// As record.schema.json has it (record_json.cpp). Non-finite numbers become null.
nlohmann::json to_json(const Record& record);

/// A record of this or an earlier version; unknown keys are ignored. `place`: "r.jsonl, line 3".
/// Throws BadInput for another schema, and naming the key for a wrong type or range.
Record parse_record(const nlohmann::json& document, const std::string& place);

/// The same of one rank, as "per_rank" has it.
nlohmann::json to_json(const RankResult& rank);
RankResult parse_rank(const nlohmann::json& document);

/// JSON schema (draft 7) of a record; results/record.schema.json holds it.
nlohmann::json record_json_schema();

/// The document's "interval": where it comes from.
nlohmann::json causes_json(const RunInterval& interval);

/// Whether a record, as it was read, has an app, ranks and a measured total.
bool is_whole(const Record& record);

/// The value of a key; null where it is missing, or where it is no object that is asked.
nlohmann::json value_or_null(const nlohmann::json& object, const std::string& key);

/// A record's problem or variant, with "auto" for what was asked for so, whatever was chosen:
/// it tells neither cases nor series apart. Sizes stay as they were.
nlohmann::json as_asked(const Record& record, nlohmann::json Record::*part);

/// Appends the record as one line in one write, flushed; ends a torn last line first, and takes
/// away one that does not fit. Throws BadInput with path and reason.
void append_record(const std::string& path, const Record& record);

/// The same of any object.
void append_line(const std::string& path, const nlohmann::json& object);

/// Throws BadInput if append_record could not write there; creates no file that was not there.
void check_appendable(const std::string& path);

/// Passed where the value is at most the tolerance; NaN is not.
Verification judged(std::string what, double value, double tolerance);

/// Of several the one that fails, or comes nearest to its tolerance. Not empty.
Verification worst_of(const std::vector<Verification>& all);

}  // namespace bellwether
