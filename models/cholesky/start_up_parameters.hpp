// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "models/machine/machine.hpp"
#include "models/machine/quantity.hpp"

namespace bellwether {

template <class T>
struct JsonType;

/// An efficiency E, the share of a peak that a kernel reaches, and its start-up time t_0.
struct EfficiencyAndStartUp {
  Quantity efficiency;
  Quantity start_up_s;
};

/// What the efficiency and start-up model needs of a machine: the constants of Orii, Tables 1 and
/// 2, for the column Cholesky factorization. Loop numbers are those of its Figure 1.
struct StartUpParameters {
  static constexpr const char* section_name = "start_up";
  std::string precision;  ///< "f32" or "f64": of the runs that were fitted
  /// Smallest and largest problem size and processor count of the fit.
  std::optional<std::array<int, 2>> fitted_sizes;
  std::optional<std::array<int, 2>> fitted_ranks;
  Quantity peak_flops_per_s;             ///< R_a, of one processor
  Quantity peak_bytes_per_s;             ///< R_c, of communication
  EfficiencyAndStartUp update;           ///< E_s, t_s0 of do 20: t_0 at each column subtracted
  EfficiencyAndStartUp parallel_update;  ///< E_p, t_p0 of do 20: t_0 at each column computed
  EfficiencyAndStartUp scaling;          ///< E_s, t_s0 of do 30: t_0 at each column
  /// "crossbar": every processor to every other (Eq. 10); "tree": up and down a tree (Eq. 13).
  std::string summation;
  EfficiencyAndStartUp transfer;               ///< E_c, t_c0 of the summation
  std::optional<EfficiencyAndStartUp> adding;  ///< E_s, t_s0 of its additions; absent: neglected
};

/// How the section stands in a machine file.
JsonType<StartUpParameters> start_up_parameters_type();

/// Which run of the factorization is asked about.
struct CholeskyRun {
  int size = 1;  ///< n, of the n x n matrix
  std::string precision = "f32";
  int ranks = 1;
  int ranks_per_node = 1;
  bool overlap = false;
  /// B, columns that are dealt out, factored and sent at once; 1 is the paper's, 0 the fastest.
  int block = 1;
};

/// How the mini-app divides an update: values between two looks for what it has to pass on.
inline constexpr long cholesky_piece_values = 1 << 14;

/// Columns of blocks of so many that are multiplied together, as many as a library's products want:
/// so that it packs L once for all of them, and on a GPU so that each has work for all of it.
constexpr long cholesky_product_columns(long block, bool on_gpu) {
  const long wanted = on_gpu ? 1024 : 256;
  return block < wanted ? wanted / block * block : block;
}
/// Whether a group's product takes in what stands above its columns' diagonals, 512 rows of all in
/// the mean, in place of a product for each block: of several processes those rows are far more.
constexpr bool cholesky_whole_products(int processes, bool on_gpu) {
  return on_gpu && processes == 1;
}

/// The machine's start_up section, with a note for each way in which the run leaves its fit; or,
/// for a machine without it, constants derived from what the machine has, with a note that says so:
/// R_a E_s from peak and memory bandwidth (do 20 reads a value for two flops, do 30 reads and
/// writes one for two), E_p = 1, t_p0 of do 20 and t_s0 of do 30 from the launch latency, a
/// summation tree over the joining link whose additions read two values and write one.
StartUpParameters start_up_of(const Machine& machine, const CholeskyRun& run,
                              std::vector<std::string>& notes);

}  // namespace bellwether
