// SPDX-License-Identifier: MIT
#include "miniapps/driver/case_samples.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "miniapps/comm/reduce.hpp"
#include "models/median.hpp"

namespace bellwether {
namespace {

using nlohmann::json;

double seconds_of(const StepSample& sample, const std::string& term) {
  for (const auto& [name, seconds] : sample.terms)
    if (name == term) return seconds;
  return 0;
}

}  // namespace

StepSample own_sample(double total_s, const std::vector<PhaseClock::Phase>& phases, long steps) {
  const auto per_step = [steps](double seconds) { return seconds / static_cast<double>(steps); };
  StepSample sample{per_step(total_s), {}};
  double other = total_s;
  for (const PhaseClock::Phase& phase : phases) {
    sample.terms.emplace_back(phase.name, per_step(phase.seconds));
    other -= phase.seconds;
  }
  sample.terms.emplace_back("other", per_step(std::max(0.0, other)));
  return sample;
}

StepSample slowest_sample(MPI_Comm comm, const StepSample& own) {
  const Slowest slowest = slowest_rank(comm, own.total_s, {});
  const std::string terms = from_rank(comm, slowest.rank, json(own.terms).dump());
  return {slowest.total, json::parse(terms).get<decltype(own.terms)>()};
}

Summary CaseSamples::total() const {
  std::vector<double> totals;
  for (const StepSample& sample : samples_) totals.push_back(sample.total_s);
  return summarize(totals);
}

std::vector<double> CaseSamples::sums(const std::string& beginning) const {
  std::vector<double> sums;
  for (const StepSample& sample : samples_) {
    double& sum = sums.emplace_back(0);
    for (const auto& [name, seconds] : sample.terms)
      if (name.starts_with(beginning)) sum += seconds;
  }
  return sums;
}

double CaseSamples::median_of_all(const std::string& beginning) const {
  return median_of(sums(beginning));
}

double CaseSamples::mean_of_all(const std::string& beginning) const {
  const std::vector<double> all = sums(beginning);
  return std::accumulate(all.begin(), all.end(), 0.) / static_cast<double>(all.size());
}

double CaseSamples::mean() const {
  double sum = 0;
  for (const StepSample& sample : samples_) sum += sample.total_s;
  return sum / static_cast<double>(samples_.size());
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

std::vector<RankResult> gather_ranks(MPI_Comm comm, const CaseSamples& own, RankResult mine) {
  const Measurement measured = own.measurement();
  for (const auto& [name, seconds] : measured.terms) mine.terms.emplace_back(name, seconds.median);
  mine.terms.emplace_back("total", measured.total_s.median);
  std::vector<RankResult> all;
  for (const std::string& text : gather_texts(comm, to_json(mine).dump()))
    all.push_back(parse_rank(json::parse(text)));
  const auto uuid = [](const RankResult& rank) {
    return rank.gpu.is_null() ? json(nullptr) : rank.gpu.at("uuid");
  };
  const bool one_gpu = std::all_of(all.begin(), all.end(), [&](const RankResult& rank) {
    return uuid(rank) == uuid(all.front());
  });
  if (one_gpu)
    for (RankResult& rank : all) rank.gpu = nullptr;
  return all;
}

}  // namespace bellwether
