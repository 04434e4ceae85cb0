// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <cstdio>
#include <ctime>
#include <memory>
#include <string>

namespace bellwether {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
/// A file of the C library, closed with its owner.
using OpenFile = std::unique_ptr<std::FILE, CloseFile>;

/// Gives a file new content in one step: written beside it, flushed to the disk, renamed over it.
/// Whoever reads it, and whenever the process is killed, finds the old content or the new. A
/// device, a pipe or /dev/stdout is written to in its place. Throws BadInput with path and reason,
/// and then leaves nothing behind.
void replace_file(const std::string& path, const std::string& content);

/// Opens a new file in the folder of `path`, to take its place: its `name` cannot be foreseen, and
/// no link that lies there is followed. -1 with errno if that fails.
int open_beside(const std::string& path, std::string& name);

/// Whether there is something that a file cannot take the place of.
bool is_written_to(const std::string& path);

/// What stands under a name, told apart from whatever replaces it.
struct FileState {
  bool there = false;
  dev_t device{};
  ino_t number{};
  off_t bytes{};
  timespec written{};
};
FileState state_of(const std::string& path);
/// Throws BadInput if another program has replaced the file since: of two that write it at once the
/// first one's is kept.
void check_unchanged(const std::string& path, const FileState& before);

}  // namespace bellwether
