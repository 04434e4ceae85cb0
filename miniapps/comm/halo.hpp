// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "kernels/launch/device.hpp"
#include "miniapps/comm/message_exchange.hpp"
#include "miniapps/comm/stream_timer.hpp"

namespace bellwether {

/// One message of a halo, to or from a rank. Two between the same ranks differ in their tags.
struct PeerMessage {
  int rank = 0;
  int tag = 0;
  std::size_t bytes = 0;  ///< none: it is left out
  std::size_t at = 0;     ///< bytes from the start of the buffer that it is in
  bool in_place = false;  ///< `at` is in the data, from and to which it goes without a buffer
};
/// What a rank sends and what it receives: all that goes one way stands in one buffer, which passes
/// between device and host in one copy, or in place.
struct PeerMessages {
  std::vector<PeerMessage> out, in;
  std::vector<void*> data = {nullptr};  ///< each that messages are in place of
};

/// What a halo holds: between data and a buffer on the device. Both put work on the stream; neither
/// is asked where there are no messages.
struct HaloPacking {
  using Move = std::function<void(char* buffer, Stream& stream)>;
  Move pack;             ///< from the data into the messages that leave
  Move unpack;           ///< from the messages that arrived to where they go
  void* data = nullptr;  ///< which of PeerMessages' is exchanged
};

/// Whether ranks tell those that they send something to that they have come to the exchange.
enum class Announcements { none, sent };

/// A halo's way: pack, copy.to_host, network, copy.to_device, unpack; direct, MPI is given the
/// device's buffers. With announcements also wait: until every sender has come to the exchange.
class Halo {
 public:
  /// Collective over `comm`; the device outlives the object.
  Halo(MPI_Comm comm, Device& device, const PeerMessages& messages, bool staged,
       Announcements announcements);

  [[nodiscard]] bool empty() const { return network_->empty(); }
  /// Of all buffers: what the constructor will allocate, on the device or the host.
  static std::size_t buffer_bytes(const PeerMessages& messages, bool staged);
  [[nodiscard]] StreamTimer& timer() { return timer_; }

  /// Begins an exchange: its messages are of the packing's data.
  void pack(const HaloPacking& packing, PhaseClock& clock, Stream& stream);
  /// Pack and copy, timed: into the send buffers, ready for MPI when the stream is idle.
  void gather(const HaloPacking& packing, PhaseClock& clock, Stream& stream);
  void start(PhaseClock& clock);
  /// Lets MPI work for a moment; the time counts as network.
  void progress(PhaseClock& clock) { (void)network_->progress(clock); }
  void finish(PhaseClock& clock);
  /// Copy and unpack, timed: what arrived, to where it goes.
  void scatter(const HaloPacking& packing, PhaseClock& clock, Stream& stream);
  void unpack(const HaloPacking& packing, PhaseClock& clock, Stream& stream);

  /// While a device computes on another stream, what is packed goes its way: the copies on
  /// `stream`, the messages between them. Not timed; the watchdog is told "network".
  void exchange_aside(Stream& stream, PhaseClock& clock);
  /// Collective. Seconds of the messages on the slowest rank, on a device those of their copies
  /// too: a host's copies are its core's own work, which overlap does not hide.
  [[nodiscard]] double bare_exchange_seconds(Stream& stream);

 private:
  /// One direction's buffers; none on the host where halos are direct, none where all is in place.
  struct Side {
    Side(Device& device, const std::vector<PeerMessage>& messages, bool staged);
    [[nodiscard]] bool empty() const { return on_device.size() == 0; }
    [[nodiscard]] bool staged() const { return on_host.size() > 0; }
    [[nodiscard]] char* for_mpi() const { return staged() ? on_host.data() : on_device.data(); }
    Buffer<char> on_device, on_host;
  };
  void copy_to_host(Stream& stream);
  void copy_to_device(Stream& stream);

  MPI_Comm comm_;
  Device& device_;
  Side out_, in_;
  StreamTimer timer_;
  std::map<void*, MessageExchange> networks_;  ///< by data
  MessageExchange* network_ = nullptr;         ///< of them that under way
  std::optional<MessageExchange> announcements_;
};

}  // namespace bellwether
