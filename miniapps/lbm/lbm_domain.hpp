// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

#include "kernels/launch/device.hpp"
#include "kernels/lbm/lbm.hpp"
#include "miniapps/comm/session/session.hpp"
#include "miniapps/driver/constant_arrays.hpp"
#include "miniapps/lbm/lbm_problem.hpp"
#include "models/stencil/rank_kind.hpp"

namespace bellwether {

/// A rank's part of the domain on its device: which cells are solid, and the links between them and
/// the fluid.
class LbmDomain {
 public:
  /// Collective. `other_bytes`: what the rank will need beside it; throws BadEnvironment, before
  /// anything is allocated, where all that is not there, and BadInput where no fluid is left.
  /// `beat` is called now and then.
  LbmDomain(const Session& session, Device& device, const LbmProblem& problem,
            const Decomposition& decomposition, const LbmLayout& layout, std::size_t other_bytes,
            const std::function<void()>& beat);

  [[nodiscard]] const LbmGrid& grid() const { return grid_; }
  [[nodiscard]] const LbmLink* links() const { return links_.data(); }
  [[nodiscard]] std::size_t link_count() const { return links_.size(); }
  void add_to(ConstantArrays& constants) const {
    constants.add("solid cells", solid_);
    constants.add("links", links_);
  }
  /// Of all ranks.
  [[nodiscard]] double fluid_cells() const { return fluid_cells_; }
  /// Of each rank; nothing where all cells are fluid.
  [[nodiscard]] const std::vector<SolidWork>& solids() const { return solids_; }
  /// Whether there is a link on any rank.
  [[nodiscard]] bool has_solid() const { return has_solid_; }

 private:
  LbmGrid grid_;
  Buffer<unsigned char> solid_;
  Buffer<LbmLink> links_;
  std::vector<SolidWork> solids_;
  double fluid_cells_ = 0;
  bool has_solid_ = false;
};

}  // namespace bellwether
