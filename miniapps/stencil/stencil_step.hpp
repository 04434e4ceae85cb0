// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "kernels/launch/device.hpp"
#include "miniapps/comm/halo_step.hpp"
#include "miniapps/comm/session/session.hpp"
#include "miniapps/stencil/field_halo.hpp"
#include "miniapps/stencil/grid_parts.hpp"

namespace bellwether {

/// One step of an explicit stencil on a decomposed grid, with and without overlap: which cells are
/// updated when. The mini-app supplies the update.
class StencilStep {
 public:
  /// Puts the update of the boxes' cells on a stream, on a device in one launch.
  using Update = std::function<void(const Boxes&, Stream&)>;

  /// Collective. Session and device outlive the object; `messages` are this rank's, of `storages`
  /// where they are in place; between what the interior is cut suits the update. Throws as HaloStep
  /// does.
  StencilStep(const Session& session, Device& device, const Decomposition& decomposition,
              const std::vector<HaloMessage>& messages, const GridLayout& layout,
              std::size_t element_bytes, bool staged, Cut cut,
              const std::vector<void*>& storages = {});

  /// Updates every cell, then exchanges the halo of `updated`.
  void in_sequence(PhaseClock& clock, const HaloState& updated, const Update& update);
  /// Kernel division (Shimokawabe, section 3.3): the boundary first, its exchange while the
  /// interior is updated, by a host in parts. As in predict_stencil_refined.
  void overlapped(PhaseClock& clock, const HaloState& updated, const Update& update);
  /// Exchanges the halo of `state`, nothing else going on.
  void exchange(const HaloState& state);
  /// Waits for whatever is left running on the device and adds its phases to the clock.
  void finish(PhaseClock& clock) { halo_step_.finish(clock); }
  /// Median over a few exchanges of HaloStep::bare_exchange; after an update of all cells each,
  /// which leaves the caches as a step does. Collective; writes `updated` and its halo.
  [[nodiscard]] double bare_communication(const HaloState& updated, const Update& update);
  [[nodiscard]] bool exchanges() const { return halo_step_.exchanges(); }
  [[nodiscard]] Stream& stream() { return halo_step_.stream(); }

 private:
  Device& device_;
  GridLayout layout_;
  FieldHalo halo_;
  HaloStep halo_step_;
  GridParts parts_;
};

}  // namespace bellwether
