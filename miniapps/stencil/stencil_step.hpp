// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>

#include "kernels/launch/device.hpp"
#include "miniapps/comm/session.hpp"
#include "miniapps/comm/stream_timer.hpp"
#include "miniapps/stencil/field_halo.hpp"
#include "miniapps/stencil/grid_parts.hpp"

namespace bellwether {

/// One step of an explicit stencil on a decomposed grid, with and without overlap: which cells are
/// updated when, and what happens to the halo meanwhile. The mini-app supplies the update.
class StencilStep {
 public:
  /// Puts the update of a box's cells on a stream.
  using Update = std::function<void(const Box&, Stream&)>;

  /// Collective. Session and device outlive the object; `messages` are this rank's; between what
  /// the interior is cut suits the update.
  StencilStep(const Session& session, Device& device, const Decomposition& decomposition,
              std::vector<HaloMessage> messages, const GridLayout& layout,
              std::size_t element_bytes, bool staged, Cut cut);

  /// Updates every cell, then exchanges the halo of `updated`.
  void in_sequence(PhaseClock& clock, const HaloState& updated, const Update& update);
  /// Kernel division (Shimokawabe, section 3.3): the boundary first, its exchange while the
  /// interior is updated. A host's cores update the interior in parts and let MPI work between
  /// them. On a device the copies of a staged halo run beside the interior too: what of copies and
  /// messages the step waits for is "network", as in predict_stencil_refined.
  void overlapped(PhaseClock& clock, const HaloState& updated, const Update& update);
  /// Exchanges the halo of `state`, nothing else going on.
  void exchange(const HaloState& state);
  /// Waits for whatever is left running on the device and adds its phases to the clock.
  void finish(PhaseClock& clock);
  /// Median over a few exchanges of the seconds that what overlapped() hides takes with nothing to
  /// hide it (the messages; on a device their copies too), on the slowest rank; after an update of
  /// all cells each, which leaves the caches as a step does. Collective; writes `updated` and its
  /// halo.
  [[nodiscard]] double bare_communication(const HaloState& updated, const Update& update);
  [[nodiscard]] bool exchanges() const { return !halo_.empty(); }
  [[nodiscard]] Stream& stream() { return *main_; }

 private:
  void fence();
  void overlapped_on_device(PhaseClock& clock, const HaloState& updated, const Update& update);

  const Session& session_;
  Device& device_;
  GridLayout layout_;
  FieldHalo halo_;
  GridParts parts_;
  std::unique_ptr<Stream> main_, urgent_;
  StreamTimer timer_;
  std::unique_ptr<Event> begin_, packed_, interior_done_, arrived_;
  Heartbeat unwatched_;
};

}  // namespace bellwether
