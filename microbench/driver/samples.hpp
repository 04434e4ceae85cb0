// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "models/machine/machine.hpp"

namespace bellwether {

/// Raw samples of each benchmark by its name: seconds of one operation on the slowest rank, in the
/// order in which they were measured. The same on every rank.
class SampleStore {
 public:
  void add(const std::string& name, double seconds) { samples_[name].push_back(seconds); }
  [[nodiscard]] bool has(const std::string& name) const { return samples_.contains(name); }
  /// Throws std::logic_error naming a benchmark that has not run.
  [[nodiscard]] const std::vector<double>& at(const std::string& name) const;
  [[nodiscard]] const std::map<std::string, std::vector<double>>& all() const { return samples_; }

 private:
  std::map<std::string, std::vector<double>> samples_;
};

/// {"schema": "bellwether.samples/1", "unit": "s", "samples": {name: [seconds, ...]}}
nlohmann::json to_json(const SampleStore& store);

/// Median with its nonparametric 95 % interval.
Quantity quantity_of(const std::vector<double>& samples);
/// `amount` of work per second; the interval is that of the time.
Quantity rate_of(double amount, const std::vector<double>& seconds);

}  // namespace bellwether
