// SPDX-License-Identifier: MIT
#include "results/record.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "results/comparison.hpp"
#include "results/record_json_types.hpp"
#include "results/verdict.hpp"

namespace bellwether {
namespace {

using nlohmann::json;

JsonType<Summary> summary_type() {
  const auto median = property<Summary>(
      "median", real(), [](const Summary& all) { return std::optional(all.median); },
      [](Summary& all, double one) { all = {one, one, one, one, one, 1}; });
  return named(
      "summary", "Of repeated measurements; low and high are the 95 % interval of the median.",
      open_object<Summary>(
          {always(median), always("low", &Summary::low, real()),
           always("high", &Summary::high, real()), always("min", &Summary::min, real()),
           always("max", &Summary::max, real()), always("count", &Summary::count, json_count())}));
}

std::optional<std::map<std::string, std::string>> measured_within(const Record& record) {
  std::map<std::string, std::string> all;
  for (const ComparedTerm& term : compare(record).terms)
    if (!term.measured_in.empty()) all[term.name] = term.measured_in;
  return all.empty() ? std::nullopt : std::optional(all);
}
JsonField<Record> measured_field() {
  const JsonFields<Measurement> own{
      always("total_s", &Measurement::total_s, summary_type()),
      always("terms", &Measurement::terms, by_name(summary_type())),
      optional("hidden_fraction", &Measurement::hidden_fraction, real()),
      optional("imbalance_s", &Measurement::imbalance_s, real())};
  return nested<Record>(
      "measured",
      "Seconds per step of the slowest rank. within: the measured term that holds one which is "
      "predicted alone.",
      within(&Record::measured, own) +
          JsonFields<Record>{derived<Record>("within", json_map(json_text()), measured_within)},
      [](const Record& record) { return record.not_run.empty(); });
}

JsonFields<RunInterval::Ends> run_ends() {
  using Ends = RunInterval::Ends;
  return {always("total_s", &Ends::total_s, real()), always("low_s", &Ends::low_s, real()),
          always("high_s", &Ends::high_s, real())};
}

JsonType<RunInterval> interval_type() {
  return named(
      "interval",
      "Where nine of ten runs end. calibration, drift, model: what each cause alone allows, as "
      "ratios; machine_s: what the machine file's intervals allow; at_probe: at the speed during "
      "the run.",
      open_object<RunInterval>(
          {constant<RunInterval>("of", "90 % of runs"),
           always("calibration", &RunInterval::calibration, ends_type()),
           always("drift", &RunInterval::drift, ends_type()),
           nested<RunInterval>("slowest_probe", "",
                               {always("of", &RunInterval::slowest_probe_of, json_text()),
                                always("times", &RunInterval::slowest_probe, real())}),
           always("model", &RunInterval::model, ends_type()),
           always("model_runs", &RunInterval::model_runs, json_count()),
           always("machine_s", &RunInterval::machine_s, ends_type()),
           optional("at_probe", &RunInterval::at_probe, open_object(run_ends()))}));
}

/// A prediction with the ends of the interval that its record has besides.
struct PredictedForm {
  Prediction shown;
  std::optional<RunInterval> interval;
};

JsonField<Prediction> intervals_field() {
  return property<Prediction>(
      "intervals", by_name(ends_type()),
      [](const Prediction& prediction) {
        ByName<Pair> all;
        for (const Term& term : prediction.terms)
          all.emplace_back(term.name, Pair{term.low, term.high});
        return std::optional(all);
      },
      [](Prediction& prediction, const ByName<Pair>& all) {
        for (const auto& [name, pair] : all)
          for (Term& term : prediction.terms)
            if (term.name == name) std::tie(term.low, term.high) = pair;
      });
}

std::optional<std::vector<PredictedForm>> shown_forms(const Record& record) {
  std::vector<PredictedForm> forms;
  for (const Prediction& prediction : record.predicted) {
    PredictedForm& form = forms.emplace_back(PredictedForm{prediction, {}});
    if (prediction.form != "refined" || !record.interval) continue;
    form.interval = record.interval;
    std::tie(form.shown.total_s, form.shown.low_s, form.shown.high_s) = std::tie(
        record.interval->run.total_s, record.interval->run.low_s, record.interval->run.high_s);
    for (const Term& own : record.interval->terms)
      for (Term& term : form.shown.terms)
        if (term.name == own.name) std::tie(term.low, term.high) = std::tie(own.low, own.high);
  }
  return forms;
}

void keep_forms(Record& record, const std::vector<PredictedForm>& forms) {
  for (const auto& [shown, read] : forms) {
    Prediction& prediction = record.predicted.emplace_back(shown);
    if (!read) continue;
    RunInterval& interval = record.interval.emplace(*read);
    interval.run = {shown.total_s, shown.low_s, shown.high_s};
    interval.terms = shown.terms;
    std::tie(prediction.low_s, prediction.high_s) = interval.machine_s;
    // Records of before the probes' own are said to have drifted as far as the interval allows.
    if (interval.slowest_probe_of.empty())
      std::tie(interval.slowest_probe_of, interval.slowest_probe) =
          std::pair("speed", interval.drift.second);
  }
}

JsonField<Record> predicted_field() {
  const JsonFields<Prediction> own{
      always("total_s", &Prediction::total_s, real()),
      always("low_s", &Prediction::low_s, real()),
      always("high_s", &Prediction::high_s, real()),
      always("terms", &Prediction::terms,
             json_by_name(&Term::name, json_as(&Term::seconds, real()))),
      always(intervals_field()),
      always("hidden_fraction", &Prediction::hidden_fraction, real()),
      always("imbalance_s", &Prediction::imbalance_s, real()),
      always("outside_range", &Prediction::outside_range, json_list(json_text())),
      optional("outside_machine", &Prediction::outside_machine, json_list(json_text()))};
  const auto form =
      named("prediction",
            "Seconds per step. The ends of total and terms are those of the 90 % interval of runs "
            "where \"interval\" stands, else those that the machine file's intervals imply.",
            open_object(within(&PredictedForm::shown, own) +
                        JsonFields<PredictedForm>{
                            optional("interval", &PredictedForm::interval, interval_type())}));
  const auto name = [](auto& one) -> auto& { return one.shown.form; };
  return property<Record>("predicted", json_by_name(name, form), shown_forms, keep_forms);
}

JsonField<Record> error_of_form(const char* form) {
  return derived<Record>(form, real(), [form](const Record& record) {
    const Prediction* const prediction = find_prediction(record, form);
    return prediction
               ? std::optional(relative_error(prediction->total_s, record.measured.total_s.median))
               : std::nullopt;
  });
}

std::optional<ByName<double>> errors_of_terms(const Record& record) {
  ByName<double> errors;
  const Comparison comparison = compare(record);
  for (const ComparedTerm& term : comparison.terms)
    if (const auto error = comparison.error(term); error && std::isfinite(*error))
      errors.emplace_back(term.name, *error);
  return errors.empty() ? std::nullopt : std::optional(errors);
}

JsonField<Record> error_field() {
  return nested<Record>(
      "error",
      "(predicted - measured) / measured of the total by each form; refined_at_probe: once the "
      "computation is scaled to the speed during the run; terms: of each, by the refined form if "
      "it is there, with what is measured within it.",
      {error_of_form("paper"), error_of_form("refined"),
       property<Record>("refined_at_probe", real(), refined_error_at_probe,
                        [](Record& record, double error) { record.error_at_probe = error; }),
       derived<Record>("terms", by_name(real()), errors_of_terms)});
}

JsonField<Record> verdict_field() {
  const auto answer = word_of<Answer>({answer_names.begin(), answer_names.end()});
  const auto type = named(
      "verdict",
      "The answer that every table, page and check shows; for_machine and at_probe: by either "
      "interval; because, to_do: where it cannot be told; explanation: the term that explains "
      "most.",
      open_object<RunVerdict>({always("answer", &RunVerdict::answer, answer),
                               always("for_machine", &RunVerdict::for_machine, answer),
                               optional("at_probe", &RunVerdict::at_probe, answer),
                               always("because", &RunVerdict::because, json_text()),
                               always("to_do", &RunVerdict::to_do, json_text()),
                               always("explanation", &RunVerdict::explanation, json_text())}));
  return property<Record>(
      "verdict", type, [](const Record& record) { return std::optional(verdict_of(record)); },
      [](Record& record, const RunVerdict& verdict) { record.verdict = verdict; });
}

JsonType<RankResult> rank_type() {
  return named("rank", "Where it ran, and the medians of its own terms, seconds per step.",
               open_object<RankResult>({always("host", &RankResult::host, json_text()),
                                        always("cores", &RankResult::cores, json_text()),
                                        always("device", &RankResult::device, json_text()),
                                        always("terms", &RankResult::terms, by_name(real())),
                                        optional("gpu", &RankResult::gpu, anything())}));
}

/// Of the run's samples one number each.
JsonField<ProbeResult> column(const char* key, double ProbeResult::Sample::*number,
                              bool of_core = false) {
  return property<ProbeResult>(
      key, json_list(real()),
      [=](const ProbeResult& probe) -> std::optional<std::vector<double>> {
        if (of_core && (!probe.core_rate || probe.samples.empty())) return {};
        std::vector<double> numbers;
        for (const ProbeResult::Sample& sample : probe.samples) numbers.push_back(sample.*number);
        return numbers;
      },
      [=](ProbeResult& probe, const std::vector<double>& numbers) {
        probe.samples.resize(std::max(probe.samples.size(), numbers.size()));
        for (std::size_t at = 0; at < numbers.size(); ++at) probe.samples[at].*number = numbers[at];
      });
}

JsonType<ProbeResult> probe_type() {
  return named(
      "probe", "The machine's speed between the samples, per rank, beside the machine file's.",
      open_object<ProbeResult>(
          {always("of", &ProbeResult::of, json_text()),
           always("unit", &ProbeResult::unit, json_text()),
           always("rate", &ProbeResult::rate, summary_type()),
           always("calibrated_rate", &ProbeResult::calibrated_rate, known()),
           nested<ProbeResult>("samples", "Of the run's samples, in order.",
                               {always(column("total_s", &ProbeResult::Sample::total_s)),
                                always(column("rate", &ProbeResult::Sample::rate)),
                                column("core_rate", &ProbeResult::Sample::core_rate, true)}),
           retired<ProbeResult>("plain_rate"),
           optional("core_rate", &ProbeResult::core_rate, summary_type()),
           optional("calibrated_core_rate", &ProbeResult::calibrated_core_rate, known(),
                    [](const ProbeResult& result) { return result.core_rate.has_value(); })}));
}

JsonField<Record> rate_field() {
  const auto term =
      open_object<TermRate>({always("bytes_per_s", &TermRate::bytes_per_s, real()),
                             always("fraction_of_limit", &TermRate::fraction_of_limit, known()),
                             optional("above_limit", &TermRate::above_limit, json_text())});
  const JsonFields<Rate> own{
      always("value", &Rate::value, real()),
      always("unit", &Rate::unit, json_text()),
      always("limit", &Rate::limit, text_or_null()),
      always("fraction_of_limit", &Rate::fraction_of_limit, known()),
      always("flops_per_s", &Rate::flops_per_s, known()),
      always("bytes_per_s", &Rate::bytes_per_s, known()),
      optional("above_limit", &Rate::above_limit, json_text()),
      optional("fraction_of_sustained_limit", &Rate::fraction_of_sustained, known()),
      optional("terms", &Rate::terms, json_by_name(&TermRate::term, term))};
  return nested<Record>(
      "rate", "Of all ranks together; of a right result alone. above_limit: why it is above 1.",
      within(&Record::rate, own) +
          JsonFields<Record>{
              derived<Record>("fraction_of_limit_at_probe", real(), fraction_of_limit_at_probe)},
      [](const Record& record) { return record.verification.passed; });
}

JsonType<Energy> energy_type() {
  return named(
      "energy",
      "Of all nodes' CPU packages and memory, whatever runs on them, and the ranks' GPUs, "
      "over the timed steps; units_per_joule: of a right result.",
      open_object<Energy>({always("joules_per_step", &Energy::joules_per_step, real()),
                           always("watts", &Energy::watts, by_name(real())),
                           optional("units_per_joule", &Energy::units_per_joule, known())}));
}

JsonType<Verification> verification_type() {
  return open_object<Verification>({always("passed", &Verification::passed, flag()),
                                    always("what", &Verification::what, json_text()),
                                    always("value", &Verification::value, real()),
                                    always("tolerance", &Verification::tolerance, real())});
}

JsonType<Throttled> throttled_type() {
  return named(
      "throttled", "What a CPU quota took of the rank that it held back longest.",
      open_object<Throttled>(
          {always("rank", &Throttled::rank, json_count()), always("cpus", &Throttled::cpus, real()),
           always("periods", &Throttled::periods, json_count()),
           always("throttled_periods", &Throttled::throttled_periods, json_count()),
           always("seconds", &Throttled::seconds, real())}));
}

const JsonType<Record>& record_type() {
  static const JsonType<Record> type = open_object<Record>(
      {constant<Record>("schema", record_schema),
       always("app", &Record::app, json_text()),
       always("ranks", &Record::ranks, json_count(1)),
       always("problem", &Record::problem, anything()),
       always("variant", &Record::variant, anything()),
       optional("not_run", &Record::not_run, json_text()),
       measured_field(),
       always(predicted_field()),
       error_field(),
       always(verdict_field()),
       nested<Record>("setup", "Seconds of its phases, of the slowest rank.",
                      {always("terms", &Record::setup, by_name(real()))},
                      [](const Record& record) { return !record.setup.empty(); }),
       optional("probe", &Record::probe, probe_type()),
       rate_field(),
       optional("energy", &Record::energy, energy_type()),
       optional("per_rank", &Record::per_rank, json_list(rank_type())),
       always("oversubscribed", &Record::oversubscribed, flag()),
       optional("throttled", &Record::throttled, throttled_type()),
       optional("ranks_per_device", &Record::ranks_per_device, json_count()),
       always("verification", &Record::verification, verification_type()),
       always("result", &Record::result, anything()),
       always("machine", &Record::machine, text_or_null()),
       always("provenance", &Record::provenance, anything())});
  return type;
}

}  // namespace

Record parse_record(const json& document, const std::string& place) {
  return record_type().read(JsonNode(document, place));
}

json to_json(const Record& record) { return record_type().write(record); }

json to_json(const RankResult& rank) { return rank_type().write(rank); }

RankResult parse_rank(const json& document) {
  return rank_type().read(JsonNode(document, "a rank"));
}

json causes_json(const RunInterval& interval) {
  static const JsonType<RunInterval> type = interval_type();
  return type.write(interval);
}

json record_json_schema() {
  return published_schema(
      record_type(), record_schema,
      "One finished case, a line of a results file. Seconds are per step. Non-finite numbers, and "
      "limits and machines that are not known, are null. not_run: why a case could not run, which "
      "has nothing measured and is not verified. The program also reads records of earlier "
      "versions, which lack keys that are required here.");
}

}  // namespace bellwether
