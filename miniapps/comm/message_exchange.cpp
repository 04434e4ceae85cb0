// SPDX-License-Identifier: MIT
#include "miniapps/comm/message_exchange.hpp"

#include <array>
#include <climits>
#include <exception>

namespace bellwether {
namespace {

/// A type of `bytes` contiguous bytes, since counts are int: whole blocks of 1 GiB, and the rest.
MPI_Datatype contiguous_type(std::size_t bytes) {
  constexpr std::size_t block_bytes = std::size_t{1} << 30;
  MPI_Datatype block = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(static_cast<int>(block_bytes), MPI_BYTE, &block);
  const std::size_t blocks = bytes / block_bytes;
  const std::array<int, 2> counts{static_cast<int>(blocks), static_cast<int>(bytes % block_bytes)};
  const std::array<MPI_Aint, 2> offsets{0, static_cast<MPI_Aint>(blocks * block_bytes)};
  const std::array<MPI_Datatype, 2> types{block, MPI_BYTE};
  MPI_Datatype whole = MPI_DATATYPE_NULL;
  MPI_Type_create_struct(2, counts.data(), offsets.data(), types.data(), &whole);
  MPI_Type_commit(&whole);
  MPI_Type_free(&block);
  return whole;
}

/// Calls make(count, type, request) for a message of `bytes`.
template <class Make>
MPI_Request request_of(std::size_t bytes, Make make) {
  const bool large = bytes > INT_MAX;
  MPI_Datatype type = large ? contiguous_type(bytes) : MPI_BYTE;
  MPI_Request request = MPI_REQUEST_NULL;
  make(large ? 1 : static_cast<int>(bytes), type, &request);
  if (large) MPI_Type_free(&type);  // lives on in the request
  return request;
}

}  // namespace

MessageExchange::MessageExchange(const char* phase, MPI_Comm comm,
                                 const std::vector<PlacedMessage>& incoming,
                                 const std::vector<PlacedMessage>& outgoing)
    : phase_(phase) {
  MPI_Comm_dup(comm, &comm_);
  const auto add = [this](const PlacedMessage& message, auto* init) {
    requests_.push_back(
        request_of(message.bytes, [&](int count, MPI_Datatype type, MPI_Request* request) {
          init(message.memory, count, type, message.rank, message.tag, comm_, request);
        }));
  };
  // Receives are posted before any message leaves.
  for (const PlacedMessage& message : incoming) add(message, MPI_Recv_init);
  for (const PlacedMessage& message : outgoing) add(message, MPI_Send_init);
}

MessageExchange::~MessageExchange() {
  if (std::uncaught_exceptions() > 0) return;
  wait();
  for (MPI_Request& request : requests_) MPI_Request_free(&request);
  MPI_Comm_free(&comm_);
}

void MessageExchange::start(PhaseClock& clock) {
  if (empty()) return;
  clock.time(phase_, [&] { MPI_Startall(static_cast<int>(requests_.size()), requests_.data()); });
  in_flight_ = true;
}

bool MessageExchange::progress(PhaseClock& clock) {
  if (!in_flight_) return true;
  int done = 0;
  clock.time(phase_, [&] {
    MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done, MPI_STATUSES_IGNORE);
  });
  in_flight_ = done == 0;
  return !in_flight_;
}

void MessageExchange::finish(PhaseClock& clock) {
  if (!in_flight_) return;
  clock.time(phase_, [&] { wait(); });
  in_flight_ = false;
}

void MessageExchange::wait() {
  MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
}

}  // namespace bellwether
