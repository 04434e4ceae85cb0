// SPDX-License-Identifier: MIT
#include "microbench/driver/samples.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "results/statistics.hpp"

namespace bellwether {

void SampleStore::add(SampleKey key, const std::string& name, double seconds) {
  Series& series = series_[key];
  if (series.seconds.empty()) series.name = name;
  series.seconds.push_back(seconds);
}

const std::vector<double>& SampleStore::at(SampleKey key) const {
  const auto found = series_.find(key);
  if (found == series_.end())
    throw std::logic_error(
        fmt::format("no samples of benchmark {}, part {}", key.benchmark, key.part));
  return found->second.seconds;
}

std::map<std::string, std::vector<double>> SampleStore::by_name() const {
  std::map<std::string, std::vector<double>> named;
  for (const auto& [key, series] : series_) named[series.name] = series.seconds;
  return named;
}

nlohmann::json to_json(const SampleStore& store) {
  return {{"schema", "bellwether.samples/1"}, {"unit", "s"}, {"samples", store.by_name()}};
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
