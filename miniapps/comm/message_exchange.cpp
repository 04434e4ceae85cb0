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

MessageExchange::MessageExchange(MPI_Comm comm, const std::vector<IncomingMessage>& incoming,
                                 const std::vector<OutgoingMessage>& outgoing,
                                 EmptyMessages empty) {
  MPI_Comm_dup(comm, &comm_);
  const auto left_out = [empty](std::size_t bytes) {
    return bytes == 0 && empty == EmptyMessages::left_out;
  };
  // Receives are posted before any message leaves.
  for (const IncomingMessage& message : incoming) {
    if (left_out(message.bytes)) continue;
    requests_.push_back(
        request_of(message.bytes, [&](int count, MPI_Datatype type, MPI_Request* request) {
          MPI_Recv_init(message.to, count, type, message.rank, message.tag, comm_, request);
        }));
  }
  for (const OutgoingMessage& message : outgoing) {
    if (left_out(message.bytes)) continue;
    requests_.push_back(
        request_of(message.bytes, [&](int count, MPI_Datatype type, MPI_Request* request) {
          MPI_Send_init(message.from, count, type, message.rank, message.tag, comm_, request);
        }));
  }
}

MessageExchange::~MessageExchange() {
  if (std::uncaught_exceptions() > 0) {
    return;
  }
  finish();
  for (MPI_Request& request : requests_) {
    MPI_Request_free(&request);
  }
  MPI_Comm_free(&comm_);
}

void MessageExchange::start() {
  if (!requests_.empty()) {
    MPI_Startall(static_cast<int>(requests_.size()), requests_.data());
  }
}

bool MessageExchange::progress() {
  int done = 0;
  MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done, MPI_STATUSES_IGNORE);
  return done != 0;
}

void MessageExchange::finish() {
  MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
}

void TimedExchange::start(PhaseClock& clock) {
  if (exchange_.empty()) return;
  clock.time(phase_, [&] { exchange_.start(); });
  in_flight_ = true;
}

void TimedExchange::progress(PhaseClock& clock) {
  if (!in_flight_) return;
  clock.time(phase_, [&] { in_flight_ = !exchange_.progress(); });
}

void TimedExchange::finish(PhaseClock& clock) {
  if (!in_flight_) return;
  clock.time(phase_, [&] { exchange_.finish(); });
  in_flight_ = false;
}

}  // namespace bellwether
