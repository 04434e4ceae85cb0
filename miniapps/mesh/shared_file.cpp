// SPDX-License-Identifier: MIT
#include "miniapps/mesh/shared_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "miniapps/comm/session/session.hpp"
#include "miniapps/comm/shared_output.hpp"
#include "miniapps/mesh/block_mesh.hpp"
#include "miniapps/mesh/parcels.hpp"
#include "models/errors.hpp"
#include "models/text_lines.hpp"

namespace bellwether {
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
    if (rank_in(comm) == 0) share.text.erase(0, byte_order_mark(share.text, path));
  });
  const LineCount own = count_lines(share.text);
  MPI_Exscan(&own.lines, &share.before, 1, MPI_INT64_T, MPI_SUM, comm);
  if (rank_in(comm) == 0) share.before = 0;
  agree_on_errors(comm, [&] {
    check_line_lengths(share, path);
    const bool is_cut = own.last_filled == own.lines && own.lines > 0 && share.text.back() != '\n';
    if (is_cut)
      throw BadInput(
          fmt::format("{}, line {}: found the file's end, expected the line's (a file cut off?)",
                      path, share.before + own.lines));
  });
  const std::int64_t last = own.last_filled > 0 ? share.before + own.last_filled : 0;
  MPI_Allreduce(&last, &share.last_filled, 1, MPI_INT64_T, MPI_MAX, comm);
  return share;
}

void write_sections(MPI_Comm comm, const std::string& path,
                    const std::vector<std::string>& sections) {
  std::vector<std::int64_t> own, before(sections.size()), all(sections.size());
  for (const std::string& section : sections)
    own.push_back(static_cast<std::int64_t>(section.size()));
  const int count = static_cast<int>(sections.size());
  MPI_Exscan(own.data(), before.data(), count, MPI_INT64_T, MPI_SUM, comm);
  MPI_Allreduce(own.data(), all.data(), count, MPI_INT64_T, MPI_SUM, comm);
  if (rank_in(comm) == 0) before.assign(sections.size(), 0);
  SharedOutput file(comm, path);
  std::int64_t start = 0;
  for (std::size_t s = 0; s < sections.size(); ++s) {
    file.write(start + before[s], sections[s].data(), sections[s].size());
    start += all[s];
  }
  file.finish();
}

}  // namespace bellwether
