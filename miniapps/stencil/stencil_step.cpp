// SPDX-License-Identifier: MIT
#include "miniapps/stencil/stencil_step.hpp"

#include "models/median.hpp"

namespace bellwether {

StencilStep::StencilStep(const Session& session, Device& device, const Decomposition& decomposition,
                         const std::vector<HaloMessage>& messages, const GridLayout& layout,
                         std::size_t element_bytes, bool staged, Cut cut,
                         const std::vector<void*>& storages)
    : device_(device),
      layout_(layout),
      halo_(device, messages, layout, element_bytes, storages),
      halo_step_(session, device, halo_.messages(), staged, Announcements::none),
      parts_(split_for_overlap(layout.cells(), halo_faces(decomposition, session.rank()), cut)) {}

void StencilStep::in_sequence(PhaseClock& clock, const HaloState& updated, const Update& update) {
  halo_step_.timer().time(clock, "compute.interior", stream(),
                          [&] { update(layout_.interior(), stream()); });
  if (exchanges())
    halo_step_.exchange(halo_.packing(updated), clock);
  else
    halo_step_.timer().collect(clock);
}

/// T = T_boundary + T_pack + max(T_interior, T_comm) + T_unpack. Copies and messages have the
/// interior's time to themselves. What they take beyond it is "network".
void StencilStep::overlapped(PhaseClock& clock, const HaloState& updated, const Update& update) {
  if (!exchanges()) return in_sequence(clock, updated, update);
  Stream& urgent = halo_step_.urgent();
  halo_step_.timer().time(clock, "compute.boundary", urgent,
                          [&] { update(parts_.boundary, urgent); });
  const std::vector<Box> whole{parts_.interior};
  const std::vector<Box>& pieces = device_.is_host() ? parts_.interior_parts : whole;
  const HaloStep::Core interior{static_cast<int>(pieces.size()), [&](int piece) {
                                  halo_step_.timer().time(clock, "compute.interior", stream(),
                                                          [&] { update(pieces[piece], stream()); });
                                }};
  halo_step_.overlapped(halo_.packing(updated), urgent, clock, interior, [] {});
}

void StencilStep::exchange(const HaloState& state) {
  Heartbeat unwatched;
  PhaseClock clock(unwatched);
  halo_step_.exchange(halo_.packing(state), clock);
  finish(clock);
}

double StencilStep::bare_communication(const HaloState& updated, const Update& update) {
  std::vector<double> seconds;
  for (int repeat = 0; repeat < 7; ++repeat) {
    update(layout_.interior(), stream());
    seconds.push_back(halo_step_.bare_exchange(halo_.packing(updated)));
  }
  return median_of(seconds);
}

}  // namespace bellwether
