// SPDX-License-Identifier: MIT
#include "microbench/links/messages.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <limits>
#include <memory>
#include <utility>

namespace bellwether {
namespace {

constexpr int message_tag = 1, meeting_tag = 2;
constexpr std::size_t page = 4096;
constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr std::size_t small_message = MessageBuffers::small_message;
static_assert(small_message < huge_page);
constexpr std::size_t most_cold_places = 32;
constexpr std::size_t least_cold_stride = std::size_t{128}
                                          << 10;  // 32 of them exceed a core's cache

std::size_t cold_bytes(std::size_t largest_message) {
  return std::max(2 * (largest_message + page), most_cold_places * (least_cold_stride + page));
}

/// A writer is asked for so many bytes at once.
std::size_t most_written(std::size_t largest_message) {
  return std::max(largest_message, small_message);
}

/// Of the small messages' cold memory, each small enough to get no huge pages.
std::size_t small_pieces(std::size_t largest_message) {
  constexpr std::size_t piece = small_message + page;
  return (cold_bytes(largest_message) + piece - 1) / piece;
}

}  // namespace

MessageBuffers::MessageBuffers(Device& device, std::size_t largest_message)
    : MessageBuffers(device, largest_message, MessageMemory::host, write_fresh) {}

MessageBuffers::MessageBuffers(Device& device, std::size_t largest_message, MessageMemory memory,
                               MessageWriter write)
    : write_(std::move(write)) {
  const auto buffer = [&, this](std::size_t bytes, int turn) {
    Buffer<std::byte> made(device, bytes, memory == MessageMemory::host);
    const std::size_t piece = most_written(largest_message);
    for (std::size_t at = 0; at < bytes; at += piece)
      write_(made.data() + at, std::min(piece, bytes - at), turn);
    return made;
  };
  for (auto& warm : small_.warm) warm = buffer(small_message + page, 0);
  for (std::size_t n = 0; n < small_pieces(largest_message); ++n)
    small_.cold.push_back(buffer(small_message + page, 1));
  if (largest_message < huge_page) return;
  for (auto& warm : large_.warm) warm = buffer(largest_message + page, 0);
  large_.cold.push_back(buffer(cold_bytes(largest_message), 1));
}

std::size_t MessageBuffers::bytes_for(std::size_t largest_message) {
  const std::size_t small = (4 + small_pieces(largest_message)) * (small_message + page);
  return largest_message < huge_page
             ? small
             : small + 4 * (largest_message + page) + cold_bytes(largest_message);
}

const MessageBuffers::Pool& MessageBuffers::pool(std::size_t bytes) const {
  return bytes <= small_message ? small_ : large_;
}

std::byte* MessageBuffers::cold_place(const Pool& pool, std::size_t stride,
                                      std::size_t most_places) {
  const std::size_t in_a_piece = std::max<std::size_t>(1, pool.cold.front().size() / stride);
  const std::size_t places = std::min(pool.cold.size() * in_a_piece, most_places);
  const std::size_t at = cold_turn_++ % places;
  return pool.cold[at / in_a_piece].data() + at % in_a_piece * stride;
}

std::byte* MessageBuffers::cold(std::size_t bytes) {
  return cold_place(pool(bytes), whole_pages(bytes), std::numeric_limits<std::size_t>::max());
}

std::byte* MessageBuffers::cold_registered(std::size_t bytes) {
  return cold_place(pool(bytes), std::max(whole_pages(bytes), least_cold_stride) + page,
                    most_cold_places);
}

std::size_t whole_pages(std::size_t bytes) { return (bytes + page - 1) / page * page; }

std::string pages_text(bool transparent) {
  const char* const small = transparent ? "pages as the system gives them" : "4 KiB pages";
  return std::string("buffers as halos have them: ") + small +
         " below 2 MiB, huge pages from there";
}

bool huge_pages_unasked() {
  std::ifstream file("/sys/kernel/mm/transparent_hugepage/enabled");
  std::string modes;
  std::getline(file, modes);
  return modes.find("[always]") != std::string::npos;
}

std::vector<std::size_t> message_sizes(const CalibrationLimits& limits) {
  std::vector<std::size_t> sizes;
  for (std::size_t bytes = 8; bytes <= limits.largest_message_bytes; bytes *= 2)
    sizes.push_back(bytes);
  return sizes;
}

MessageBuffers& buffers_of(Bench& bench, MessageMemory memory) {
  struct DeviceBuffers : MessageBuffers {  // kept beside the host's
    using MessageBuffers::MessageBuffers;
  };
  const std::size_t largest = message_sizes(bench.limits()).back();
  if (memory == MessageMemory::host)
    return bench.kept<MessageBuffers>(
        [&] { return std::make_unique<MessageBuffers>(bench.device(), largest); });
  return bench.kept<DeviceBuffers>([&] {
    return std::make_unique<DeviceBuffers>(
        bench.device(), largest, memory, [&bench](std::byte* to, std::size_t bytes, int turn) {
          const std::size_t offset = turn % 2 == 0 ? 0 : page;
          bench.device().copy(to, bench.arena() + offset, bytes, bench.stream());
          bench.device().fence(bench.stream());
        });
  });
}

std::size_t arena_bytes_to_write(std::size_t largest_message) {
  return most_written(largest_message) + page;
}

void write_fresh(std::byte* to, std::size_t bytes, int turn) {
  std::uint64_t word = 0x9e3779b97f4a7c15ull * static_cast<std::uint64_t>(turn + 1);
  std::size_t at = 0;
  for (; at + sizeof word <= bytes; at += sizeof word, word += 0x632be59bd9b4e019ull)
    std::memcpy(to + at, &word, sizeof word);
  std::memcpy(to + at, &word, bytes - at);
}

void meet(int partner) { meet(partner, partner); }

void meet(int told, int awaited) {
  MPI_Sendrecv(nullptr, 0, MPI_BYTE, told, meeting_tag, nullptr, 0, MPI_BYTE, awaited, meeting_tag,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

PersistentExchange::PersistentExchange(const std::byte* send, std::byte* receive, std::size_t bytes,
                                       int partner) {
  const int count = static_cast<int>(bytes);
  MPI_Recv_init(receive, count, MPI_BYTE, partner, message_tag, MPI_COMM_WORLD, &requests_[0]);
  MPI_Send_init(send, count, MPI_BYTE, partner, message_tag, MPI_COMM_WORLD, &requests_[1]);
}

PersistentExchange::~PersistentExchange() {
  for (MPI_Request& request : requests_) MPI_Request_free(&request);
}

void PersistentExchange::poll() {
  int done = 0;
  MPI_Testall(2, requests_, &done, MPI_STATUSES_IGNORE);
}

}  // namespace bellwether
