// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <memory>
#include <vector>

#include "kernels/launch/device.hpp"
#include "miniapps/comm/stream_timer.hpp"
#include "miniapps/comm/timed_exchange.hpp"
#include "miniapps/stencil/halo_exchange.hpp"
#include "miniapps/stencil/halo_messages.hpp"

namespace bellwether {

/// What is exchanged: a storage of fields, and the parity of the step that was the last to update
/// it, where that tells which field's place a part is in.
struct HaloState {
  void* storage = nullptr;
  int parity = 0;
};

/// The way of a halo from one rank's device to another's: pack, copy to the host, exchange, copy to
/// the device, unpack. Staged, the messages pass through host buffers (on a host backend these are
/// copies between two host buffers); direct, MPI is given the device's buffers. All messages go at
/// once, those across edges too: faces direction after direction would carry them along, and wait
/// for one another. The phases are those of the models: pack, copy.to_host, network,
/// copy.to_device, unpack.
class FieldHalo {
 public:
  /// Collective over `comm`. Every field of the storage is laid out as `layout`.
  FieldHalo(MPI_Comm comm, Device& device, std::vector<HaloMessage> messages,
            const GridLayout& layout, std::size_t element_bytes, bool staged);

  [[nodiscard]] bool empty() const { return messages_.empty(); }
  /// Bytes of all buffers, for a rank's messages: what the constructor will allocate.
  static std::size_t buffer_bytes(const std::vector<HaloMessage>& messages, bool staged);

  /// The four ways between fields and messages. The copies are the stream's, not timed, and none
  /// where halos are direct.
  void pack(const HaloState& state, StreamTimer& timer, PhaseClock& clock, Stream& stream);
  void copy_to_host(Stream& stream);
  void copy_to_device(Stream& stream);
  void unpack(const HaloState& state, StreamTimer& timer, PhaseClock& clock, Stream& stream);

  /// Pack and copy, timed: into the send buffers, ready for MPI when the stream is idle.
  void gather(const HaloState& state, StreamTimer& timer, PhaseClock& clock, Stream& stream);
  void start(PhaseClock& clock) { network_->start(clock); }
  /// Lets MPI work for a moment; the time counts as network.
  void progress(PhaseClock& clock) { network_->progress(clock); }
  void finish(PhaseClock& clock) { network_->finish(clock); }
  /// Copy and unpack, timed: what arrived, to where it goes.
  void scatter(const HaloState& state, StreamTimer& timer, PhaseClock& clock, Stream& stream);

 private:
  [[nodiscard]] char* start_of(const HaloState& state, const HaloPart& part) const;

  Device& device_;
  GridLayout layout_;
  std::size_t element_bytes_;
  bool staged_;
  std::vector<HaloMessage> messages_;
  std::vector<Buffer<char>> device_out_, device_in_, host_out_, host_in_;
  std::unique_ptr<HaloExchange> exchange_;
  std::unique_ptr<TimedExchange> network_;
};

}  // namespace bellwether
