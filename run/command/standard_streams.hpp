// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <streambuf>
#include <string>

namespace bellwether {

class CheckedStream;

/// Standard output and error while it lives: what is printed to std::cout and std::cerr passes
/// printable(), whatever files and arguments it came from, and it is known what of it was lost.
/// Where they are closed, no file that is opened later takes their numbers.
class StandardStreams {
 public:
  StandardStreams();
  ~StandardStreams();
  StandardStreams(const StandardStreams&) = delete;
  StandardStreams& operator=(const StandardStreams&) = delete;

  /// Why standard output could not be written to its end; empty if it was, and for a reader that
  /// wants no more of it (head).
  [[nodiscard]] std::string failure();

 private:
  std::unique_ptr<CheckedStream> out_, error_;
  std::streambuf *before_out_, *before_error_;
};

}  // namespace bellwether
