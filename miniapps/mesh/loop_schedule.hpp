// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/launch/mesh_ranges.hpp"
#include "miniapps/mesh/local_mesh.hpp"

namespace bellwether {

/// Elements in groups ("colours") of which no two refer to the same target, so that a group's
/// elements may write to their targets at once.
struct Colouring {
  /// The elements, colour after colour, within one ascending; local numbers.
  std::vector<int> elements;
  /// Where each colour begins in `elements`, and at the end how many there are.
  std::vector<int> offsets{0};

  [[nodiscard]] int colours() const { return static_cast<int>(offsets.size()) - 1; }
};

/// Colours the elements first to end - 1 of a map's set greedily: the lowest that none of its
/// targets has yet. With d elements a target and two a row that makes d to 2 d - 1.
Colouring colour_elements(const LocalMap& map, int first, int end);

/// What one call of a loop over a set has to do on a rank. Elements are executed from 0 on, class
/// by class: `before_halos` of them while the exchanges are under way, all others when they are
/// complete.
struct LoopPlan {
  std::vector<int> exchanges;  ///< data whose halos are exchanged, ascending
  int before_halos = 0;        ///< core, or everything where nothing is exchanged
  int executed = 0;            ///< owned elements, and ieh where the loop writes through a map

  [[nodiscard]] bool blocks() const { return !exchanges.empty(); }
};

/// Who executes a loop's elements on a rank: one thread in their order, several threads, or a GPU,
/// in as few launches as can be.
enum class LoopWorkers { one_thread, threads, gpu };

/// Elements of a set that are executed together.
struct LoopPart {
  EdgeRange elements;
  bool redundant = false;  ///< other ranks', executed because they write to own elements
};

/// All that a call of a loop executes on a rank, in this order.
struct LoopParts {
  std::vector<LoopPart> before_halos;  ///< while exchanges are under way; between two MPI may work
  std::vector<LoopPart> after_halos;   ///< when they are complete
};

/// In which order and in which parts a rank executes the loops over a set. There is one order for
/// all of them, whatever their plans, so that data can be stored in it.
class LoopSchedule {
 public:
  /// `in_colours`: elements that refer to the same target of the set's written map are not executed
  /// at once; else that is left to the loops.
  LoopSchedule(const LocalMesh& mesh, int set, LoopWorkers workers, bool in_colours);
  LoopSchedule(LoopSchedule&&) = default;
  LoopSchedule& operator=(LoopSchedule&&) = default;
  LoopSchedule(const LoopSchedule&) = delete;
  LoopSchedule& operator=(const LoopSchedule&) = delete;

  /// The local numbers of core, eeh and ieh as they are executed. Parts are ranges of this.
  [[nodiscard]] std::vector<int> order() const;
  /// What the plan of a call demands. No part is empty. What they refer to is the schedule's.
  [[nodiscard]] LoopParts parts(const LoopPlan& plan) const;

 private:
  [[nodiscard]] std::vector<LoopPart> between(int begin, int end, int pieces) const;
  [[nodiscard]] int pieces_of(int elements) const;
  void colour(const LocalMap& map, int begin, int end);

  LoopWorkers workers_;
  int block_;  ///< elements of a coloured block
  int owned_, executed_;
  // Coloured parts do not depend on the plan: core in pieces, eeh, ieh.
  std::vector<int> coloured_order_;
  std::vector<LoopPart> coloured_;
  std::vector<std::vector<std::int32_t>> colours_;  ///< what the parts' colours refer to
};

/// How many of a set's first `targets` elements are done after so many of `executed`: [n] is known
/// before the n-th. One value more than that.
std::vector<int> done_with_targets(const LocalMap& map, int executed, int targets);

/// The schedules of all sets of a mesh.
std::vector<LoopSchedule> schedule_loops(const LocalMesh& mesh, LoopWorkers workers,
                                         bool in_colours);

}  // namespace bellwether
