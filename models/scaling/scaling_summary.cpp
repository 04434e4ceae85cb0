// SPDX-License-Identifier: MIT
#include "models/scaling/scaling_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

namespace bellwether {
namespace {

bool is_digit(char letter) { return std::isdigit(static_cast<unsigned char>(letter)) != 0; }

/// The text with each number replaced by #: points that differ in numbers alone say the same.
std::string without_numbers(const std::string& text) {
  std::string shape;
  bool in_number = false;
  for (const char letter : text) {
    const bool was = in_number;
    in_number = is_digit(letter) || (was && (letter == '.' || letter == 'e' || letter == '+'));
    if (!in_number)
      shape += letter;
    else if (!was)
      shape += '#';
  }
  return shape;
}

void add_best(FormSummary& form, const std::vector<BestOverlap>& more) {
  for (const BestOverlap& next : more)
    if (form.best_overlap.empty() || form.best_overlap.back().overlap != next.overlap)
      form.best_overlap.push_back(next);
}

}  // namespace

void ScalingSummary::add(const std::vector<ScalingPoint>& points) {
  std::set<std::string> present;
  std::set<std::pair<std::string, bool>> modes;
  for (const ScalingPoint& point : points) {
    const Prediction& prediction = point.prediction;
    ++points_;
    if (counts_.empty() || counts_.back() != point.ranks) counts_.push_back(point.ranks);
    FormSummary& form = forms_[point.form];
    present.insert(point.form);
    modes.insert({point.form, point.overlap});
    form.overlaps |= prediction.overlaps;
    if (form.ranks == 0 || prediction.total_s < form.total_s) {
      form.ranks = point.ranks;
      form.overlap = point.overlap;
      form.layout = point.layout;
      form.total_s = prediction.total_s;
    }
    if (const double share = prediction.imbalance_s / prediction.total_s; share > form.imbalance) {
      form.imbalance = share;
      form.imbalance_ranks = point.ranks;
    }
    for (const Term& term : prediction.terms)
      if (std::find(form.terms.begin(), form.terms.end(), term.name) == form.terms.end())
        form.terms.push_back(term.name);
    outside_range_.add(prediction.outside_range, point.ranks);
    outside_machine_.add(prediction.outside_machine, point.ranks);
  }
  for (const std::string& name : present) {
    FormSummary& form = forms_[name];
    form.has_both |= modes.contains({name, false}) && modes.contains({name, true});
    add_best(form, best_overlap(points, name));
    if (!form.communication_bound_from)
      form.communication_bound_from = communication_bound_from(points, name);
  }
}

void ScalingSummary::Collected::add(const std::vector<std::string>& lines, int ranks) {
  for (const std::string& text : lines) {
    const auto [at, is_new] = index.emplace(without_numbers(text), all.size());
    if (is_new) all.push_back({text, ranks});
    Outside& way = all[at->second];
    ++way.points;
    if (way.to_ranks != ranks) ++way.counts;
    way.to_ranks = ranks;
  }
}

bool ScalingSummary::is_common(const std::string& way) const {
  const std::string shape = without_numbers(way);
  for (const Collected* collected : {&outside_range_, &outside_machine_})
    if (const auto found = collected->index.find(shape); found != collected->index.end())
      return 2 * collected->all[found->second].counts > std::ssize(counts_);
  return false;
}

std::string ScalingSummary::stretch_of(const Outside& way) const {
  const auto ranks_text = [](int ranks) {
    return fmt::format("{} rank{}", ranks, ranks == 1 ? "" : "s");
  };
  const auto from = std::lower_bound(counts_.begin(), counts_.end(), way.from_ranks),
             to = std::lower_bound(counts_.begin(), counts_.end(), way.to_ranks);
  if (way.counts != to - from + 1)
    return fmt::format("at {} of the rank counts from {} to {}", way.counts, way.from_ranks,
                       way.to_ranks);
  const bool begins = from == counts_.begin(), ends = to + 1 == counts_.end();
  if (begins && ends) return "at every rank count";
  if (begins) return fmt::format("up to {}", ranks_text(way.to_ranks));
  if (ends) return fmt::format("from {} on", ranks_text(way.from_ranks));
  return from == to ? fmt::format("at {}", ranks_text(way.from_ranks))
                    : fmt::format("from {} to {} ranks", way.from_ranks, way.to_ranks);
}

std::optional<int> ScalingSummary::fits_from() const {
  const std::vector<Outside>& ways = outside_machine();
  if (ways.empty()) return {};
  const int last = std::max_element(ways.begin(), ways.end(), [](const auto& a, const auto& b) {
                     return a.to_ranks < b.to_ranks;
                   })->to_ranks;
  const auto next = std::upper_bound(counts_.begin(), counts_.end(), last);
  return next == counts_.end() ? std::nullopt : std::optional(*next);
}

int ScalingSummary::before(int ranks) const {
  return *std::prev(std::lower_bound(counts_.begin(), counts_.end(), ranks));
}

std::string best_overlap_text(const ScalingSummary& summary, const FormSummary& form,
                              std::size_t most) {
  const std::vector<BestOverlap>& best = form.best_overlap;
  if (best.empty()) return "neither by more than 1 %";
  std::string text;
  if (best.front().from_ranks > summary.first()) {
    const int to = summary.before(best.front().from_ranks);
    text = fmt::format("either {} {}, ", to == summary.first() ? "at" : "up to", to);
  }
  for (std::size_t index = 0; index < std::min(best.size(), most); ++index) {
    const int from = best[index].from_ranks;
    text += fmt::format("{}{} ", index == 0 ? "" : ", ", best[index].overlap ? "on" : "off");
    if (index + 1 == best.size()) {
      text += from == summary.last() ? fmt::format("at {}", from) : fmt::format("from {} on", from);
    } else {
      const int to = summary.before(best[index + 1].from_ranks);
      text += from == to ? fmt::format("at {}", from) : fmt::format("from {} to {}", from, to);
    }
  }
  if (best.size() > most) text += fmt::format(", and {} further changes", best.size() - most);
  return text;
}

}  // namespace bellwether
