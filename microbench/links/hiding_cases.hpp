// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <string>
#include <vector>

#include "microbench/driver/plan.hpp"
#include "microbench/links/rank_pairs.hpp"

namespace bellwether {

/// How much of an exchange goes on behind a computation: the exchange alone, a sweep through memory
/// of about the same time alone, and both at once with MPI polled between parts of the sweep.
struct HidingSpec {
  RankPairs pairs;
  std::size_t bytes;

  enum class Part { exchange, compute, both };
  [[nodiscard]] std::string name(Part part) const;
};

/// Messages of 16 KiB to 1 MiB, no larger than the largest, for each path that has pairs,
/// ascending.
std::vector<HidingSpec> hiding_specs(const Bench& bench);
/// The three parts.
std::array<BenchCase, 3> make_cases(Bench& bench, const HidingSpec& spec);

/// Of the three parts.
using HidingKeys = std::array<SampleKey, 3>;

/// (t_exchange + t_compute - t_both) / min(t_exchange, t_compute), within [0, 1], of the three
/// times of each round, so that a drift of the machine meets all three alike.
std::vector<double> hidden_fractions(const SampleStore& store, const HidingKeys& keys);

}  // namespace bellwether
