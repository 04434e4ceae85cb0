// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/scaling/scaling_point.hpp"

namespace bellwether {

/// One way of leaving the calibrated range, or the machine, of all the points that bear it with
/// whatever numbers.
struct Outside {
  std::string text;  ///< of the first such point
  int from_ranks = 0, to_ranks = 0;
  long counts = 0;  ///< rank counts that bear it, and points
  long points = 0;
};

/// What a form says over a whole sweep.
struct FormSummary {
  std::vector<BestOverlap> best_overlap;
  std::optional<int> communication_bound_from;
  bool overlaps = false;           ///< any point's form knows overlap
  bool has_both = false;           ///< points in both overlap modes
  std::vector<std::string> terms;  ///< of all points, in their order
  /// The fastest point; among equal ones the first.
  int ranks = 0;
  bool overlap = false;
  std::string layout;
  double total_s = 0;
  /// The largest share of a step that is imbalance, and of how many ranks first.
  double imbalance = 0;
  int imbalance_ranks = 0;
};

/// Collects what `predict` says of a sweep, however large, without keeping its points.
class ScalingSummary {
 public:
  /// Whole rank counts, above all that were added before.
  void add(const std::vector<ScalingPoint>& points);

  /// By form: "paper", "refined"; only those that were added.
  [[nodiscard]] const std::map<std::string, FormSummary>& forms() const { return forms_; }
  /// In the order in which they came.
  [[nodiscard]] const std::vector<Outside>& outside_range() const { return outside_range_.all; }
  [[nodiscard]] const std::vector<Outside>& outside_machine() const { return outside_machine_.all; }
  /// Whether more than half of the rank counts bear it, with whatever numbers: it marks none of
  /// them.
  [[nodiscard]] bool is_common(const std::string& way) const;
  /// "at every rank count", "up to 2 ranks", "from 8 ranks on", "from 2 to 8 ranks"
  [[nodiscard]] std::string stretch_of(const Outside& way) const;
  /// The smallest rank count above all that the machine has not the devices or the memory for;
  /// absent where none is or the largest is one.
  [[nodiscard]] std::optional<int> fits_from() const;
  /// The largest of the added rank counts below `ranks`.
  [[nodiscard]] int before(int ranks) const;
  [[nodiscard]] int first() const { return counts_.front(); }
  [[nodiscard]] int last() const { return counts_.back(); }
  [[nodiscard]] long points() const { return points_; }

 private:
  struct Collected {
    std::vector<Outside> all;
    std::map<std::string, std::size_t> index;  ///< by the text without its numbers

    void add(const std::vector<std::string>& lines, int ranks);
  };

  std::map<std::string, FormSummary> forms_;
  Collected outside_range_, outside_machine_;
  std::vector<int> counts_;
  long points_ = 0;
};

/// "either at 1, on from 2 to 32, off from 64 on", "neither by more than 1 %", in ranks: at most
/// `most` stretches, then how many more.
std::string best_overlap_text(const ScalingSummary& summary, const FormSummary& form,
                              std::size_t most = 6);

}  // namespace bellwether
