// SPDX-License-Identifier: MIT
#include "results/prediction_error.hpp"

#include <algorithm>

namespace bellwether {

const Prediction* find_prediction(const Record& record, const char* form) {
  const auto found = std::find_if(record.predicted.begin(), record.predicted.end(),
                                  [&](const Prediction& p) { return p.form == form; });
  return found == record.predicted.end() ? nullptr : &*found;
}

std::optional<double> probed_fraction(const Record& record) {
  if (!record.probe || !(record.probe->calibrated_rate > 0)) return {};
  return record.probe->rate.median / record.probe->calibrated_rate;
}

std::optional<double> fraction_of_limit_at_probe(const Record& record) {
  const auto fraction = probed_fraction(record);
  if (!fraction || !(record.rate.fraction_of_limit > 0)) return {};
  return record.rate.fraction_of_limit / *fraction;
}

std::optional<double> refined_error_at_probe(const Record& record) {
  const auto fraction = probed_fraction(record);
  const Prediction* refined = find_prediction(record, "refined");
  if (!fraction || !refined) return {};
  double total_s = refined->total_s;
  for (const Term& term : refined->terms) {
    if (term.name.starts_with("compute.")) total_s += term.seconds * (1 / *fraction - 1);
  }
  return relative_error(total_s, record.measured.total_s.median);
}

}  // namespace bellwether
