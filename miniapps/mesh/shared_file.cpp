// SPDX-License-Identifier: MIT
#include "miniapps/mesh/shared_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "miniapps/comm/session.hpp"
#include "miniapps/mesh/parcels.hpp"
#include "models/errors.hpp"

namespace bellwether {

std::string name_beside(MPI_Comm comm, const std::string& path) {
  int process = getpid();
  MPI_Bcast(&process, 1, MPI_INT, 0, comm);
  return fmt::format("{}.{}.tmp", path, process);
}

std::string make_file(const std::string& path) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  return file >= 0 && close(file) == 0 ? "" : std::strerror(errno);
}

SharedOutput::SharedOutput(const std::string& path)
    : descriptor_(open(path.c_str(), O_WRONLY | O_CLOEXEC)) {
  note(descriptor_ >= 0);
}

SharedOutput::~SharedOutput() {
  if (descriptor_ >= 0) close(descriptor_);
}

void SharedOutput::note(bool done) {
  if (!done && failure_.empty()) failure_ = std::strerror(errno);
}

void SharedOutput::write(std::int64_t at, const void* bytes, std::size_t count) {
  std::size_t done = 0;
  while (failure_.empty() && done < count) {
    const ssize_t written = pwrite(descriptor_, static_cast<const char*>(bytes) + done,
                                   count - done, at + static_cast<std::int64_t>(done));
    note(written >= 0 || errno == EINTR);
    if (written > 0) done += static_cast<std::size_t>(written);
  }
}

std::string SharedOutput::finish() {
  if (descriptor_ >= 0) {
    note(fsync(descriptor_) == 0);
    note(close(std::exchange(descriptor_, -1)) == 0);
  }
  return failure_;
}

void replace_together(MPI_Comm comm, const std::string& beside, const std::string& path,
                      const std::string& failure) {
  std::string reason = failure;
  const auto throw_failure = [&] {
    if (!reason.empty()) throw BadInput(fmt::format("{}: cannot be written: {}", path, reason));
  };
  try {
    agree_on_errors(comm, throw_failure);  // all have written before one renames
    if (rank_in(comm) == 0 && std::rename(beside.c_str(), path.c_str()) != 0)
      reason = std::strerror(errno);
    agree_on_errors(comm, throw_failure);
  } catch (...) {
    if (rank_in(comm) == 0) unlink(beside.c_str());
    throw;
  }
}

}  // namespace bellwether
