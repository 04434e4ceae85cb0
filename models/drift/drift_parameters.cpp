// SPDX-License-Identifier: MIT
#include "models/drift/drift_parameters.hpp"

#include <algorithm>

#include "models/machine/json_type.hpp"
#include "models/median.hpp"

namespace bellwether {
const std::vector<double>& DriftParameters::slowness(const std::string& of) const {
  static const std::vector<double> none;
  for (const DriftSeries& one : series)
    if (one.of == of) return one.slowness;
  return none;
}

JsonType<DriftParameters> drift_parameters_type() {
  using Drift = DriftParameters;
  const JsonType<DriftSeries> series = named(
      "drift_series", "A probe's times over their median, ascending.",
      json_object<DriftSeries>(
          {required("of", &DriftSeries::of,
                    json_word({"memory", "matrix product", "network", "shared memory"})),
           required("slowness", &DriftSeries::slowness,
                    checked_list<double>(
                        json_list(json_positive(), 1),
                        [](const JsonNode& item, const std::vector<double>& all, std::size_t at) {
                          if (at > 0 && all[at] < all[at - 1])
                            item.refuse("numbers that do not descend");
                        }))}));
  return named("drift",
               "How the machine's speed changed during the calibration: probes repeated between "
               "its parts, over span_s.",
               json_object<Drift>({optional("source", &Drift::source, json_text()),
                                   required("span_s", &Drift::span_s, json_number()),
                                   required("series", &Drift::series, json_list(series))}));
}

DriftSeries drift_series(const std::string& of, std::vector<double> seconds) {
  const double median = median_in(seconds);
  std::sort(seconds.begin(), seconds.end());
  DriftSeries series{of, {}};
  const std::size_t kept = std::min(seconds.size(), most_drift_probes);
  for (std::size_t n = 0; n < kept; ++n)
    series.slowness.push_back(
        seconds[n * (seconds.size() - 1) / std::max<std::size_t>(1, kept - 1)] / median);
  return series;
}

}  // namespace bellwether
