// SPDX-License-Identifier: MIT
#include "miniapps/driver/case_samples.hpp"

#include <algorithm>

#include "miniapps/comm/reduce.hpp"

namespace bellwether {
namespace {

constexpr std::size_t name_length = 32;
constexpr std::size_t most_terms = 16;

/// The names of the rank's phases, to be broadcast: ranks at a wall may have fewer phases.
void broadcast_names(MPI_Comm comm, int from, std::vector<std::string>& names) {
  std::vector<char> text(name_length * most_terms, '\0');
  for (std::size_t n = 0; n < names.size(); ++n)
    names[n].copy(text.data() + n * name_length, name_length - 1);
  MPI_Bcast(text.data(), static_cast<int>(text.size()), MPI_CHAR, from, comm);
  names.clear();
  for (std::size_t n = 0; n < most_terms && text[n * name_length] != '\0'; ++n)
    names.emplace_back(text.data() + n * name_length);
}

double seconds_of(const StepSample& sample, const std::string& term) {
  for (const auto& [name, seconds] : sample.terms)
    if (name == term) return seconds;
  return 0;
}

}  // namespace

StepSample slowest_sample(MPI_Comm comm, double total_s,
                          const std::vector<PhaseClock::Phase>& phases, long steps) {
  std::vector<double> seconds(most_terms, 0.0);
  std::vector<std::string> names;
  double other = total_s;
  for (std::size_t n = 0; n < std::min(phases.size(), most_terms - 1); ++n) {
    names.emplace_back(phases[n].name);
    seconds[n] = phases[n].seconds;
    other -= phases[n].seconds;
  }
  seconds[names.size()] = std::max(0.0, other);
  names.emplace_back("other");
  const Slowest slowest = slowest_rank(comm, total_s, seconds);
  broadcast_names(comm, slowest.rank, names);
  StepSample sample{slowest.total / static_cast<double>(steps), {}};
  for (std::size_t n = 0; n < names.size(); ++n)
    sample.terms.emplace_back(names[n], slowest.values[n] / static_cast<double>(steps));
  return sample;
}

Summary CaseSamples::total() const {
  std::vector<double> totals;
  for (const StepSample& sample : samples_) totals.push_back(sample.total_s);
  return summarize(totals);
}

double CaseSamples::median_of(const std::string& term) const {
  std::vector<double> seconds;
  for (const StepSample& sample : samples_) seconds.push_back(seconds_of(sample, term));
  return summarize(seconds).median;
}

Measurement CaseSamples::measurement() const {
  Measurement measured;
  measured.total_s = total();
  std::vector<std::string> names;
  for (const StepSample& sample : samples_)
    for (const auto& term : sample.terms)
      if (term.first != "other" && std::find(names.begin(), names.end(), term.first) == names.end())
        names.push_back(term.first);
  names.emplace_back("other");
  for (const std::string& name : names) {
    std::vector<double> seconds;
    for (const StepSample& sample : samples_) seconds.push_back(seconds_of(sample, name));
    measured.terms.emplace_back(name, summarize(seconds));
  }
  return measured;
}

}  // namespace bellwether
