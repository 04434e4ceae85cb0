// SPDX-License-Identifier: MIT
#include "miniapps/comm/halo.hpp"

#include <algorithm>
#include <chrono>

#include "miniapps/comm/reduce.hpp"

namespace bellwether {
namespace {

/// Of the buffer that messages are in.
std::size_t bytes_of(const std::vector<PeerMessage>& messages) {
  std::size_t bytes = 0;
  for (const PeerMessage& message : messages)
    if (message.bytes > 0 && !message.in_place) bytes = std::max(bytes, message.at + message.bytes);
  return bytes;
}

/// Those with something in them.
std::vector<PlacedMessage> messages_in(char* buffer, void* data,
                                       const std::vector<PeerMessage>& messages) {
  std::vector<PlacedMessage> placed;
  for (const PeerMessage& message : messages)
    if (message.bytes > 0)
      placed.push_back({message.rank, message.tag, message.bytes,
                        (message.in_place ? static_cast<char*>(data) : buffer) + message.at});
  return placed;
}

/// The empty messages that say that these are to come.
std::vector<PlacedMessage> announced(const std::vector<PeerMessage>& messages) {
  std::vector<PlacedMessage> empty;
  for (const PeerMessage& message : messages)
    if (message.bytes > 0) empty.push_back({message.rank, message.tag});
  return empty;
}

}  // namespace

Halo::Side::Side(Device& device, const std::vector<PeerMessage>& messages, bool staged) {
  const std::size_t bytes = bytes_of(messages);
  if (bytes == 0) return;
  on_device = Buffer<char>(device, bytes);
  if (staged) on_host = Buffer<char>(device, bytes, true);
}

Halo::Halo(MPI_Comm comm, Device& device, const PeerMessages& messages, bool staged,
           Announcements announcements)
    : comm_(comm),
      device_(device),
      out_(device, messages.out, staged),
      in_(device, messages.in, staged),
      timer_(device) {
  for (void* data : messages.data)
    network_ =
        &networks_
             .try_emplace(data, "network", comm, messages_in(in_.for_mpi(), data, messages.in),
                          messages_in(out_.for_mpi(), data, messages.out))
             .first->second;
  if (announcements == Announcements::sent)
    announcements_.emplace("wait", comm, announced(messages.in), announced(messages.out));
}

std::size_t Halo::buffer_bytes(const PeerMessages& messages, bool staged) {
  return (bytes_of(messages.out) + bytes_of(messages.in)) * (staged ? 2 : 1);
}

void Halo::pack(const HaloPacking& packing, PhaseClock& clock, Stream& stream) {
  network_ = &networks_.at(packing.data);
  if (out_.empty()) return;
  timer_.time(clock, "pack", stream, [&] { packing.pack(out_.on_device.data(), stream); });
}

void Halo::copy_to_host(Stream& stream) {
  if (!out_.staged()) return;
  device_.copy_shared(out_.on_host.data(), out_.on_device.data(), out_.on_host.bytes(), stream);
}

void Halo::copy_to_device(Stream& stream) {
  if (!in_.staged()) return;
  device_.copy(in_.on_device.data(), in_.on_host.data(), in_.on_host.bytes(), stream);
}

void Halo::gather(const HaloPacking& packing, PhaseClock& clock, Stream& stream) {
  pack(packing, clock, stream);
  if (out_.staged()) timer_.time(clock, "copy.to_host", stream, [&] { copy_to_host(stream); });
}

void Halo::start(PhaseClock& clock) {
  if (announcements_) announcements_->start(clock);
  network_->start(clock);
}

void Halo::finish(PhaseClock& clock) {
  if (announcements_) announcements_->finish(clock);
  network_->finish(clock);
}

void Halo::scatter(const HaloPacking& packing, PhaseClock& clock, Stream& stream) {
  if (in_.staged()) timer_.time(clock, "copy.to_device", stream, [&] { copy_to_device(stream); });
  unpack(packing, clock, stream);
}

void Halo::unpack(const HaloPacking& packing, PhaseClock& clock, Stream& stream) {
  if (in_.empty()) return;
  timer_.time(clock, "unpack", stream, [&] { packing.unpack(in_.on_device.data(), stream); });
}

void Halo::exchange_aside(Stream& stream, PhaseClock& clock) {
  clock.enter("network");
  Heartbeat unwatched;
  PhaseClock hidden(unwatched);
  copy_to_host(stream);
  device_.fence(stream);
  start(hidden);
  finish(hidden);
  copy_to_device(stream);
}

double Halo::bare_exchange_seconds(Stream& stream) {
  Heartbeat unwatched;
  PhaseClock clock(unwatched);
  const bool copies_count = !device_.is_host();
  if (!copies_count) copy_to_host(stream);
  device_.fence(stream);
  MPI_Barrier(comm_);
  const auto begin = std::chrono::steady_clock::now();
  if (copies_count) {
    copy_to_host(stream);
    device_.fence(stream);
  }
  start(clock);
  finish(clock);
  if (copies_count) {
    copy_to_device(stream);
    device_.fence(stream);
  }
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  return largest(comm_, taken.count());
}

}  // namespace bellwether
