// SPDX-License-Identifier: MIT
#include "models/scaling/rank_prediction.hpp"

#include <algorithm>

namespace bellwether {

void TermList::add(const std::string& name, double seconds) {
  const auto found = std::find_if(terms_.begin(), terms_.end(),
                                  [&name](const Term& term) { return term.name == name; });
  if (found == terms_.end()) {
    terms_.push_back({name, seconds, seconds, seconds});
  } else {
    found->seconds += seconds;
    found->low = found->high = found->seconds;
  }
}

double TermList::seconds(const std::string& name) const {
  for (const Term& term : terms_)
    if (term.name == name) return term.seconds;
  return 0;
}

double TermList::compute_seconds() const {
  double sum = 0;
  for (const Term& term : terms_)
    if (term.name.starts_with("compute")) sum += term.seconds;
  return sum;
}

double TermList::total() const {
  double sum = 0;
  for (const Term& term : terms_) sum += term.seconds;
  return sum;
}

Prediction slowest_rank(const std::string& form, const std::vector<int>& ranks,
                        const std::function<RankStep(int rank, Bound bound)>& step) {
  int slowest = ranks.front();
  RankStep central = step(slowest, Bound::value);
  for (std::size_t index = 1; index < ranks.size(); ++index) {
    RankStep other = step(ranks[index], Bound::value);
    if (other.terms.total() > central.terms.total()) {
      slowest = ranks[index];
      central = std::move(other);
    }
  }
  const RankStep fast = step(slowest, Bound::fastest);
  const RankStep slow = step(slowest, Bound::slowest);
  Prediction prediction;
  prediction.form = form;
  prediction.terms = central.terms.terms();
  for (Term& term : prediction.terms) {
    const double ends[] = {fast.terms.seconds(term.name), slow.terms.seconds(term.name),
                           term.seconds};
    term.low = *std::min_element(std::begin(ends), std::end(ends));
    term.high = *std::max_element(std::begin(ends), std::end(ends));
  }
  prediction.total_s = central.terms.total();
  prediction.low_s = std::min(prediction.total_s, fast.terms.total());
  prediction.high_s = std::max(prediction.total_s, slow.terms.total());
  prediction.hidden_fraction = central.hidden_fraction;
  prediction.overlaps = central.overlaps;
  prediction.communication_s = central.communication_s;
  prediction.hiding_s = central.hiding_s;
  prediction.compute = central.compute;
  prediction.imbalance_s = central.imbalance_s;
  std::vector<std::string>& notes = prediction.outside_range;
  for (const std::string& note : central.notes)
    if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
  return prediction;
}

Prediction predict_with_bounds(const std::string& form,
                               const std::function<RankStep(Bound bound)>& step) {
  return slowest_rank(form, {0}, [&step](int, Bound bound) { return step(bound); });
}

}  // namespace bellwether
