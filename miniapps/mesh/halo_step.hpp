// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "miniapps/comm/session.hpp"
#include "miniapps/mesh/element_halo.hpp"

namespace bellwether {

/// How a loop on an unstructured mesh gets its halos: before it, or while it computes its core. The
/// loop's work goes on stream(), timed with timer().
class HaloStep {
 public:
  /// What a loop computes before its halos have arrived, in pieces that can be done one by one.
  struct Core {
    int pieces = 1;
    std::function<void(int piece)> compute;
  };
  /// The arrays that are exchanged, in the order of the layouts; in device memory.
  using Arrays = std::vector<void*>;

  /// Collective. Session and device outlive the object. Throws BadEnvironment, before it allocates
  /// anything, where direct halos would hand a GPU's memory to an MPI that cannot take it.
  HaloStep(const Session& session, Device& device, const LocalSet& set,
           const std::vector<ElementLayout>& layouts, std::size_t value_bytes, bool staged);

  [[nodiscard]] bool exchanges() const { return !halo_.empty(); }
  [[nodiscard]] Stream& stream() { return *main_; }
  [[nodiscard]] StreamTimer& timer() { return timer_; }

  /// Exchanges the halos, nothing else going on.
  void exchange(const Arrays& arrays, PhaseClock& clock);
  /// Computes the core while halos are exchanged, then `rest`. A CPU lets MPI work between the
  /// core's pieces. On a device the copies of a staged halo run beside the core too: what of
  /// copies, waiting and messages is left when the core is done is "network".
  void overlapped(const Arrays& arrays, PhaseClock& clock, const Core& core,
                  const std::function<void()>& rest);
  /// Waits for whatever is left running on the device and adds its phases to the clock.
  void finish(PhaseClock& clock);
  /// Collective. Seconds of what overlapped() hides with nothing to hide it, on the slowest rank:
  /// the messages; on a device their copies too.
  [[nodiscard]] double bare_exchange(const Arrays& arrays);

 private:
  void overlapped_on_device(const Arrays& arrays, PhaseClock& clock, const Core& core,
                            const std::function<void()>& rest);

  const Session& session_;
  Device& device_;
  ElementHalo halo_;
  std::unique_ptr<Stream> main_, urgent_;
  StreamTimer timer_;
  std::unique_ptr<Event> packed_, core_done_, arrived_;
  Heartbeat unwatched_;
};

}  // namespace bellwether
