// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "microbench/driver/bench.hpp"
#include "models/network/paths.hpp"

namespace bellwether {

/// Writes the message's bytes anew, as packing a halo does, in another way for another `turn`.
using MessageWriter = std::function<void(std::byte* to, std::size_t bytes, int turn)>;

/// Overwrites the bytes of host memory with numbers that depend on `turn`: what is sent is then in
/// the sender's cache, modified, and in no other.
void write_fresh(std::byte* to, std::size_t bytes, int turn);

/// Two buffers to send from and two to receive into, taken in turn, and cold ones, as halos are
/// after a sweep; in host memory with the pages of a halo's (Device::allocate_host).
class MessageBuffers {
 public:
  /// In host memory.
  MessageBuffers(Device& device, std::size_t largest_message);
  /// In host or device memory, which `write` writes.
  MessageBuffers(Device& device, std::size_t largest_message, MessageMemory memory,
                 MessageWriter write);
  /// About what one takes.
  static std::size_t bytes_for(std::size_t largest_message);

  void write(std::byte* to, std::size_t bytes, int turn) const { write_(to, bytes, turn); }

  /// The largest that gets no huge pages. Each of its buffers holds as many smaller messages, on
  /// pages of their own, as make up this size.
  static constexpr std::size_t small_message = std::size_t{1} << 20;

  /// For a message of so many bytes, on a page boundary; `offset`: where another of several small
  /// messages stands.
  [[nodiscard]] std::byte* send(std::size_t bytes, int turn, std::size_t offset = 0) const {
    return pool(bytes).warm[turn % 2].data() + offset;
  }
  [[nodiscard]] std::byte* receive(std::size_t bytes, int turn) const {
    return pool(bytes).warm[2 + turn % 2].data();
  }
  /// Another place at each call, on a page boundary, that no core's own cache holds: the next of
  /// the whole region, which exceeds the caches.
  [[nodiscard]] std::byte* cold(std::size_t bytes);
  /// The same out of at most 32 places, so that a network card knows them when they come round
  /// again; small messages then find a warm cache.
  [[nodiscard]] std::byte* cold_registered(std::size_t bytes);

 private:
  /// What messages of one kind of pages lie in.
  struct Pool {
    std::array<Buffer<std::byte>, 4> warm;
    std::vector<Buffer<std::byte>> cold;
  };
  [[nodiscard]] const Pool& pool(std::size_t bytes) const;
  [[nodiscard]] std::byte* cold_place(const Pool& pool, std::size_t stride,
                                      std::size_t most_places);

  MessageWriter write_;
  Pool small_, large_;
  std::size_t cold_turn_ = 0;
};

/// Bytes of the pages that so many bytes take.
std::size_t whole_pages(std::size_t bytes);

/// Of the bench's arena, for messages in device memory to be copied from.
std::size_t arena_bytes_to_write(std::size_t largest_message);

/// 8 bytes, twice that and so on, as far as the limits allow.
std::vector<std::size_t> message_sizes(const CalibrationLimits& limits);

/// On which pages the buffers lie, for people; on a host that gives huge pages unasked
/// (`transparent`) those of small ones are not known.
std::string pages_text(bool transparent);
bool huge_pages_unasked();

/// The bench's own, for its largest message; allocated when first asked for. Messages in device
/// memory are written by copies from the bench's arena.
MessageBuffers& buffers_of(Bench& bench, MessageMemory memory = MessageMemory::host);

/// Untimed: returns once the partner has called it too.
void meet(int partner);
/// The same with two: says so to one and waits for the other.
void meet(int told, int awaited);

/// A pair of persistent requests, one each way, over the same buffers.
class PersistentExchange {
 public:
  PersistentExchange(const std::byte* send, std::byte* receive, std::size_t bytes, int partner);
  ~PersistentExchange();
  PersistentExchange(const PersistentExchange&) = delete;
  PersistentExchange& operator=(const PersistentExchange&) = delete;

  void start() { MPI_Startall(2, requests_); }
  /// Lets MPI progress; never blocks.
  void poll();
  void finish() { MPI_Waitall(2, requests_, MPI_STATUSES_IGNORE); }

 private:
  MPI_Request requests_[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
};

}  // namespace bellwether
