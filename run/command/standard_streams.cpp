// SPDX-License-Identifier: MIT
#include "run/command/standard_streams.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>

#include "models/text_lines.hpp"

namespace bellwether {

/// Adds to a file of the C library, which thus stays the only buffer.
class CheckedStream final : public std::streambuf {
 public:
  explicit CheckedStream(std::FILE* file) : file_(file) {}
  [[nodiscard]] int error() const { return error_; }

 protected:
  std::streamsize xsputn(const char* text, std::streamsize count) override {
    const std::string all = printable({text, static_cast<std::size_t>(count)});
    return note(std::fwrite(all.data(), 1, all.size(), file_) == all.size()) ? count : 0;
  }
  int_type overflow(int_type letter) override {
    const char one = traits_type::to_char_type(letter);
    return xsputn(&one, 1) == 1 ? letter : traits_type::eof();
  }
  int sync() override { return note(std::fflush(file_) == 0) ? 0 : -1; }

 private:
  bool note(bool done) {
    if (!done && error_ == 0) error_ = errno;
    return done;
  }

  std::FILE* file_;
  int error_ = 0;
};

StandardStreams::StandardStreams() {
  // What is closed cannot be written as before: of a file that is open to be read.
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(number, F_GETFD) < 0)
      (void)open("/dev/null", number == STDERR_FILENO ? O_WRONLY : O_RDONLY);
  out_ = std::make_unique<CheckedStream>(stdout);
  error_ = std::make_unique<CheckedStream>(stderr);
  before_out_ = std::cout.rdbuf(out_.get());
  before_error_ = std::cerr.rdbuf(error_.get());
}

StandardStreams::~StandardStreams() {
  std::cout.rdbuf(before_out_);
  std::cerr.rdbuf(before_error_);
}

std::string StandardStreams::failure() {
  std::cout.flush();
  // Of what others print past std::cout the reason may be lost.
  const int other = std::fflush(stdout) != 0 ? errno : std::ferror(stdout) != 0 ? EIO : 0;
  const int reason = out_->error() != 0 ? out_->error() : other;
  return reason == 0 || reason == EPIPE ? "" : std::strerror(reason);
}

}  // namespace bellwether
