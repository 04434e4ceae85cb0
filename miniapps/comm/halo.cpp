// SPDX-License-Identifier: MIT
#include "miniapps/comm/halo.hpp"

#include <chrono>

namespace bellwether {
namespace {

std::size_t bytes_of(const HaloBlock& block) {
  std::size_t bytes = 0;
  for (const PeerMessage& message : block) bytes += message.bytes;
  return bytes;
}

/// The messages of all blocks, in the blocks' memory.
template <class Message>
std::vector<Message> messages_in(const std::vector<HaloBlock>& blocks,
                                 const std::vector<char*>& memory) {
  std::vector<Message> messages;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    char* at = memory[b];
    for (const PeerMessage& message : blocks[b]) {
      messages.push_back({message.rank, message.tag, message.bytes, at});
      at += message.bytes;
    }
  }
  return messages;
}

/// The messages that say that those with something in them are to come.
template <class Message>
std::vector<Message> announced(const std::vector<Message>& messages) {
  std::vector<Message> announcements;
  for (const Message& message : messages)
    if (message.bytes > 0) announcements.push_back({message.rank, message.tag, 0, nullptr});
  return announcements;
}

}  // namespace

Halo::Side::Side(Device& device, const std::vector<HaloBlock>& given, bool staged) {
  for (const HaloBlock& block : given) {
    const std::size_t bytes = bytes_of(block);
    if (bytes > 0) empty = false;
    const auto buffer = [&](bool of_host) {
      return bytes > 0 ? Buffer<char>(device, bytes, of_host) : Buffer<char>();
    };
    on_device.push_back(buffer(false));
    if (staged) on_host.push_back(buffer(true));
    blocks.push_back(on_device.back().data());
    for_mpi.push_back(staged ? on_host.back().data() : on_device.back().data());
  }
}

Halo::Halo(MPI_Comm comm, Device& device, const HaloBlocks& blocks, bool staged,
           Announcements announcements)
    : comm_(comm),
      device_(device),
      staged_(staged),
      out_(device, blocks.out, staged),
      in_(device, blocks.in, staged),
      timer_(device),
      network_("network", comm, messages_in<IncomingMessage>(blocks.in, in_.for_mpi),
               messages_in<OutgoingMessage>(blocks.out, out_.for_mpi)) {
  if (announcements == Announcements::sent)
    announcements_.emplace(
        "wait", comm, announced(messages_in<IncomingMessage>(blocks.in, in_.for_mpi)),
        announced(messages_in<OutgoingMessage>(blocks.out, out_.for_mpi)), EmptyMessages::sent);
}

std::size_t Halo::buffer_bytes(const HaloBlocks& blocks, bool staged) {
  std::size_t bytes = 0;
  for (const auto* side : {&blocks.out, &blocks.in})
    for (const HaloBlock& block : *side) bytes += bytes_of(block);
  return bytes * (staged ? 2 : 1);
}

void Halo::pack(const HaloPacking& packing, PhaseClock& clock, Stream& stream) {
  if (out_.empty) return;
  timer_.time(clock, "pack", stream, [&] { packing.pack(out_.blocks, stream); });
}

void Halo::copy(const Side& side, const std::vector<char*>& to, const std::vector<char*>& from,
                Stream& stream) {
  for (std::size_t b = 0; b < side.on_host.size(); ++b)
    if (const std::size_t bytes = side.on_host[b].bytes(); bytes > 0)
      device_.copy(to[b], from[b], bytes, stream);
}

void Halo::gather(const HaloPacking& packing, PhaseClock& clock, Stream& stream) {
  pack(packing, clock, stream);
  if (staged_ && !out_.empty)
    timer_.time(clock, "copy.to_host", stream, [&] { copy_to_host(stream); });
}

void Halo::start(PhaseClock& clock) {
  if (announcements_) announcements_->start(clock);
  network_.start(clock);
}

void Halo::finish(PhaseClock& clock) {
  if (announcements_) announcements_->finish(clock);
  network_.finish(clock);
}

void Halo::scatter(const HaloPacking& packing, PhaseClock& clock, Stream& stream) {
  if (staged_ && !in_.empty)
    timer_.time(clock, "copy.to_device", stream, [&] { copy_to_device(stream); });
  unpack(packing, clock, stream);
}

void Halo::unpack(const HaloPacking& packing, PhaseClock& clock, Stream& stream) {
  if (in_.empty) return;
  timer_.time(clock, "unpack", stream, [&] { packing.unpack(in_.blocks, stream); });
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
  double slowest = taken.count();
  MPI_Allreduce(MPI_IN_PLACE, &slowest, 1, MPI_DOUBLE, MPI_MAX, comm_);
  return slowest;
}

}  // namespace bellwether
