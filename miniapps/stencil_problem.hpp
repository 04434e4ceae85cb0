// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>
#include <array>
#include <string>

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
  [[nodiscard]] double value_bytes() const { return precision == "f32" ? 4 : 8; }

  /// Adds --cells, --precision, --decomposition and --boundary, the last with `boundary_help`.
  void add_options(CLI::App& command, const char* boundary_help);
};

/// Throws BadInput, naming the option, for what no run could use. `walls`: the boundary's name
/// where it is not periodic.
void validate(const StencilProblem& problem, const char* walls);

}  // namespace bellwether
