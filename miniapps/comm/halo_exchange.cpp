// SPDX-License-Identifier: MIT
#include "miniapps/comm/halo_exchange.hpp"

#include <array>
#include <climits>
#include <exception>
#include <stdexcept>

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

/// A message bears the face or edge that it leaves through, so that those between the same two
/// ranks are told apart; `way` is -1 for the neighbour's that arrives through the same place.
int tag_of(const std::array<int, 3>& shift, int way) {
  return 13 + way * (shift[0] + 3 * shift[1] + 9 * shift[2]);
}

}  // namespace

HaloExchange::HaloExchange(MPI_Comm comm, const std::vector<HaloMessage>& messages,
                           const std::vector<HaloBuffers>& buffers) {
  if (messages.size() != buffers.size()) {
    throw std::invalid_argument("HaloExchange needs one pair of buffers for each message");
  }
  MPI_Comm_dup(comm, &comm_);
  requests_.reserve(2 * messages.size());
  for (const bool receives : {true, false}) {  // receives are posted before any message leaves
    for (std::size_t i = 0; i < messages.size(); ++i) {
      const HaloMessage& message = messages[i];
      const bool large = message.bytes > INT_MAX;
      MPI_Datatype type = large ? contiguous_type(message.bytes) : MPI_BYTE;
      const int count = large ? 1 : static_cast<int>(message.bytes);
      MPI_Request request = MPI_REQUEST_NULL;
      if (receives) {
        MPI_Recv_init(buffers[i].receive, count, type, message.neighbour, tag_of(message.shift, -1),
                      comm_, &request);
      } else {
        MPI_Send_init(buffers[i].send, count, type, message.neighbour, tag_of(message.shift, 1),
                      comm_, &request);
      }
      requests_.push_back(request);
      if (large) {
        MPI_Type_free(&type);  // lives on in the request
      }
    }
  }
}

HaloExchange::~HaloExchange() {
  if (std::uncaught_exceptions() > 0) {
    return;
  }
  finish();
  for (MPI_Request& request : requests_) {
    MPI_Request_free(&request);
  }
  MPI_Comm_free(&comm_);
}

void HaloExchange::start() {
  if (!requests_.empty()) {
    MPI_Startall(static_cast<int>(requests_.size()), requests_.data());
  }
}

bool HaloExchange::progress() {
  int done = 0;
  MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done, MPI_STATUSES_IGNORE);
  return done != 0;
}

void HaloExchange::finish() {
  MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
}

}  // namespace bellwether
