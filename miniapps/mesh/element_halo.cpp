// SPDX-License-Identifier: MIT
#include "miniapps/mesh/element_halo.hpp"

#include <utility>

namespace bellwether {
namespace {

/// Values of an element over all arrays.
int record_of(const std::vector<ElementLayout>& layouts) {
  int record = 0;
  for (const ElementLayout& layout : layouts) record += layout.components;
  return record;
}

std::size_t exported(const SetNeighbour& neighbour) {
  return neighbour.execute_exports.size() + neighbour.read_exports.size();
}
std::size_t imported(const SetNeighbour& neighbour) {
  return static_cast<std::size_t>(neighbour.ieh_count + neighbour.inh_count);
}

/// Neighbour after neighbour, what is executed there before what is only read.
std::vector<int> all_exports(const LocalSet& set) {
  std::vector<int> elements;
  for (const SetNeighbour& neighbour : set.neighbours)
    for (const auto* list : {&neighbour.execute_exports, &neighbour.read_exports})
      elements.insert(elements.end(), list->begin(), list->end());
  return elements;
}
std::vector<int> all_imports(const LocalSet& set) {
  std::vector<int> elements;
  const auto add = [&](int first, int count) {
    for (int n = 0; n < count; ++n) elements.push_back(first + n);
  };
  for (const SetNeighbour& neighbour : set.neighbours) {
    add(neighbour.first_ieh, neighbour.ieh_count);
    add(neighbour.first_inh, neighbour.inh_count);
  }
  return elements;
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

ElementHalo::Side ElementHalo::make_side(const std::vector<int>& elements) const {
  Side side;
  side.count = elements.size();
  if (elements.empty()) return side;
  side.elements = Buffer<int>(device_, elements.size());
  const auto stream = device_.make_stream(false);
  device_.copy(side.elements.data(), elements.data(), side.elements.bytes(), *stream);
  device_.fence(*stream);
  const std::size_t bytes = elements.size() * record_ * value_bytes_;
  side.on_device = Buffer<char>(device_, bytes);
  if (staged_) side.on_host = Buffer<char>(device_, bytes, true);
  return side;
}

ElementHalo::ElementHalo(MPI_Comm comm, Device& device, const LocalSet& set,
                         std::vector<ElementLayout> layouts, std::size_t value_bytes, bool staged)
    : device_(device),
      layouts_(std::move(layouts)),
      value_bytes_(value_bytes),
      staged_(staged),
      record_(record_of(layouts_)),
      out_(make_side(all_exports(set))),
      in_(make_side(all_imports(set))) {
  std::vector<IncomingMessage> incoming;
  std::vector<OutgoingMessage> outgoing;
  const std::size_t element_bytes = record_ * value_bytes_;
  char* to = in_.for_mpi(staged);
  const char* from = out_.for_mpi(staged);
  for (const SetNeighbour& neighbour : set.neighbours) {
    incoming.push_back({neighbour.rank, 0, imported(neighbour) * element_bytes, to});
    outgoing.push_back({neighbour.rank, 0, exported(neighbour) * element_bytes, from});
    to += incoming.back().bytes;
    from += outgoing.back().bytes;
  }
  exchange_ = std::make_unique<MessageExchange>(comm, incoming, outgoing);
  network_ = std::make_unique<TimedExchange>(*exchange_);
  announcements_ = std::make_unique<MessageExchange>(comm, announced(incoming), announced(outgoing),
                                                     EmptyMessages::sent);
  arrivals_ = std::make_unique<TimedExchange>(*announcements_, "wait");
}

std::size_t ElementHalo::buffer_bytes(const LocalSet& set,
                                      const std::vector<ElementLayout>& layouts,
                                      std::size_t value_bytes, bool staged) {
  std::size_t elements = 0;
  for (const SetNeighbour& neighbour : set.neighbours)
    elements += exported(neighbour) + imported(neighbour);
  return elements * (sizeof(int) + record_of(layouts) * value_bytes * (staged ? 2 : 1));
}

IndexedElements ElementHalo::listed(const Side& side, const ElementLayout& layout) const {
  return {layout, side.elements.data(), side.count, record_};
}

void ElementHalo::pack(const std::vector<const void*>& arrays, StreamTimer& timer,
                       PhaseClock& clock, Stream& stream) {
  if (out_.count == 0) return;
  timer.time(clock, "pack", stream, [&] {
    char* to = out_.on_device.data();
    for (std::size_t a = 0; a < arrays.size(); ++a) {
      device_.gather(to, arrays[a], listed(out_, layouts_[a]), value_bytes_, stream);
      to += layouts_[a].components * value_bytes_;
    }
  });
}

void ElementHalo::copy_to_host(Stream& stream) {
  if (!staged_ || out_.count == 0) return;
  device_.copy(out_.on_host.data(), out_.on_device.data(), out_.on_host.bytes(), stream);
}

void ElementHalo::gather(const std::vector<const void*>& arrays, StreamTimer& timer,
                         PhaseClock& clock, Stream& stream) {
  if (out_.count == 0) return;
  pack(arrays, timer, clock, stream);
  if (staged_) timer.time(clock, "copy.to_host", stream, [&] { copy_to_host(stream); });
}

void ElementHalo::copy_to_device(Stream& stream) {
  if (!staged_ || in_.count == 0) return;
  device_.copy(in_.on_device.data(), in_.on_host.data(), in_.on_host.bytes(), stream);
}

void ElementHalo::unpack(const std::vector<void*>& arrays, StreamTimer& timer, PhaseClock& clock,
                         Stream& stream) {
  if (in_.count == 0) return;
  timer.time(clock, "unpack", stream, [&] {
    const char* from = in_.on_device.data();
    for (std::size_t a = 0; a < arrays.size(); ++a) {
      device_.scatter(arrays[a], from, listed(in_, layouts_[a]), value_bytes_, stream);
      from += layouts_[a].components * value_bytes_;
    }
  });
}

void ElementHalo::scatter(const std::vector<void*>& arrays, StreamTimer& timer, PhaseClock& clock,
                          Stream& stream) {
  if (in_.count == 0) return;
  if (staged_) timer.time(clock, "copy.to_device", stream, [&] { copy_to_device(stream); });
  unpack(arrays, timer, clock, stream);
}

}  // namespace bellwether
