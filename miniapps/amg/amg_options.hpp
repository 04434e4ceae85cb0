// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "miniapps/amg/amg_records.hpp"
#include "miniapps/driver/options.hpp"
#include "models/amg/amg_curve.hpp"

namespace bellwether {

/// What `run amg` is asked; options that hypre has bear its names and values.
struct AmgOptions {
  std::string problem = "laplace";   ///< laplace, anisotropic or jumps
  int stencil = 7;                   ///< points: 7, or 27 of laplace
  std::array<long long, 3> cells{};  ///< x, y, z; 0: not given
  std::string scaling = "strong";    ///< cells are the whole problem's; weak: each rank's
  std::string matrix;                ///< a file's name or hypre's prefix of several; empty: none
  /// product: the matrix' with known numbers; ones: as hypre's own test driver ij has it.
  std::string right_hand_side = "product";
  std::string coarsening = "hmis";      ///< hmis, pmis or falgout
  std::string interpolation = "ext+i";  ///< ext+i, classical or direct
  int pmax = 4;                         ///< entries of an interpolation row at most; 0: all
  int aggressive_levels = 1;
  /// hybrid-gauss-seidel, l1-gauss-seidel, l1-jacobi or chebyshev.
  std::string relax = "hybrid-gauss-seidel";
  int sweeps = 1;              ///< on each side of the coarse correction
  std::string solver = "amg";  ///< amg, or pcg, which takes the cycle as its preconditioner
  double tolerance = 1e-8;     ///< of the residual, relative to the right-hand side
  int threads = 0;             ///< of a rank; 0: as OpenMP's environment says
  /// What the options ask for, a list: each number makes cases, of which it is `threads`.
  std::string thread_counts = "0";
  bool details = false;  ///< levels and operations are printed one by one
  OverlapOption overlap;

  void add_to(Options& options);
  /// What of them was not given becomes what hypre's code for GPUs has and AMG2023 takes: PMIS,
  /// l1-Jacobi, and overlap on.
  void choose_for_gpu(const Options& given);
  /// Throws BadInput for what no run could use; does not look at the matrix' files.
  void check() const;
  /// Of thread_counts. Throws BadInput for what is no list of numbers.
  [[nodiscard]] std::vector<int> threads_asked() const;
};

/// What `predict amg` asks.
class AmgPredictionOptions {
 public:
  void add_to(Options& options);
  /// Throws BadInput for what cannot be used. Reads --hierarchy, as whatever of a prediction comes
  /// first does.
  void check() const;
  /// Without --hierarchy the paper's.
  [[nodiscard]] const std::vector<AmgHierarchy>& hierarchies() const { return known().all; }
  /// Of the machine, whose operations may be a GPU's: without Gauss-Seidel.
  [[nodiscard]] AmgStudy study(const Machine& machine) const;
  /// Of the finest level.
  [[nodiscard]] double unknowns() const;
  /// One hardware thread's problem becomes that of so many. Throws BadInput where it has no size.
  void grow(int threads);
  /// amg or pcg.
  [[nodiscard]] std::string solver() const { return variant().solver; }

 private:
  [[nodiscard]] bool has_size() const { return cells_[0] > 0 || unknowns_ > 0; }
  [[nodiscard]] const KnownHierarchies& known() const;
  [[nodiscard]] AmgVariant variant() const;

  std::array<long long, 3> cells_{};  // 0: not given
  long long unknowns_ = 0;            // 0: not given
  std::string mix_ = "best", hierarchy_file_;
  std::string relax_ = "auto", sweeps_ = "auto", solver_ = "auto";
  mutable std::optional<KnownHierarchies> known_;  // of the file, read once
};

}  // namespace bellwether
