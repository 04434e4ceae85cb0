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
  for (const ScalingPoint& point : points) {
    const Prediction& prediction = point.prediction;
    ++points_;
    if (counts_.empty() || counts_.back() != point.ranks) counts_.push_back(point.ranks);
    FormSummary& form = forms_[point.form];
    present.insert(point.form);
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
    add_best(form, best_overlap(points, name));
    if (!form.communication_bound_from)
      form.communication_bound_from = communication_bound_from(points, name);
  }
}

void ScalingSummary::Collected::add(const std::vector<std::string>& lines, int ranks) {
  for (const std::string& text : lines) {
    const auto [at, is_new] = index.emplace(without_numbers(text), all.size());
    if (is_new) all.push_back({text, ranks, 0});
    ++all[at->second].points;
  }
}

int ScalingSummary::before(int ranks) const {
  return *std::prev(std::lower_bound(counts_.begin(), counts_.end(), ranks));
}

std::string best_overlap_text(const ScalingSummary& summary, const FormSummary& form,
                              std::size_t most) {
  const std::vector<BestOverlap>& best = form.best_overlap;
  std::string text;
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
