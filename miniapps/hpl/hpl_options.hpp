// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "miniapps/driver/variant_options.hpp"
#include "miniapps/hpl/hpl_choice.hpp"
#include "models/hpl/hpl_curve.hpp"

namespace bellwether {

/// What `run hpl` and `predict hpl` are asked.
class HplOptions {
 public:
  void add_prediction_options(Options& options);
  void add_run_options(Options& options);
  /// Throws BadInput for what cannot be used.
  void check() const;
  /// N; absent: what fills the memory.
  [[nodiscard]] std::optional<long> size() const;
  /// What a prediction chooses from.
  [[nodiscard]] HplStudy study() const;
  /// Every combination of what a run was given; look-ahead changes fastest.
  [[nodiscard]] std::vector<HplAsked> runs() const;

 private:
  void add_size(Options& options, std::string help, WordCheck check);
  /// A choice of several; "{}" in `help` is where the names go.
  static void add_list(Options& options, const char* name, std::string& target,
                       const std::vector<std::string>& names, const char* help);
  [[nodiscard]] std::vector<std::optional<int>> blocks() const;
  [[nodiscard]] std::vector<std::optional<ProcessGrid>> grids() const;
  [[nodiscard]] std::vector<HplVariant> variants() const;

  std::string size_, block_ = "auto", grid_ = "auto";
  std::string bcast_ = HplVariant().bcast, swap_ = HplVariant().swap;
  OverlapOption overlap_;
  std::string look_ahead_;  ///< "0", "1"; empty: as --overlap says
  int threads_ = 0;
  std::string device_share_;
  bool runs_ = false;  ///< several grids are cases to run
};

}  // namespace bellwether
