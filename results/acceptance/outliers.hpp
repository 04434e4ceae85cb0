// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

namespace bellwether {

/// A series of occasions, each with one number of every member (rank, node, link) of a group:
/// what took a member how long, its logarithm.
using Occasions = std::vector<std::vector<double>>;

/// One member held against the others.
struct Standing {
  std::size_t member = 0;
  /// log(this member's time / the others' median), the median over occasions and its 95 %
  /// interval (summarize).
  double log_ratio = 0, low = 0, high = 0;
  /// Probability that the slowest of an undisturbed group stands out as much as this one does; 1
  /// for members other than those that may be named.
  double p = 1;
  /// The same of the interval's near end, of five and more: of very many members some are disturbed
  /// on many of their occasions.
  double near_p = 1;
};

/// Every member's standing, the slowest first. What moves all members alike from occasion to
/// occasion cancels. Who may be named, and by which test, depends on how many there are:
/// - 5 and more: the distance of log_ratio from the members' median, in median absolute
///   deviations: members differ a little for good, and an outlier differs more. The p of the
///   largest such distance among so many normal members is simulated once, with a fixed seed.
/// - 3 and 4: a median absolute deviation of so few tells nothing. p is that of one of them being
///   the slowest on so many of the occasions by chance.
/// - 2: that one is slower on so many occasions, by either, by chance. It says that they differ;
///   which of them is not as it should be it cannot say.
/// None for fewer than two members. Every occasion has as many numbers. `members_spread`: standard
/// deviation of undisturbed members, in that which a normal distribution of the same median
/// absolute deviation has.
std::vector<Standing> standings(const Occasions& occasions, double members_spread = 1);

/// As few occasions as can bring a p of at most `alpha`.
std::size_t occasions_needed(std::size_t members, double alpha);

/// P(the largest (x - median) / MAD of `members` normal numbers >= score): by simulation up to 200
/// members, beyond by the MAD's asymptotic distribution.
double largest_deviation_p(std::size_t members, double score);

/// P(some one member of n is the slowest on k or more of B occasions), at most: n times the
/// binomial tail.
double often_slowest_p(std::size_t members, std::size_t occasions, std::size_t times);

}  // namespace bellwether
