// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "models/cholesky/start_up_parameters.hpp"
#include "models/machine/machine.hpp"

namespace bellwether {

/// Which run of the factorization is asked about.
struct CholeskyRun {
  int size = 1;  ///< n, of the n x n matrix
  std::string precision = "f32";
  int ranks = 1;
  int ranks_per_node = 1;
  bool overlap = false;
};

/// The machine's start_up section, with a note for each way in which the run leaves its fit; or,
/// for a machine without it, constants derived from what the machine has, with a note that says so:
/// R_a E_s from peak and memory bandwidth (do 20 reads a value for two flops, do 30 reads and
/// writes one for two), E_p = 1, t_p0 of do 20 and t_s0 of do 30 from the launch latency, a
/// summation tree over the joining link whose additions read two values and write one.
StartUpParameters start_up_of(const Machine& machine, const CholeskyRun& run,
                              std::vector<std::string>& notes);

}  // namespace bellwether
