// SPDX-License-Identifier: MIT
#include "miniapps/comm/shared_output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "miniapps/comm/reduce.hpp"
#include "miniapps/comm/session/session.hpp"
#include "models/errors.hpp"
#include "models/replace_file.hpp"

namespace bellwether {

SharedOutput::SharedOutput(MPI_Comm comm, std::string path) : comm_(comm), path_(std::move(path)) {
  MPI_Comm_rank(comm_, &rank_);
  if (rank_ == 0) {
    if (is_written_to(path_))
      fail("it is no regular file");
    else
      note((descriptor_ = open_beside(path_, name_)) >= 0);
  }
  name_ = from_rank(comm_, 0, failure_.empty() ? std::move(name_) : "");
  if (rank_ > 0) note((descriptor_ = open(name_.c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC)) >= 0);
}

SharedOutput::~SharedOutput() {
  if (descriptor_ >= 0) close(descriptor_);
  if (rank_ == 0 && !name_.empty()) unlink(name_.c_str());
}

void SharedOutput::fail(const std::string& reason) {
  if (failure_.empty()) failure_ = reason;
}

void SharedOutput::note(bool done) {
  if (!done) fail(std::strerror(errno));
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

void SharedOutput::flush() {
  if (failure_.empty()) note(fsync(descriptor_) == 0);
}

void SharedOutput::finish() {
  if (descriptor_ >= 0) {
    flush();
    note(close(std::exchange(descriptor_, -1)) == 0);
  }
  const auto throw_failure = [&] {
    if (!failure_.empty())
      throw BadInput(fmt::format("file '{}' cannot be written: {}", path_, failure_));
  };
  agree_on_errors(comm_, throw_failure);  // all have written before one renames
  if (rank_ == 0) note(std::rename(name_.c_str(), path_.c_str()) == 0);
  agree_on_errors(comm_, throw_failure);
  name_.clear();
}

}  // namespace bellwether
