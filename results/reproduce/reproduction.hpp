// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace bellwether {

/// One number that a paper publishes, beside what the paper's model gives on the paper's machine.
struct ReproducedNumber {
  std::string item;  ///< "Table VII, 64 MPI, 4 SMT"
  double published = 0;
  std::optional<double> computed;  ///< absent: the paper does not give enough to compute it
  std::string unit;                ///< "ms", "GFLOP/s"
  /// Largest relative distance that passes; absent: the distance is reported and judged by nobody,
  /// for the reason in `note`.
  std::optional<double> tolerance;
  std::string note;  ///< what was assumed or fitted, or what is missing
  /// Ends that 90 % of such numbers lie between, where `computed` has them.
  std::optional<std::array<double, 2>> interval = {};

  /// (computed - published) / published; infinite where only the published number is zero.
  [[nodiscard]] std::optional<double> error() const;
  [[nodiscard]] bool within() const {
    return interval && (*interval)[0] <= published && published <= (*interval)[1];
  }
  /// Absent for a number that is only reported or cannot be computed.
  [[nodiscard]] std::optional<bool> passed() const;
};

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

/// The same for people: a line each, published beside computed, then how many passed.
std::string reproduction_table(const Reproduction& reproduction);

}  // namespace bellwether
