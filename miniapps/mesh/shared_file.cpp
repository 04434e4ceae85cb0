// SPDX-License-Identifier: MIT
#include "miniapps/mesh/shared_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "miniapps/comm/session.hpp"
#include "miniapps/mesh/block_mesh.hpp"
#include "miniapps/mesh/parcels.hpp"
#include "models/errors.hpp"
#include "models/text_lines.hpp"

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

namespace {

/// A file open for reading; nothing of it is kept.
class File {
 public:
  explicit File(const std::string& path)
      : path_(path), descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~File() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  /// Throws BadInput for what is no regular file.
  [[nodiscard]] std::int64_t size() const {
    struct stat status {};
    if (descriptor_ < 0 || fstat(descriptor_, &status) != 0) fail(std::strerror(errno));
    if (!S_ISREG(status.st_mode)) fail("it is no regular file");
    return status.st_size;
  }
  /// As many of the bytes from `from` on as there are.
  [[nodiscard]] std::string read(std::int64_t from, std::int64_t bytes) const {
    std::string text(bytes, '\0');
    std::size_t done = 0;
    while (done < text.size()) {
      const ssize_t count = pread(descriptor_, text.data() + done, text.size() - done,
                                  from + static_cast<std::int64_t>(done));
      if (count < 0 && errno != EINTR) fail(std::strerror(errno));
      if (count == 0) break;
      if (count > 0) done += static_cast<std::size_t>(count);
    }
    text.resize(done);
    return text;
  }

 private:
  [[noreturn]] void fail(const std::string& reason) const {
    throw BadInput(fmt::format("{}: cannot be read: {}", path_, reason));
  }

  const std::string& path_;
  int descriptor_;
};

constexpr std::int64_t longest_line = 4096;

void check_line_lengths(const LinesShare& share, const std::string& path) {
  std::int64_t number = share.before;
  for_each_line(share.text, [&](std::string_view line) {
    ++number;
    if (line.size() > static_cast<std::size_t>(longest_line))
      throw BadInput(fmt::format(
          "{}, line {}: found more than {} bytes, expected OP2's ASCII format (a binary file?)",
          path, number, longest_line));
  });
}

/// The whole lines that begin in a part of the file. Whether its first byte begins one, the byte
/// before tells; its last line may end in later parts.
std::string lines_of_part(const File& file, std::int64_t first, std::int64_t end) {
  if (first == end) return {};
  const std::int64_t before = first > 0 ? 1 : 0;
  std::string text = file.read(first - before, end - first + before);
  if (before > 0) text.erase(0, std::min(text.find('\n'), text.size() - 1) + 1);
  if (!text.empty() && text.back() != '\n') {
    const std::string more = file.read(end, longest_line + 1);
    text += more.substr(0, std::min(more.find('\n'), more.size() - 1) + 1);
  }
  return text;
}

}  // namespace

LinesShare read_lines_share(MPI_Comm comm, const std::string& path,
                            const std::function<void(double bytes)>& check_memory) {
  std::int64_t bytes = 0;
  agree_on_errors(comm, [&] { bytes = File(path).size(); });
  check_memory(static_cast<double>(bytes));
  LinesShare share;
  agree_on_errors(comm, [&] {
    const File file(path);
    const Blocks parts(bytes, ranks_in(comm));
    share.text = lines_of_part(file, parts.first(rank_in(comm)), parts.end(rank_in(comm)));
  });
  const LineCount own = count_lines(share.text);
  MPI_Exscan(&own.lines, &share.before, 1, MPI_INT64_T, MPI_SUM, comm);
  if (rank_in(comm) == 0) share.before = 0;
  agree_on_errors(comm, [&] { check_line_lengths(share, path); });
  const std::int64_t last = own.last_filled > 0 ? share.before + own.last_filled : 0;
  MPI_Allreduce(&last, &share.last_filled, 1, MPI_INT64_T, MPI_MAX, comm);
  return share;
}

void write_sections(MPI_Comm comm, const std::string& path,
                    const std::vector<std::string>& sections) {
  const std::string beside = name_beside(comm, path);
  std::string failure;
  if (rank_in(comm) == 0) failure = make_file(beside);
  MPI_Barrier(comm);  // the file is there, or not, before any other opens it
  std::vector<std::int64_t> own, before(sections.size()), all(sections.size());
  for (const std::string& section : sections)
    own.push_back(static_cast<std::int64_t>(section.size()));
  const int count = static_cast<int>(sections.size());
  MPI_Exscan(own.data(), before.data(), count, MPI_INT64_T, MPI_SUM, comm);
  MPI_Allreduce(own.data(), all.data(), count, MPI_INT64_T, MPI_SUM, comm);
  if (rank_in(comm) == 0) before.assign(sections.size(), 0);
  if (failure.empty()) {
    SharedOutput file(beside);
    std::int64_t start = 0;
    for (std::size_t s = 0; s < sections.size(); ++s) {
      file.write(start + before[s], sections[s].data(), sections[s].size());
      start += all[s];
    }
    failure = file.finish();
  }
  replace_together(comm, beside, path, failure);
}

}  // namespace bellwether
