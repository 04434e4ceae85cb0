// SPDX-License-Identifier: MIT
#include "models/text_lines.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "models/errors.hpp"

namespace bellwether {

std::string shown(std::string_view text) {
  constexpr std::size_t longest = 40;
  std::string result;
  for (const char c : text.substr(0, longest)) {
    const bool printable = c >= ' ' && c <= '~';
    result +=
        printable ? std::string(1, c) : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
  return text.size() > longest ? result + "…" : result;
}

std::string printable(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = [&](std::size_t next) {
      return at + next < text.size() ? static_cast<unsigned char>(text[at + next]) : 0U;
    };
    unsigned code = 0;
    std::size_t bytes = 1;
    if ((byte(0) < ' ' && byte(0) != '\n' && byte(0) != '\t') || byte(0) == 0x7f) {
      code = byte(0);
    } else if (byte(0) == 0xc2 && byte(1) >= 0x80 && byte(1) < 0xa0) {  // C1
      code = byte(1);
      bytes = 2;
    } else if (byte(0) == 0xe2 && ((byte(1) == 0x80 && byte(2) >= 0xaa && byte(2) <= 0xae) ||
                                   (byte(1) == 0x81 && byte(2) >= 0xa6 && byte(2) <= 0xa9))) {
      code = 0x2000 | (byte(1) & 0x3f) << 6 | (byte(2) & 0x3f);
      bytes = 3;
    } else {
      result += text[at++];
      continue;
    }
    result += fmt::format("\\u{:04x}", code);
    at += bytes;
  }
  return result;
}

void TextLine::refuse(const std::string& expected) const {
  throw BadInput(
      fmt::format("{}, line {}: found \"{}\", expected {}", file, number, shown(text), expected));
}

namespace {

constexpr std::size_t bytes_at_once = std::size_t{1} << 16;

[[noreturn]] void refuse_file(const std::string& path, const std::string& what) {
  throw BadInput(fmt::format("{}: {}", path, what));
}

void refuse_compressed(std::string_view beginning, const std::string& file) {
  constexpr std::pair<std::string_view, const char*> kinds[] = {
      {"\x1f\x8b", "gzip"}, {"\xfd\x37zXZ", "xz"}, {"BZh", "bzip2"}, {"\x28\xb5\x2f\xfd", "zstd"}};
  for (const auto& [begins, name] : kinds)
    if (beginning.starts_with(begins))
      refuse_file(file, fmt::format("is {}-compressed: unpack it first", name));
}

}  // namespace

std::size_t byte_order_mark(std::string_view beginning, const std::string& file) {
  constexpr std::string_view mark = "\xef\xbb\xbf";
  refuse_compressed(beginning, file);
  if (beginning.starts_with("\xff\xfe") || beginning.starts_with("\xfe\xff"))
    refuse_file(file, "is UTF-16, expected UTF-8 or ASCII");
  if (beginning.substr(0, bytes_at_once).find('\0') != beginning.npos)
    refuse_file(file, "found bytes that are 0, expected text (a binary file?)");
  return beginning.starts_with(mark) ? mark.size() : 0;
}

void require_plain_file(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return;
  const char* const found = S_ISDIR(status.st_mode)    ? "a directory"
                            : S_ISFIFO(status.st_mode) ? "a pipe"
                            : S_ISREG(status.st_mode)  ? nullptr
                                                       : "a device or socket";
  if (found != nullptr)
    refuse_file(path, fmt::format("is {}, expected a plain file, to be read by parts", found));
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return;
  char beginning[8];
  const ssize_t count = ::read(descriptor, beginning, sizeof beginning);
  close(descriptor);
  if (count > 0) refuse_compressed({beginning, static_cast<std::size_t>(count)}, path);
}

InputFile::InputFile(const std::string& path)
    : path_(path), descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (descriptor_ < 0) refuse_file(path, fmt::format("cannot be read: {}", std::strerror(errno)));
}

InputFile::~InputFile() { close(descriptor_); }

bool InputFile::append_to(std::string& text) const {
  const std::size_t size = text.size();
  text.resize(size + bytes_at_once);
  for (;;) {
    const ssize_t count = read(descriptor_, text.data() + size, bytes_at_once);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EISDIR) refuse_file(path_, "is a directory, expected a file");
    if (count < 0) refuse_file(path_, fmt::format("cannot be read: {}", std::strerror(errno)));
    text.resize(size + static_cast<std::size_t>(count));
    return count > 0;
  }
}

std::string InputFile::beginning() const {
  constexpr std::size_t longest_mark = 8;
  std::string text;
  while (text.size() < longest_mark && append_to(text)) {
  }
  return text.erase(0, byte_order_mark(text, path_));
}

bool LinesOfFile::next() {
  if (std::exchange(again_, false)) return true;
  std::size_t end = buffer_.find('\n', next_);
  if (end == buffer_.npos) {
    buffer_.erase(0, std::exchange(next_, 0));
    for (std::size_t seen = buffer_.size(); end == buffer_.npos && file_.append_to(buffer_);
         seen = buffer_.size()) {
      end = buffer_.find('\n', seen);
      if (std::min(end, buffer_.size()) > longest_)
        refuse_file(file_.path(), fmt::format("line {} is longer than {} MiB, expected short lines",
                                              number_ + 1, longest_ >> 20));
    }
    if (buffer_.empty()) return false;
  }
  has_end_ = end != buffer_.npos;
  if (!has_end_) end = buffer_.size();
  line_ = std::string_view(buffer_).substr(next_, end - next_);
  next_ = std::min(end + 1, buffer_.size());
  ++number_;
  return true;
}

std::string read_text(const std::string& path, std::size_t most_bytes) {
  const InputFile file(path);
  std::string text = file.beginning();
  while (text.size() <= most_bytes && file.append_to(text)) {
  }
  if (text.size() > most_bytes)
    refuse_file(path, fmt::format("is longer than {} MiB", most_bytes >> 20));
  return text;
}

}  // namespace bellwether
