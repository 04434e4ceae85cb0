// SPDX-License-Identifier: MIT
#include "models/replace_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <random>

#include "models/errors.hpp"

namespace bellwether {
namespace {

/// Writes all, brings it to the disk and closes the file. Returns 0 or the error.
int write_all(int file, const std::string& content) {
  int reason = 0;
  std::size_t done = 0;
  while (reason == 0 && done < content.size()) {
    const ssize_t count = write(file, content.data() + done, content.size() - done);
    if (count < 0 && errno != EINTR) reason = errno;
    if (count > 0) done += static_cast<std::size_t>(count);
  }
  // EINVAL: a pipe or a terminal, which has no disk behind it.
  if (reason == 0 && fsync(file) != 0 && errno != EINVAL) reason = errno;
  if (close(file) != 0 && reason == 0) reason = errno;
  return reason;
}

}  // namespace

bool is_written_to(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0 || S_ISDIR(status.st_mode)) return false;
  const std::string folder = std::filesystem::path(path).parent_path();
  return !S_ISREG(status.st_mode) || folder == "/dev" || folder == "/dev/fd" ||
         folder.starts_with("/proc/");
}

int open_beside(const std::string& path, std::string& name) {
  std::random_device random;
  int file = -1;
  do {
    name = fmt::format("{}.{}.{:08x}.tmp", path, getpid(), random());
    file = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  } while (file < 0 && errno == EEXIST);
  return file;
}

void replace_file(const std::string& path, const std::string& content) {
  const auto fail = [&path](int reason) {
    throw BadInput(fmt::format("{}: cannot be written: {}", path, std::strerror(reason)));
  };
  std::string beside;
  const bool in_place = is_written_to(path);
  const int file =
      in_place ? open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC) : open_beside(path, beside);
  if (file < 0) fail(errno);
  int reason = write_all(file, content);
  if (in_place) return reason == 0 ? void() : fail(reason);
  if (reason == 0 && std::rename(beside.c_str(), path.c_str()) != 0) reason = errno;
  if (reason != 0) {
    unlink(beside.c_str());
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

FileState state_of(const std::string& path) {
  struct stat status {};
  if (lstat(path.c_str(), &status) != 0) return {};
  return {true, status.st_dev, status.st_ino, status.st_size, status.st_mtim};
}

void check_unchanged(const std::string& path, const FileState& before) {
  const FileState now = state_of(path);
  if (is_written_to(path) || !now.there ||
      (before.there && now.device == before.device && now.number == before.number &&
       now.bytes == before.bytes && now.written.tv_sec == before.written.tv_sec &&
       now.written.tv_nsec == before.written.tv_nsec))
    return;
  throw BadInput(fmt::format(
      "file '{}' cannot be written: another program has written it since this one began", path));
}

}  // namespace bellwether
