// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/machine/machine.hpp"

namespace bellwether {

template <class T>
struct JsonType;

/// How an allreduce of s bytes on R ranks goes, by what is counted of it:
/// - tree: ceil(log2 n) rounds of all s bytes among the n ranks of a node, and as many among the
///   nodes (recursive doubling);
/// - ring: pieces of s / R (Thakur, Rabenseifner, Gropp, IJHPCA 19, 2005) in 2 (R - 1) rounds move
///   2 (R - 1) / R s bytes. Between nodes as soon as there are two: the slowest step decides.
/// A round takes round_s, a byte byte_s. That is LogGP's L + 2 o and G where a round is one message
/// each way, with what the library adds; o and L are not told apart.
struct CollectiveSegment {
  double from_bytes = 0;
  std::string form = "tree";
  Quantity round_s, byte_s;                           ///< within a node
  std::optional<Quantity> node_round_s, node_byte_s;  ///< between nodes; absent: not measured
};

/// One measured size on so many ranks, the first of the machine's: the median's seconds.
struct CollectiveSample {
  double bytes;
  int ranks;
  double seconds;
};

struct CollectiveFit {
  std::vector<CollectiveSegment> segments;  ///< ascending from_bytes, the first from 0
  double largest_residual = 0;              ///< over the samples, relative
  int most_ranks = 0;                       ///< of the samples
};

/// Collectives of the calibration's ranks in its layout.
struct CollectiveParameters {
  static constexpr const char* section_name = "collectives";
  std::string source;
  int ranks_per_node = 1;
  std::optional<CollectiveFit> allreduce;
};
JsonType<CollectiveParameters> collective_parameters_type();

/// Rounds and, for each byte of the message, bytes of a form on the ranks.
struct CollectiveCounts {
  double rounds = 0, bytes = 0;            ///< within a node
  double node_rounds = 0, node_bytes = 0;  ///< between nodes
};
/// `ranks_per_node` consecutive ranks stand on each node.
CollectiveCounts collective_counts(const std::string& form, int ranks, int ranks_per_node);

/// Fits of all samples a tree, and of the smaller ones a tree and of the larger ones (from each
/// size that leaves four on either side) a tree or a ring, by nonnegative least squares in relative
/// error; the Bayesian information criterion chooses. Nothing where they are too few to tell.
/// Among forms that fit alike, as on two ranks, where both have one exchange, it is the tree.
std::optional<CollectiveFit> fit_collective(std::vector<CollectiveSample> samples,
                                            int ranks_per_node);

/// Seconds by the fit; between nodes, where it knows none, each round takes `node_message_s`.
double collective_time(const CollectiveFit& fit, int ranks, int ranks_per_node, double bytes,
                       Bound bound, double node_message_s);

}  // namespace bellwether
