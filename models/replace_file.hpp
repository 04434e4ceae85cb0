// SPDX-License-Identifier: MIT
#pragma once

#include <cstdio>
#include <memory>
#include <string>

namespace bellwether {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
/// A file of the C library, closed with its owner.
using OpenFile = std::unique_ptr<std::FILE, CloseFile>;

/// Gives a file new content in one step: written beside it, flushed to the disk, renamed over it.
/// Whoever reads it, and whenever the process is killed, finds the old content or the new. Throws
/// BadInput with path and reason, and then leaves nothing behind.
void replace_file(const std::string& path, const std::string& content);

}  // namespace bellwether
