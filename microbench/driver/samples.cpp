// SPDX-License-Identifier: MIT
#include "microbench/driver/samples.hpp"

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "results/statistics.hpp"

namespace bellwether {

const std::vector<double>& SampleStore::at(const std::string& name) const {
  const auto found = samples_.find(name);
  if (found == samples_.end()) throw std::logic_error("no samples of benchmark " + name);
  return found->second;
}

nlohmann::json to_json(const SampleStore& store) {
  return {{"schema", "bellwether.samples/1"}, {"unit", "s"}, {"samples", store.all()}};
}

Quantity quantity_of(const std::vector<double>& samples) {
  const Summary summary = summarize(samples);
  return {summary.median, summary.low, summary.high, {}};
}

Quantity rate_of(double amount, const std::vector<double>& seconds) {
  const Summary time = summarize(seconds);
  return {amount / time.median, amount / time.high, amount / time.low, {}};
}

}  // namespace bellwether
