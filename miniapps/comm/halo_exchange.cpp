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

/// A message bears the face that it leaves from, so that two messages between the same two ranks
/// are told apart by the faces they join.
int tag_of(int direction, int side) { return 2 * direction + side; }

}  // namespace

HaloExchange::HaloExchange(MPI_Comm comm, const std::vector<HaloFace>& faces,
                           const std::vector<HaloBuffers>& buffers) {
  if (faces.size() != buffers.size()) {
    throw std::invalid_argument("HaloExchange needs one pair of buffers for each face");
  }
  MPI_Comm_dup(comm, &comm_);
  requests_.reserve(2 * faces.size());
  for (const bool receives : {true, false}) {  // receives are posted before any message leaves
    for (std::size_t i = 0; i < faces.size(); ++i) {
      const HaloFace& face = faces[i];
      const bool large = face.bytes > INT_MAX;
      MPI_Datatype type = large ? contiguous_type(face.bytes) : MPI_BYTE;
      const int count = large ? 1 : static_cast<int>(face.bytes);
      MPI_Request request = MPI_REQUEST_NULL;
      if (receives) {
        MPI_Recv_init(buffers[i].receive, count, type, face.neighbour,
                      tag_of(face.direction, 1 - face.side), comm_, &request);
      } else {
        MPI_Send_init(buffers[i].send, count, type, face.neighbour,
                      tag_of(face.direction, face.side), comm_, &request);
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
