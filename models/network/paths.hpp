// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "models/machine/machine.hpp"
#include "models/machine/quantity.hpp"

namespace bellwether {

/// Where ranks stand: block distribution, `ranks_per_node` consecutive ranks on each node.
struct RankPlacement {
  int ranks_per_node = 1;

  /// Ranks that stand together on a full node of so many: no more than there are.
  [[nodiscard]] int on_node(int ranks) const;
  [[nodiscard]] int nodes(int ranks) const;
};

/// Where a message goes to.
enum class Across : unsigned char { nobody, same_node, other_node };

/// What a message between two ranks passes over.
struct Path {
  std::string name;  ///< shared_memory or network
  const Link* link;
  /// A link between host memories stands for the one between GPUs' memories, which the machine
  /// lacks.
  bool from_host = false;
};

/// Which memory messages leave from and arrive in: the host's, or a device's own (direct halos).
enum class MessageMemory : unsigned char { host, device };

/// ceil(log2 members): the stages of a binary tree over so many, at least one.
int tree_stages(int members);

/// What messages and copies pass over when ranks are placed on a machine: the one place that says
/// what happens where a machine lacks a link.
/// - Between nodes: links.network; without it BadInput naming machine and link.
/// - Within a node: links.shared_memory; without it links.network, as on the papers' machines,
///   which know no other; without both BadInput.
/// - Between devices' memories: links.network_direct and links.shared_memory_direct, by the same
///   rules; of a machine without them those of host memory. On a CPU they are the same; for a GPU
///   note_path says that they stand in.
/// - Between device and host: links.device_to_host and links.host_to_device of a GPU; of a CPU
///   links.staging, both ways, which is between two buffers of its own; where ranks share a node
///   links.staging_shared to the host, since what was sent before lies in others' caches. Without
///   them copies take no time; of a GPU note_copies says so.
class Paths {
 public:
  /// The machine must outlive it.
  Paths(const Machine& machine, const RankPlacement& placement,
        MessageMemory memory = MessageMemory::host);

  [[nodiscard]] const RankPlacement& placement() const { return placement_; }
  [[nodiscard]] bool of_gpu() const { return gpu_; }
  /// Not for Across::nobody.
  [[nodiscard]] bool has(Across across) const;
  [[nodiscard]] Path to(Across across) const;
  [[nodiscard]] Path between(int rank, int other) const;
  /// What joins so many ranks: the path between nodes as soon as there are two.
  [[nodiscard]] Path joining(int ranks) const;
  /// The same for models that take all messages to cross the network: links.network also within a
  /// node, where the machine has one; else, within a node, links.shared_memory with a note.
  [[nodiscard]] Path network(int ranks, std::vector<std::string>& notes) const;

  /// A copy's timing; null: takes no time.
  [[nodiscard]] const LinkTiming* to_host() const { return to_host_; }
  [[nodiscard]] const LinkTiming* to_device() const { return to_device_; }
  /// The link that both have their timing from, in messages.
  [[nodiscard]] const char* to_host_name() const;
  [[nodiscard]] const char* to_device_name() const { return gpu_ ? "host_to_device" : "staging"; }
  /// Says where a GPU's copies take no time for lack of a link.
  void note_copies(std::vector<std::string>& notes) const;

  /// Says where a path between host memories stands for one between GPUs'.
  static void note_path(const Path& path, std::vector<std::string>& notes);

  /// Seconds of one reduction of one value in host memory over so many ranks: the machine's
  /// allreduce, linear in log2 of the ranks, and beyond its last, which is noted, as the logarithm
  /// grows; of several nodes where one was calibrated at least, and without it, a binary tree
  /// within nodes and one between them.
  [[nodiscard]] double allreduce(int ranks, Bound bound, std::vector<std::string>& notes) const;

  /// Share of an exchange that hides behind computation, so that hidden = min(computation, share x
  /// exchange); below 0 overlap costs. As measured, linear in log(bytes); else 1 where a network
  /// card or a GPU's copy engines work alone, 0 where the rank's own core copies.
  [[nodiscard]] double hideable_share(const Path& path, double bytes, Bound bound) const;
  /// Seconds of its own time that a rank gives a message which it sends or receives while it
  /// computes: half of what of an exchange cannot be hidden.
  [[nodiscard]] double own_time(const Path& path, double bytes, Bound bound) const;

 private:
  /// The path by this name; no link where the machine lacks it.
  [[nodiscard]] Path find(const char* name) const;

  const Machine& machine_;
  RankPlacement placement_;
  MessageMemory memory_;
  bool gpu_;
  const LinkTiming* to_host_;
  const LinkTiming* to_device_;
};

}  // namespace bellwether
