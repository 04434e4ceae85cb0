// SPDX-License-Identifier: MIT
#include "miniapps/driver/case_samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <stdexcept>

#include "miniapps/comm/reduce.hpp"

namespace bellwether {
namespace {

using nlohmann::json;

constexpr std::size_t name_length = 32;
constexpr std::size_t most_terms = 32;

/// The names of the rank's terms, to be broadcast: ranks at a wall may have fewer phases.
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

/// A rank's result as text for the others, and back.
std::string text_of(const RankResult& rank) {
  return json{{"host", rank.host},
              {"cores", rank.cores},
              {"device", rank.device},
              {"terms", rank.terms},
              {"gpu", rank.gpu}}
      .dump();
}
RankResult rank_of(const std::string& text) {
  const json rank = json::parse(text);
  RankResult result;
  rank.at("host").get_to(result.host);
  rank.at("cores").get_to(result.cores);
  rank.at("device").get_to(result.device);
  rank.at("terms").get_to(result.terms);
  result.gpu = rank.at("gpu");
  return result;
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
  if (own.terms.size() > most_terms)
    throw std::logic_error(
        fmt::format("a step of {} terms, expected at most {}", own.terms.size(), most_terms));
  std::vector<std::string> names;
  std::vector<double> seconds;
  for (const auto& [name, spent] : own.terms) {
    if (name.size() >= name_length)
      throw std::logic_error(
          fmt::format("term \"{}\": expected at most {} letters", name, name_length - 1));
    names.push_back(name);
    seconds.push_back(spent);
  }
  seconds.resize(most_terms);
  const Slowest slowest = slowest_rank(comm, own.total_s, seconds);
  broadcast_names(comm, slowest.rank, names);
  StepSample sample{slowest.total, {}};
  for (std::size_t n = 0; n < names.size(); ++n)
    sample.terms.emplace_back(names[n], slowest.values[n]);
  return sample;
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
  return summarize(sums(beginning)).median;
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
  for (const std::string& text : gather_texts(comm, text_of(mine))) all.push_back(rank_of(text));
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
