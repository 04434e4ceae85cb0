// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace bellwether {

/// What agreement with a published number is worth, the most first.
enum class Evidence {
  measurement,  ///< measured, and nothing was fitted to it
  model_value,  ///< what the paper's own model gave, and nothing was fitted to it
  fitted,       ///< a constant, a reading of the paper or a form was chosen in sight of it
  restatement,  ///< one printed equation with the paper's own inputs, or a definition
};

/// The largest relative distance from a measurement that passes, in all papers: what Mudalige et
/// al. claim for most of their runs. Hu and Lu's model is up to 5 % off, that of Gahvari et al. 21
/// % in the mean.
constexpr double measured_tolerance = 0.1;

/// One number that a paper publishes, beside what the paper's model gives on the paper's machine.
struct ReproducedNumber {
  Evidence evidence;
  std::string item;  ///< "Table VII, 64 MPI, 4 SMT"
  double published = 0;
  std::optional<double> computed;  ///< absent: the paper does not give enough to compute it
  std::string unit;                ///< "ms", "Gflop/s"
  /// Largest relative distance that passes; absent: the distance is reported and judged by nobody,
  /// for the reason in `note`.
  std::optional<double> tolerance;
  std::string note;  ///< what was assumed or fitted, or what is missing
  /// Ends that 90 % of such numbers lie between, where `computed` has them.
  std::optional<std::array<double, 2>> interval = {};
  std::string known_miss = {};  ///< why it is beyond its tolerance; empty: it should not be

  /// (computed - published) / published; infinite where only the published number is zero.
  [[nodiscard]] std::optional<double> error() const;
  /// Within the tolerance, or the interval. Absent for a number that is only reported or cannot be
  /// computed.
  [[nodiscard]] std::optional<bool> met() const;
  /// Beyond the tolerance, but for a known miss; and one that no longer misses.
  [[nodiscard]] bool failed() const;
};

/// The known misses of a published document, items with a reason each, noted at their numbers.
/// Throws std::out_of_range for an item that there is not.
void note_known_misses(const nlohmann::json& document, std::vector<ReproducedNumber>& numbers);

/// What a paper says without a number, and whether its model says so on the paper's machine. No
/// verdict: what does not hold is a finding about model or paper.
struct ReproducedTrend {
  std::string item;  ///< "Figure 5, efficiency drops as NB grows"
  bool holds = false;
  std::string computed;  ///< the numbers that say so
};

/// What the suite makes of one paper.
struct Reproduction {
  std::string paper;                    ///< "gahvari2012"
  std::string title;                    ///< authors and title
  std::vector<std::string> statements;  ///< what holds for all numbers: fits, assumptions, errata
  std::vector<ReproducedNumber> numbers;
  std::vector<ReproducedTrend> trends = {};
};

/// What a published document says of itself: paper, title, statements and errata.
Reproduction reproduction_of(const nlohmann::json& document);

class PaperMachines;

/// A paper that the suite knows, by its key.
struct KnownPaper {
  const char* key;
  std::vector<std::string> machines;  ///< those it is evaluated on, by name
  std::function<Reproduction(const PaperMachines&)> reproduce;
};

/// All papers. A new one is one line here.
std::vector<KnownPaper> known_papers();

/// The paper of that key, or whose key alone starts with `name`. Throws BadInput listing the keys.
KnownPaper find_paper(const std::string& name);

/// The design's reproduce document.
nlohmann::json to_json(const std::vector<Reproduction>& reproductions);

/// The same for people: a line each, published beside computed, then what the agreement is worth.
std::string reproduction_table(const Reproduction& reproduction);

/// For each class of evidence how many numbers there are and how many are met, and the trends; of
/// several papers at once.
std::string evidence_table(const std::vector<Reproduction>& reproductions);

}  // namespace bellwether
