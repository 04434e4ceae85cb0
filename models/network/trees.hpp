// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace bellwether {

/// How a panel travels along a process row: ring, ring-modified, two-rings, two-rings-modified
/// (HPL's 1rg, 1rM, 2rg, 2rM), tree (binomial), pipeline (a ring in segments).
std::vector<std::string> broadcast_names();

/// A binomial tree that broadcast_tree() knows beside those names, for panels whose owners take
/// turns: who is nearer to the root, and sooner needs the panel, passes less on, and the process
/// after the root, which all others wait for, nothing. Column Cholesky's.
inline constexpr const char* nearest_first = "nearest-first";

/// From whom a process receives the panel, and to whom it passes it on: a message to another node
/// sets out once the one before has left, so that they share no link and the first, whom the others
/// wait for, has it first.
struct BroadcastTree {
  int parent = -1;            ///< -1 at the root
  std::vector<int> children;  ///< in the order of sending
  int segments = 1;           ///< each passed on as soon as it is there
};

/// Into how many segments a pipeline cuts a panel: one hop of all of it and the others of one
/// segment take bytes/B + hops (latency + bytes / (segments B)), so that with each four times as
/// many bytes twice as many are best. One up to 64 KiB, 8 of 4 MiB, at most 64.
int pipeline_segments(double bytes);

/// What `process` does when `root` sends so many bytes to `processes` processes, each of which it
/// reaches once. The process after the root, which has the next panel, comes first; in the modified
/// forms it passes nothing on. Throws BadInput for an unknown name.
BroadcastTree broadcast_tree(const std::string& name, int processes, int root, int process,
                             double bytes = 0);

/// Of each process its parent, both as so many after the root; -1 of the root itself.
std::vector<int> broadcast_parents(const std::string& name, int processes);

/// Of each process, by its distance from the root, after how many messages one after another it has
/// the panel.
std::vector<int> broadcast_rounds(const std::string& name, int processes);

}  // namespace bellwether
