// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "models/machine/quantity.hpp"
#include "models/prediction.hpp"

namespace bellwether {

/// Terms of a step at one bound, being collected; `low` and `high` are not yet known.
class TermList {
 public:
  /// Adds seconds to the term, which appears where it is first named.
  void add(const std::string& name, double seconds);
  [[nodiscard]] double seconds(const std::string& name) const;
  [[nodiscard]] double compute_seconds() const;  ///< of all terms compute.*
  [[nodiscard]] double total() const;
  [[nodiscard]] const std::vector<Term>& terms() const { return terms_; }

 private:
  std::vector<Term> terms_;
};

/// One rank's step at one bound.
struct RankStep {
  TermList terms;
  double hidden_fraction = 0;
  bool overlaps = true;        ///< as in Prediction
  double communication_s = 0;  ///< as in Prediction
  double hiding_s = 0;
  std::optional<ComputeTime> compute;  ///< as in Prediction
  double imbalance_s = 0;              ///< as in Prediction

  /// Adds the term network: so many seconds of communication, of which `hidden_s` are hidden behind
  /// `interior_s` of computation.
  void add_network(double communication, double hidden_s, double interior_s) {
    hidden_fraction = communication > 0 ? hidden_s / communication : 0;
    communication_s = communication;
    hiding_s = interior_s;
    terms.add("network", communication - hidden_s);
  }
  /// Adds to imbalance_s: so many of the step's seconds are this rank's work, of so many units, in
  /// proportion to them, where a rank has `mean` on the average (0: not known).
  void add_imbalance(double seconds, double units, double mean) {
    if (mean > 0 && units > mean) imbalance_s += seconds * (1 - mean / units);
  }
  std::vector<std::string> notes;
};

/// The prediction of the slowest of the ranks: `step` at each bound, the terms' intervals from the
/// three. A hidden part may be larger where all is slow, so a term's ends are the least and the
/// largest of the three.
Prediction slowest_rank(const std::string& form, const std::vector<int>& ranks,
                        const std::function<RankStep(int rank, Bound bound)>& step);

/// The same for a model that looks at one rank, or at all ranks together.
Prediction predict_with_bounds(const std::string& form,
                               const std::function<RankStep(Bound bound)>& step);

}  // namespace bellwether
