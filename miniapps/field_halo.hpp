// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <memory>
#include <vector>

#include "kernels/launch/device.hpp"
#include "miniapps/comm/halo_exchange.hpp"
#include "miniapps/comm/halo_faces.hpp"
#include "miniapps/stream_timer.hpp"
#include "miniapps/timed_exchange.hpp"

namespace bellwether {

/// The way of a field's halo from one rank's device to another's: pack, copy to the host, exchange,
/// copy to the device, unpack. Staged, the messages pass through host buffers (on a host backend
/// these are copies between two host buffers); direct, MPI is given the device's buffers. One value
/// a cell. The phases are those of the models: pack, copy.to_host, network, copy.to_device, unpack.
class FieldHalo {
 public:
  /// Collective over `comm`.
  FieldHalo(MPI_Comm comm, Device& device, const Decomposition& decomposition, int rank,
            const GridLayout& layout, std::size_t element_bytes, bool staged);

  [[nodiscard]] const std::vector<HaloFace>& faces() const { return faces_; }
  [[nodiscard]] bool empty() const { return faces_.empty(); }
  /// Bytes of all buffers, for a rank's faces: what the constructor will allocate.
  static std::size_t buffer_bytes(const std::vector<HaloFace>& faces, bool staged);

  /// The four ways between field and messages. The copies are the stream's, not timed, and none
  /// where halos are direct.
  void pack(const void* field, StreamTimer& timer, PhaseClock& clock, Stream& stream);
  void copy_to_host(Stream& stream);
  void copy_to_device(Stream& stream);
  void unpack(void* field, StreamTimer& timer, PhaseClock& clock, Stream& stream);

  /// Pack and copy, timed: owned cells of the field into the send buffers, ready for MPI when the
  /// stream is idle.
  void gather(const void* field, StreamTimer& timer, PhaseClock& clock, Stream& stream);
  void start(PhaseClock& clock) { network_->start(clock); }
  /// Lets MPI work for a moment; the time counts as network.
  void progress(PhaseClock& clock) { network_->progress(clock); }
  void finish(PhaseClock& clock) { network_->finish(clock); }
  /// Copy and unpack, timed: what arrived into the ghost cells of the field.
  void scatter(void* field, StreamTimer& timer, PhaseClock& clock, Stream& stream);

 private:
  Device& device_;
  GridLayout layout_;
  std::size_t element_bytes_;
  bool staged_;
  std::vector<HaloFace> faces_;
  std::vector<Buffer<char>> device_out_, device_in_, host_out_, host_in_;
  std::unique_ptr<HaloExchange> exchange_;
  std::unique_ptr<TimedExchange> network_;
};

}  // namespace bellwether
