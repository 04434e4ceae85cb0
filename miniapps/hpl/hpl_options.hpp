// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "miniapps/driver/options.hpp"
#include "miniapps/hpl/hpl_choice.hpp"
#include "models/hpl/hpl_curve.hpp"
#include "models/hpl/hpl_dat.hpp"
#include "models/workload.hpp"

namespace bellwether {

/// What `run hpl` and `predict hpl` are asked.
class HplOptions {
 public:
  void add_prediction_options(Options& options);
  void add_run_options(Options& options);
  /// Throws BadInput for what cannot be used. Reads --input, as whatever of a run comes first does.
  void check() const;
  /// N; absent: what fills the memory.
  [[nodiscard]] std::optional<long> size() const;
  /// One rank's size becomes that of `ranks`; what fills the memory does so of itself.
  void grow(int ranks) {
    if (const auto rows = size()) size_ = std::to_string(rows_of_all(*rows, ranks));
  }
  /// What a prediction chooses from.
  [[nodiscard]] HplStudy study() const;
  /// Every combination of what a run was given; look-ahead changes fastest.
  [[nodiscard]] std::vector<HplAsked> runs() const;
  /// What --input asks for and does not get.
  [[nodiscard]] std::vector<std::string> remarks() const;
  /// Whether the rate over the factorization is to be printed.
  [[nodiscard]] bool details() const { return details_; }

 private:
  void add_size(Options& options);
  /// A choice of several; "{}" in `help` is where the names go.
  static void add_list(Options& options, const char* name, std::string& target,
                       const std::vector<std::string>& names, const char* help);
  [[nodiscard]] std::vector<std::optional<int>> blocks() const;
  [[nodiscard]] std::vector<std::optional<ProcessGrid>> grids() const;
  [[nodiscard]] std::vector<HplVariant> variants() const;
  [[nodiscard]] const HplDat& file() const;
  [[nodiscard]] std::vector<HplAsked> runs_of_file() const;

  std::string size_, block_ = "auto", grid_ = "auto";
  std::string bcast_ = HplVariant().bcast, swap_ = HplVariant().swap;
  OverlapOption overlap_;
  int threads_ = 0;
  std::string device_share_;
  std::string panel_;  ///< empty: chosen
  bool details_ = false;
  bool runs_ = false;  ///< several grids are cases to run
  std::string input_;  ///< empty: none
  /// Of --input, read once: a file that changes during a run changes nothing.
  mutable std::optional<HplDat> file_;
};

}  // namespace bellwether
