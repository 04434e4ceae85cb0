// SPDX-License-Identifier: MIT
#include "miniapps/field_halo.hpp"

namespace bellwether {

FieldHalo::FieldHalo(MPI_Comm comm, Device& device, const Decomposition& decomposition, int rank,
                     const GridLayout& layout, std::size_t element_bytes, bool staged)
    : device_(device),
      layout_(layout),
      element_bytes_(element_bytes),
      staged_(staged),
      faces_(halo_faces(decomposition, rank, 1, element_bytes)) {
  std::vector<HaloBuffers> for_mpi;
  for (const HaloFace& face : faces_) {
    device_out_.emplace_back(device, face.bytes);
    device_in_.emplace_back(device, face.bytes);
    if (staged) {
      host_out_.emplace_back(device, face.bytes, true);
      host_in_.emplace_back(device, face.bytes, true);
    }
    for_mpi.push_back({staged ? host_out_.back().data() : device_out_.back().data(),
                       staged ? host_in_.back().data() : device_in_.back().data()});
  }
  exchange_ = std::make_unique<HaloExchange>(comm, faces_, for_mpi);
  network_ = std::make_unique<TimedExchange>(*exchange_);
}

std::size_t FieldHalo::buffer_bytes(const std::vector<HaloFace>& faces, bool staged) {
  std::size_t bytes = 0;
  for (const HaloFace& face : faces) bytes += face.bytes * (staged ? 4 : 2);
  return bytes;
}

void FieldHalo::pack(const void* field, StreamTimer& timer, PhaseClock& clock, Stream& stream) {
  if (faces_.empty()) return;
  timer.time(clock, "pack", stream, [&] {
    for (std::size_t f = 0; f < faces_.size(); ++f)
      device_.pack(device_out_[f].data(), field, layout_, faces_[f].send, element_bytes_, stream);
  });
}

void FieldHalo::copy_to_host(Stream& stream) {
  if (!staged_) return;
  for (std::size_t f = 0; f < faces_.size(); ++f)
    device_.copy(host_out_[f].data(), device_out_[f].data(), faces_[f].bytes, stream);
}

void FieldHalo::gather(const void* field, StreamTimer& timer, PhaseClock& clock, Stream& stream) {
  if (faces_.empty()) return;
  pack(field, timer, clock, stream);
  if (staged_) timer.time(clock, "copy.to_host", stream, [&] { copy_to_host(stream); });
}

void FieldHalo::copy_to_device(Stream& stream) {
  if (!staged_) return;
  for (std::size_t f = 0; f < faces_.size(); ++f)
    device_.copy(device_in_[f].data(), host_in_[f].data(), faces_[f].bytes, stream);
}

void FieldHalo::unpack(void* field, StreamTimer& timer, PhaseClock& clock, Stream& stream) {
  if (faces_.empty()) return;
  timer.time(clock, "unpack", stream, [&] {
    for (std::size_t f = 0; f < faces_.size(); ++f)
      device_.unpack(field, device_in_[f].data(), layout_, faces_[f].receive, element_bytes_,
                     stream);
  });
}

void FieldHalo::scatter(void* field, StreamTimer& timer, PhaseClock& clock, Stream& stream) {
  if (faces_.empty()) return;
  if (staged_) timer.time(clock, "copy.to_device", stream, [&] { copy_to_device(stream); });
  unpack(field, timer, clock, stream);
}

}  // namespace bellwether
