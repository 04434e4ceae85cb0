// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "miniapps/driver/options.hpp"
#include "miniapps/stencil/store_choice.hpp"
#include "models/stencil/stencil_work.hpp"
#include "models/workload.hpp"

namespace bellwether {

/// What every stencil application is asked to solve on: a box of cells.
struct StencilProblem {
  /// In a direction: so that a row, its ghosts and its padding fit an int.
  static constexpr long long most_cells = 1 << 30;
  /// In all: so that no number of bytes leaves 64 bits.
  static constexpr long long most_cells_in_all = 1LL << 50;

  std::array<long long, 3> cells{};
  std::string precision = "f32";       ///< "f32" or "f64"
  std::string decomposition = "auto";  ///< "auto" or "PXxPYxPZ"
  std::string boundary = "periodic";   ///< "periodic" or what the application calls its walls

  [[nodiscard]] bool periodic() const { return boundary == "periodic"; }
  [[nodiscard]] std::array<int, 3> grid() const;
  /// Cells in all.
  [[nodiscard]] double volume() const;
  /// Bytes of one value.
  [[nodiscard]] double value_bytes() const { return bellwether::value_bytes(precision); }

  /// Adds --cells, --precision, --decomposition and --boundary: periodic, or what the application
  /// calls its `walls`.
  void add_options(Options& options, const char* walls, const char* boundary_help);
};

/// How a case on it runs; the names are those of the options and the record.
struct StencilRunVariant {
  bool overlap = false;
  std::string halo = "auto";      ///< "auto", "staged" or "direct"
  std::string stores = "auto";    ///< "auto", "cached" or "streaming"
  std::string rate = "roofline";  ///< what the predictions take: "roofline" or "measured"
  /// Of a run's cases, what was found fastest by the decomposition's ranks; null: nothing is kept.
  std::shared_ptr<std::map<std::array<int, 3>, SweepChoice>> choices = {};
};

/// As records and resumed runs know of it.
nlohmann::json to_json(const StencilRunVariant& variant);

/// Throws BadInput, naming the option, for what no run could use.
void validate(const StencilProblem& problem);

/// The four options as they stand in records; the decomposition as asked.
nlohmann::json to_json(const StencilProblem& problem);

/// What all ranks together do in a step that updates so many cells.
StepWork stencil_work(const StencilProblem& problem, const StencilKernel& kernel, double cells);
/// Of a cell and step: "10 flops, and 1 value read and 1 written (8 bytes f32, 16 bytes f64)".
std::string counted_text(const StencilKernel& kernel);

/// The decomposition asked for, or for "auto" the one that the models predict fastest on `machine`
/// (the one with the least surface if that is null). Throws BadInput where `ranks` does not fit.
Decomposition decompose(const StencilProblem& problem, const StencilKernel& kernel, int ranks,
                        const Machine* machine, const StencilVariant& variant,
                        const RankPlacement& placement);

StencilVariant stencil_variant(const StencilProblem& problem, const StencilRunVariant& variant,
                               const std::string& stores);

/// "diffusion 384x384x384 f32, 2 ranks (1x1x2, predicted fastest), kokkos/Serial, overlap on":
/// `predicted` says what chose the decomposition where the user left it open.
std::string stencil_title(const std::string& app, const StencilProblem& problem,
                          const Decomposition& decomposition, bool predicted,
                          const std::string& device, bool overlap);

}  // namespace bellwether
