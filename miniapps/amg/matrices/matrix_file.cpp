// SPDX-License-Identifier: MIT
#include "miniapps/amg/matrices/matrix_file.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "miniapps/comm/device_checks.hpp"
#include "miniapps/mesh/parcels.hpp"
#include "models/amg/matrix_text.hpp"
#include "models/text_lines.hpp"

namespace bellwether {
namespace {

constexpr std::int64_t bytes_at_once = 2 << 20;

/// In which of several parts an element is, by the numbers of elements before each, and in all;
/// beyond the end: the last.
std::size_t part_of(const std::vector<std::int64_t>& before, std::int64_t element) {
  const auto next = std::upper_bound(before.begin() + 1, before.end() - 1, element);
  return static_cast<std::size_t>(next - before.begin()) - 1;
}

std::string ij_path(const std::string& name, std::size_t file) {
  return fmt::format("{}.{:05}", name, file);
}

/// One file of entries, or several one after the other, and the rows that they stand for.
struct MatrixFiles {
  std::string name;
  std::string host;                        ///< this rank's
  std::optional<MatrixMarketHead> market;  ///< absent: IJ files
  std::vector<std::int64_t> bytes{0};      ///< before each file, and of all
  std::vector<std::int64_t> rows{0};       ///< likewise

  [[nodiscard]] std::size_t count() const { return bytes.size() - 1; }
  [[nodiscard]] std::string path(std::size_t file) const {
    return market ? name : ij_path(name, file);
  }
  /// As many of a file's bytes from `from` on as there are. Throws BadInput where it cannot be
  /// read.
  [[nodiscard]] std::string read(const std::string& file, std::int64_t from,
                                 std::int64_t length) const {
    std::ifstream stream(file, std::ios::binary);
    std::string text(static_cast<std::size_t>(length), '\0');
    stream.seekg(from);
    stream.read(text.data(), length);
    if (!stream.is_open() || stream.bad())
      throw BadInput(fmt::format("--matrix: found '{}', which cannot be read (on {})", file, host));
    text.resize(static_cast<std::size_t>(std::max<std::streamsize>(stream.gcount(), 0)));
    return text;
  }
  [[nodiscard]] std::size_t file_at(std::int64_t place) const { return part_of(bytes, place); }
  [[nodiscard]] std::size_t file_of_row(std::int64_t row) const { return part_of(rows, row); }
  /// The number from 1 of the line at the place.
  [[nodiscard]] std::int64_t line_at(std::int64_t place) const {
    const std::size_t file = file_at(place);
    std::int64_t lines = 1;
    for (std::int64_t at = bytes[file]; at < place; at += bytes_at_once) {
      const std::string text =
          read(path(file), at - bytes[file], std::min(bytes_at_once, place - at));
      lines += std::count(text.begin(), text.end(), '\n');
    }
    return lines;
  }
  [[nodiscard]] EntryRules rules(std::size_t file) const {
    EntryRules rules;
    rules.base = base();
    rules.first_row = rows[file];
    rules.end_row = rows[file + 1];
    rules.columns = rows.back();
    rules.whole_values = market && market->whole_values;
    rules.lower_triangle = market && market->symmetric;
    return rules;
  }
  [[nodiscard]] std::int64_t base() const { return market ? 1 : 0; }
};

bool is_file(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error);
}

std::int64_t bytes_of(const std::string& path) {
  std::error_code error;
  const auto bytes = std::filesystem::file_size(path, error);
  return error ? 0 : static_cast<std::int64_t>(bytes);
}

/// Looks at how the files begin.
MatrixFiles find_files(MatrixFiles files, std::int64_t most_rows) {
  const std::string& name = files.name;
  if (is_file(name)) {
    const std::int64_t bytes = bytes_of(name);
    const std::string beginning = files.read(name, 0, std::min(bytes, longest_matrix_head));
    const std::size_t mark = byte_order_mark(beginning, name);
    const auto marked = static_cast<std::int64_t>(mark);
    files.market = parse_matrix_market_head(std::string_view(beginning).substr(mark),
                                            bytes - marked, most_rows, name);
    files.market->bytes += marked;
    files.bytes.push_back(bytes);
    files.rows.push_back(files.market->rows);
    return files;
  }
  for (std::string path = files.path(0); is_file(path); path = files.path(files.count())) {
    const std::int64_t bytes = bytes_of(path);
    const std::string beginning =
        files.read(path, 0, std::min(bytes, static_cast<std::int64_t>(longest_entry_line)));
    const IjHead head =
        parse_ij_head(std::string_view(beginning).substr(byte_order_mark(beginning, path)), bytes,
                      files.rows.back(), most_rows, path);
    files.bytes.push_back(files.bytes.back() + bytes);
    files.rows.push_back(head.end);
  }
  if (files.count() == 0 && !std::filesystem::is_directory(name)) require_plain_file(name);
  if (files.count() == 0)
    throw BadInput(fmt::format(
        "--matrix: found no file '{}' and no '{}.00000', expected a Matrix Market file, or hypre's "
        "IJ files by the name that stands before .00000",
        name, name));
  if (files.rows.back() == 0)
    throw BadInput(
        fmt::format("{}, line 1: found no rows, nor in the files behind", files.path(0)));
  return files;
}

void send_numbers(MPI_Comm comm, std::vector<std::int64_t>& numbers) {
  auto count = static_cast<int>(numbers.size());
  MPI_Bcast(&count, 1, MPI_INT, 0, comm);
  numbers.resize(count);
  MPI_Bcast(numbers.data(), count, MPI_INT64_T, 0, comm);
}

/// Collective: as rank 0 finds them.
MatrixFiles agreed_files(const Session& session, const std::string& name, std::int64_t most_rows) {
  MatrixFiles files;
  files.name = name;
  files.host = session.host();
  agree_on_errors(session.world(), [&] {
    if (session.rank() == 0) files = find_files(std::move(files), most_rows);
  });
  send_numbers(session.world(), files.bytes);
  send_numbers(session.world(), files.rows);
  std::vector<std::int64_t> head;
  if (files.market)
    head = {files.market->symmetric, files.market->whole_values, files.market->rows,
            files.market->entries,   files.market->lines,        files.market->bytes};
  send_numbers(session.world(), head);
  if (!head.empty())
    files.market = {head[0] != 0, head[1] != 0, head[2], head[3], head[4], head[5]};
  return files;
}

/// The entries of the lines that begin in a part of the files' bytes.
class EntryReader {
 public:
  EntryReader(const MatrixFiles& files, std::int64_t from, std::int64_t end)
      : files_(files), at_(files.market ? std::max(from, files.market->bytes) : from), end_(end) {}

  [[nodiscard]] bool at_end() const { return at_ >= end_; }
  /// Lines of entries so far.
  [[nodiscard]] std::int64_t lines() const { return lines_; }

  /// Appends those of the next lines, some MiB of them at most. Throws BadInput for a line that is
  /// not as it should be.
  void read(std::vector<MatrixEntry>& found) {
    if (!std::exchange(at_line_, true)) go_to_line();
    if (at_end()) return;
    const std::size_t file = files_.file_at(at_);
    const std::int64_t begin = files_.bytes[file], end = files_.bytes[file + 1];
    const EntryRules rules = files_.rules(file);
    const std::string text =
        files_.read(files_.path(file), at_ - begin, std::min(bytes_at_once, end - at_));
    const bool to_end = at_ + std::ssize(text) >= end;
    if (text.empty())
      throw BadInput(fmt::format("{}: became shorter while it was read", files_.path(file)));
    std::string_view rest = text;
    while (!rest.empty() && at_ < end_) {
      const std::size_t length = std::min(rest.find('\n'), rest.size());
      const bool is_whole = length < rest.size();
      const std::string_view line = rest.substr(0, length);
      if (length > longest_entry_line) refuse(line, "a line of an entry");
      if (!is_whole && !to_end) return;  // it is read again with what follows
      if (!is_whole && !is_blank(line)) refuse(line, "a line with its end (a file cut off?)");
      if (at_ > begin || files_.market) take(line, rules, found);
      rest.remove_prefix(length + (is_whole ? 1 : 0));
      at_ += static_cast<std::int64_t>(length) + 1;
    }
  }

 private:
  /// From a place amid a line to the next one's beginning; the byte before a beginning ends a line.
  void go_to_line() {
    if (at_end()) return;
    const std::size_t file = files_.file_at(at_);
    const std::int64_t begin = files_.bytes[file], end = files_.bytes[file + 1];
    if (at_ == begin) return;
    constexpr auto longest = static_cast<std::int64_t>(longest_entry_line) + 1;
    const std::string text = files_.read(files_.path(file), at_ - 1 - begin, longest);
    if (const std::size_t before = text.find('\n'); before != text.npos)
      at_ += static_cast<std::int64_t>(before);
    else if (at_ - 1 + longest < end)
      refuse(text, "a line of an entry");
    else
      at_ = end;
  }

  void take(std::string_view line, const EntryRules& rules, std::vector<MatrixEntry>& found) {
    if (is_blank(line)) return;
    MatrixEntry entry;
    if (const std::string expected = parse_entry(line, rules, entry); !expected.empty())
      refuse(line, expected);
    entry.place = at_;
    ++lines_;
    found.push_back(entry);
    if (!rules.lower_triangle || entry.row == entry.column) return;
    std::swap(entry.row, entry.column);
    found.push_back(entry);
  }

  [[noreturn]] void refuse(std::string_view line, const std::string& expected) const {
    const std::string path = files_.path(files_.file_at(at_));
    TextLine{line, files_.line_at(at_), path}.refuse(expected);
  }

  const MatrixFiles& files_;
  std::int64_t at_, end_;
  bool at_line_ = false;
  std::int64_t lines_ = 0;
};

/// The first row of each rank, and the number of rows.
std::vector<std::int64_t> divided_rows(const MatrixFiles& files, int ranks) {
  if (!files.market && files.count() == static_cast<std::size_t>(ranks)) return files.rows;
  const Blocks even(files.rows.back(), ranks);
  std::vector<std::int64_t> starts;
  for (int rank = 0; rank <= ranks; ++rank) starts.push_back(even.first(rank));
  return starts;
}

void require_memory(const Session& session, const MatrixFiles& files) {
  constexpr double ij_line = 25;  // bytes of the shortest that hypre writes
  const double entries =
      files.market ? static_cast<double>(files.market->entries) * (files.market->symmetric ? 2 : 1)
                   : static_cast<double>(files.bytes.back()) / ij_line;
  require_host_memory(session, matrix_bytes(entries), "the matrix of " + files.name, "more nodes");
}

/// As many lines as the sizes say. Collective.
void require_all_lines(MPI_Comm comm, const MatrixFiles& files, std::int64_t lines) {
  MPI_Allreduce(MPI_IN_PLACE, &lines, 1, MPI_INT64_T, MPI_SUM, comm);
  agree_on_errors(comm, [&] {
    if (!files.market || lines == files.market->entries || rank_in(comm) != 0) return;
    throw BadInput(fmt::format(
        "{}, line {}: found the end after {} entries, expected {}, as line "
        "{} says{}",
        files.name, files.line_at(files.bytes.back()), lines, files.market->entries,
        files.market->lines, lines < files.market->entries ? " (a file cut off?)" : ""));
  });
}

class RowsOfFile final : public AmgRows {
 public:
  RowsOfFile(MatrixRows own, long long rows) : own_(std::move(own)), rows_(rows) {}

  [[nodiscard]] long long rows() const override { return rows_; }
  [[nodiscard]] long long begin() const override { return own_.first(); }
  [[nodiscard]] long long end() const override { return own_.end(); }
  void stretch(long long first, long long end, AmgStretch& all) const override {
    all = {};
    for (long long i = first; i < end; ++i) {
      const MatrixRows::Row row = own_.row(i);
      all.counts.push_back(static_cast<int>(row.count));
      all.columns.insert(all.columns.end(), row.columns, row.columns + row.count);
      all.values.insert(all.values.end(), row.values, row.values + row.count);
    }
  }

 private:
  MatrixRows own_;
  long long rows_;
};

}  // namespace

std::vector<std::string> files_of_matrix(const std::string& name) {
  if (is_file(name)) return {name};
  std::vector<std::string> files;
  for (std::string path = ij_path(name, 0); is_file(path); path = ij_path(name, files.size()))
    files.push_back(path);
  return files;
}

std::unique_ptr<AmgRows> read_matrix(const Session& session, const std::string& name,
                                     long long most_rows, Heartbeat* heartbeat) {
  const MPI_Comm comm = session.world();
  const MatrixFiles files = agreed_files(session, name, most_rows);
  require_memory(session, files);
  const std::vector<std::int64_t> starts = divided_rows(files, session.size());
  const Blocks parts(files.bytes.back(), session.size());
  EntryReader reader(files, parts.first(session.rank()), parts.end(session.rank()));
  std::vector<std::vector<MatrixEntry>> own;
  for (int more = 1; more != 0;) {
    if (heartbeat != nullptr) heartbeat->enter("read matrix");
    std::vector<MatrixEntry> found;
    agree_on_errors(comm, [&] { reader.read(found); });
    Outbox<MatrixEntry> outbox(comm);
    for (const MatrixEntry& entry : found)
      outbox.add(static_cast<int>(part_of(starts, entry.row)), entry);
    own.push_back(outbox.deliver().items);
    more = reader.at_end() ? 0 : 1;
    MPI_Allreduce(MPI_IN_PLACE, &more, 1, MPI_INT, MPI_MAX, comm);
  }
  require_all_lines(comm, files, reader.lines());

  std::optional<MatrixRows> rows;
  agree_on_errors(comm, [&] {
    rows.emplace(
        starts[session.rank()], starts[session.rank() + 1], std::move(own), files.base(),
        [&](std::int64_t row) { return files.path(files.file_of_row(row)); },
        [&](std::int64_t place) {
          return fmt::format("{}, line {}", files.path(files.file_at(place)), files.line_at(place));
        });
  });
  return std::make_unique<RowsOfFile>(std::move(*rows), files.rows.back());
}

}  // namespace bellwether
