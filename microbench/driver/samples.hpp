// SPDX-License-Identifier: MIT
#pragma once

#include <compare>
#include <cstddef>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "models/machine/machine.hpp"

namespace bellwether {

/// Whose samples: of a benchmark, as Plan::add numbers it, or of one part of it.
struct SampleKey {
  int benchmark = 0;
  int part = 0;  ///< 0: all of it

  [[nodiscard]] SampleKey of_part(std::size_t index) const {
    return {benchmark, static_cast<int>(index) + 1};
  }
  auto operator<=>(const SampleKey&) const = default;
};

/// What a folder measures, and where its samples are.
template <class Spec>
struct Planned {
  Spec spec;
  SampleKey key;
};

/// Raw samples of each benchmark: seconds of one operation on the slowest rank, in the order in
/// which they were measured. The same on every rank.
class SampleStore {
 public:
  struct Series {
    std::string name;
    std::vector<double> seconds;
  };

  void add(SampleKey key, const std::string& name, double seconds);
  /// Throws std::logic_error for a benchmark that has not run.
  [[nodiscard]] const std::vector<double>& at(SampleKey key) const;
  [[nodiscard]] const std::map<SampleKey, Series>& all() const { return series_; }
  [[nodiscard]] std::map<std::string, std::vector<double>> by_name() const;

 private:
  std::map<SampleKey, Series> series_;
};

/// {"schema": "bellwether.samples/1", "unit": "s", "samples": {name: [seconds, ...]}}
nlohmann::json to_json(const SampleStore& store);

/// Median with its nonparametric 95 % interval.
Quantity quantity_of(const std::vector<double>& samples);
/// `amount` of work per second; the interval is that of the time.
Quantity rate_of(double amount, const std::vector<double>& seconds);

}  // namespace bellwether
