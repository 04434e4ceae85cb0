// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <memory>
#include <vector>

#include "kernels/launch/device.hpp"
#include "miniapps/comm/message_exchange.hpp"
#include "miniapps/comm/stream_timer.hpp"
#include "miniapps/comm/timed_exchange.hpp"
#include "miniapps/mesh/local_mesh.hpp"

namespace bellwether {

/// The way of a set's halos from one rank's device to another's, for one or more arrays on the set
/// that are exchanged together: one message to each neighbour, with all arrays' values of an
/// element side by side. Own elements that others import are gathered, and what arrives is
/// scattered to ieh and inh. Staged, the messages pass through host buffers (on a host backend
/// these are copies between two host buffers); direct, MPI is given the device's. The phases are
/// those of the models: pack, copy.to_host, network, copy.to_device, unpack; and wait, before
/// network: until every neighbour that sends something has come to the exchange, which it says in
/// a message of no bytes ahead of the data. That time is due to how the work is shared out, not to
/// the network.
class ElementHalo {
 public:
  /// Collective over `comm`. `layouts`: of each array; value_bytes is 4 or 8, the same for all.
  ElementHalo(MPI_Comm comm, Device& device, const LocalSet& set,
              std::vector<ElementLayout> layouts, std::size_t value_bytes, bool staged);

  [[nodiscard]] bool empty() const { return exchange_->empty(); }
  /// What the constructor will allocate, on the device or the host, with indices.
  static std::size_t buffer_bytes(const LocalSet& set, const std::vector<ElementLayout>& layouts,
                                  std::size_t value_bytes, bool staged);

  /// The four ways between arrays and messages; `arrays` are in device memory, in the order of the
  /// layouts. The copies are the stream's, not timed, and none where halos are direct.
  void pack(const std::vector<const void*>& arrays, StreamTimer& timer, PhaseClock& clock,
            Stream& stream);
  void copy_to_host(Stream& stream);
  void copy_to_device(Stream& stream);
  void unpack(const std::vector<void*>& arrays, StreamTimer& timer, PhaseClock& clock,
              Stream& stream);

  /// Pack and copy, timed: into the send buffers, ready for MPI when the stream is idle.
  void gather(const std::vector<const void*>& arrays, StreamTimer& timer, PhaseClock& clock,
              Stream& stream);
  void start(PhaseClock& clock) {
    arrivals_->start(clock);
    network_->start(clock);
  }
  /// Lets MPI work for a moment; the time counts as network.
  void progress(PhaseClock& clock) { network_->progress(clock); }
  void finish(PhaseClock& clock) {
    arrivals_->finish(clock);
    network_->finish(clock);
  }
  /// Copy and unpack, timed: what arrived to the halos' elements.
  void scatter(const std::vector<void*>& arrays, StreamTimer& timer, PhaseClock& clock,
               Stream& stream);

 private:
  /// One direction: the listed elements, and buffers for all messages one after the other.
  struct Side {
    std::size_t count = 0;
    Buffer<int> elements;
    Buffer<char> on_device, on_host;
    [[nodiscard]] char* for_mpi(bool staged) const {
      return staged ? on_host.data() : on_device.data();
    }
  };
  [[nodiscard]] Side make_side(const std::vector<int>& elements) const;
  [[nodiscard]] IndexedElements listed(const Side& side, const ElementLayout& layout) const;

  Device& device_;
  std::vector<ElementLayout> layouts_;
  std::size_t value_bytes_;
  bool staged_;
  int record_;  ///< values of an element in a message
  Side out_, in_;
  std::unique_ptr<MessageExchange> exchange_, announcements_;
  std::unique_ptr<TimedExchange> network_, arrivals_;
};

}  // namespace bellwether
