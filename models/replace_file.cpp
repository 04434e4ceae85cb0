// SPDX-License-Identifier: MIT
#include "models/replace_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "models/errors.hpp"

namespace bellwether {
namespace {

bool write_all(int file, const std::string& content) {
  std::size_t done = 0;
  while (done < content.size()) {
    const ssize_t count = write(file, content.data() + done, content.size() - done);
    if (count < 0 && errno != EINTR) return false;
    if (count > 0) done += static_cast<std::size_t>(count);
  }
  return fsync(file) == 0;
}

}  // namespace

void replace_file(const std::string& path, const std::string& content) {
  const std::string temporary = fmt::format("{}.{}.tmp", path, getpid());
  const auto fail = [&path](int reason) {
    throw BadInput(fmt::format("{}: cannot be written: {}", path, std::strerror(reason)));
  };
  const int file = open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) fail(errno);
  const bool written = write_all(file, content);
  int reason = written ? 0 : errno;
  if (close(file) != 0 && reason == 0) reason = errno;
  if (reason == 0 && std::rename(temporary.c_str(), path.c_str()) != 0) reason = errno;
  if (reason != 0) {
    unlink(temporary.c_str());
    fail(reason);
  }
  // The rename itself reaches the disk with the directory; some file systems refuse to sync one.
  const std::string parent = std::filesystem::path(path).parent_path().string();
  const int directory = open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_CLOEXEC);
  if (directory >= 0) {
    fsync(directory);
    close(directory);
  }
}

}  // namespace bellwether
