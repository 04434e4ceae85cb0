// SPDX-License-Identifier: MIT
#include "miniapps/stencil/field_halo.hpp"

namespace bellwether {

FieldHalo::FieldHalo(MPI_Comm comm, Device& device, std::vector<HaloMessage> messages,
                     const GridLayout& layout, std::size_t element_bytes, bool staged)
    : device_(device),
      layout_(layout),
      element_bytes_(element_bytes),
      staged_(staged),
      messages_(std::move(messages)) {
  std::vector<HaloBuffers> for_mpi;
  for (const HaloMessage& message : messages_) {
    device_out_.emplace_back(device, message.bytes);
    device_in_.emplace_back(device, message.bytes);
    if (staged) {
      host_out_.emplace_back(device, message.bytes, true);
      host_in_.emplace_back(device, message.bytes, true);
    }
    for_mpi.push_back({staged ? host_out_.back().data() : device_out_.back().data(),
                       staged ? host_in_.back().data() : device_in_.back().data()});
  }
  exchange_ = std::make_unique<HaloExchange>(comm, messages_, for_mpi);
  network_ = std::make_unique<TimedExchange>(*exchange_);
}

std::size_t FieldHalo::buffer_bytes(const std::vector<HaloMessage>& messages, bool staged) {
  std::size_t bytes = 0;
  for (const HaloMessage& message : messages) bytes += message.bytes * (staged ? 4 : 2);
  return bytes;
}

char* FieldHalo::start_of(const HaloState& state, const HaloPart& part) const {
  return static_cast<char*>(state.storage) + part.field[state.parity] * element_bytes_;
}

void FieldHalo::pack(const HaloState& state, StreamTimer& timer, PhaseClock& clock,
                     Stream& stream) {
  if (messages_.empty()) return;
  timer.time(clock, "pack", stream, [&] {
    for (std::size_t m = 0; m < messages_.size(); ++m) {
      char* to = device_out_[m].data();
      for (const HaloPart& part : messages_[m].pack) {
        device_.pack(to, start_of(state, part), layout_, part.box, element_bytes_, stream);
        to += part.box.cells() * element_bytes_;
      }
    }
  });
}

void FieldHalo::copy_to_host(Stream& stream) {
  if (!staged_) return;
  for (std::size_t m = 0; m < messages_.size(); ++m)
    device_.copy(host_out_[m].data(), device_out_[m].data(), messages_[m].bytes, stream);
}

void FieldHalo::gather(const HaloState& state, StreamTimer& timer, PhaseClock& clock,
                       Stream& stream) {
  if (messages_.empty()) return;
  pack(state, timer, clock, stream);
  if (staged_) timer.time(clock, "copy.to_host", stream, [&] { copy_to_host(stream); });
}

void FieldHalo::copy_to_device(Stream& stream) {
  if (!staged_) return;
  for (std::size_t m = 0; m < messages_.size(); ++m)
    device_.copy(device_in_[m].data(), host_in_[m].data(), messages_[m].bytes, stream);
}

void FieldHalo::unpack(const HaloState& state, StreamTimer& timer, PhaseClock& clock,
                       Stream& stream) {
  if (messages_.empty()) return;
  timer.time(clock, "unpack", stream, [&] {
    for (std::size_t m = 0; m < messages_.size(); ++m) {
      const char* from = device_in_[m].data();
      for (const HaloPart& part : messages_[m].unpack) {
        device_.unpack(start_of(state, part), from, layout_, part.box, element_bytes_, stream);
        from += part.box.cells() * element_bytes_;
      }
    }
  });
}

void FieldHalo::scatter(const HaloState& state, StreamTimer& timer, PhaseClock& clock,
                        Stream& stream) {
  if (messages_.empty()) return;
  if (staged_) timer.time(clock, "copy.to_device", stream, [&] { copy_to_device(stream); });
  unpack(state, timer, clock, stream);
}

}  // namespace bellwether
