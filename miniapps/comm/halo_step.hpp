// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>

#include "miniapps/comm/halo.hpp"
#include "miniapps/comm/session/session.hpp"

namespace bellwether {

/// How a computation gets its halo: before or after it, or while it computes what needs none. Its
/// work goes on stream() or urgent(), timed with timer().
class HaloStep {
 public:
  /// What is computed before the halo has arrived, in pieces that can be done one by one.
  struct Core {
    int pieces = 1;
    std::function<void(int piece)> compute;  ///< on stream()
  };

  /// Collective. Session and device outlive the object. Throws BadEnvironment, before it allocates
  /// anything, where direct halos would hand a GPU's memory to an MPI that cannot take it.
  HaloStep(const Session& session, Device& device, const PeerMessages& messages, bool staged,
           Announcements announcements);

  [[nodiscard]] bool exchanges() const { return !halo_.empty(); }
  [[nodiscard]] Stream& stream() { return *main_; }
  /// Whose work goes before stream()'s where the device can do that.
  [[nodiscard]] Stream& urgent() { return *urgent_; }
  [[nodiscard]] StreamTimer& timer() { return halo_.timer(); }

  /// Exchanges the halo on stream(), nothing else going on.
  void exchange(const HaloPacking& packing, PhaseClock& clock);
  /// Computes the core while the halo is exchanged, then `rest`. `packs`: which of the two streams
  /// packs and unpacks. A CPU lets MPI work between the core's pieces. On a device the copies of a
  /// staged halo run beside the core too: what of copies, waiting and messages is left when the
  /// core is done is "network", as in the refined models.
  void overlapped(const HaloPacking& packing, Stream& packs, PhaseClock& clock, const Core& core,
                  const std::function<void()>& rest);
  /// Waits for whatever is left running on the device and adds its phases to the clock.
  void finish(PhaseClock& clock);
  /// Collective. Seconds of what overlapped() hides with nothing to hide it, on the slowest rank:
  /// the messages; on a device their copies too.
  [[nodiscard]] double bare_exchange(const HaloPacking& packing);

 private:
  void overlapped_on_device(const HaloPacking& packing, Stream& packs, PhaseClock& clock,
                            const Core& core, const std::function<void()>& rest);

  Device& device_;
  Halo halo_;
  std::unique_ptr<Stream> main_, urgent_;
  std::unique_ptr<Event> packed_, core_done_, arrived_;
};

}  // namespace bellwether
