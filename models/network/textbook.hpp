// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "models/network/paths.hpp"

namespace bellwether {

/// Seconds of one of block_collectives over so many ranks by the fastest textbook algorithm on the
/// machine's links (Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005): alltoall by Bruck's or
/// pairwise exchanges, allgather by recursive doubling (Bruck's where ranks are no power of two) or
/// a ring, bcast by a binomial tree or a scatter and an allgather, reduce_scatter by recursive
/// halving or pairwise exchanges, without its additions. A step takes what an exchange between
/// ranks so far apart does while all ranks are at it. Throws BadInput where a link is missing.
double textbook_time(const std::string& collective, const Paths& paths, int ranks, double bytes);

}  // namespace bellwether
