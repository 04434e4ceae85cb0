// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "models/errors.hpp"
#include "results/record.hpp"

namespace bellwether {
namespace {

[[noreturn]] void refuse(const std::string& path, int error) {
  throw BadInput(fmt::format("results file '{}' cannot be written: {}", path,
                             std::generic_category().message(error)));
}

class Descriptor {
 public:
  Descriptor(const std::string& path, int flags) : number_(open(path.c_str(), flags, 0666)) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

/// Holds the advisory lock that keeps other records out between the look at the file's end and the
/// write. File systems without such locks go unguarded: the write itself is still one append.
class Lock {
 public:
  explicit Lock(int file) : file_(file) {
    while (flock(file_, LOCK_EX) != 0 && errno == EINTR) {
    }
  }
  ~Lock() { flock(file_, LOCK_UN); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  int file_;
};

/// Bytes of a regular file; absent for pipes and terminals, which have no end to look at.
std::optional<off_t> size_of(int file) {
  struct stat status = {};
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) return {};
  return status.st_size;
}

/// A writer was killed within its line.
bool ends_within_a_line(int file, off_t size) {
  char last = '\n';
  return size > 0 && pread(file, &last, 1, size - 1) == 1 && last != '\n';
}

/// One write for the whole line; what a short write leaves is written after it. If that fails the
/// part is taken away again. Returns 0 or the error.
int write_line(int file, const std::string& line, std::optional<off_t> size) {
  std::size_t written = 0;
  while (written < line.size()) {
    const ssize_t count = write(file, line.data() + written, line.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      const int error = count < 0 ? errno : ENOSPC;
      // Only where nobody without the lock has appended behind the part.
      const bool ours_is_last = size && size_of(file) == *size + static_cast<off_t>(written);
      if (written > 0 && ours_is_last && ftruncate(file, *size) != 0) return errno;
      return error;
    }
    written += static_cast<std::size_t>(count);
  }
  return 0;
}

/// EINVAL, ENOTSUP: a pipe or terminal, which has no disk behind it.
int flush(int file) {
  while (fsync(file) != 0) {
    if (errno == EINTR) continue;
    return errno == EINVAL || errno == ENOTSUP ? 0 : errno;
  }
  return 0;
}

}  // namespace

void append_record(const std::string& path, const Record& record) {
  append_line(path, to_json(record));
}

void append_line(const std::string& path, const nlohmann::json& object) {
  // Host names, paths and arguments need not be UTF-8: what is not is replaced, never thrown over.
  std::string line = object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  line += '\n';
  const Descriptor file(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC);
  if (file.number() < 0) refuse(path, errno);
  int error = 0;
  {
    const Lock lock(file.number());
    const std::optional<off_t> size = size_of(file.number());
    if (size && ends_within_a_line(file.number(), *size)) line.insert(0, 1, '\n');
    error = write_line(file.number(), line, size);
  }
  if (error == 0) error = flush(file.number());
  if (error != 0) refuse(path, error);
}

void check_appendable(const std::string& path) {
  const std::filesystem::path file(path);
  if (file.filename().empty()) refuse(path, path.empty() ? ENOENT : EISDIR);
  {
    // Without waiting for the reader of a named pipe.
    const Descriptor present(path, O_RDWR | O_APPEND | O_NONBLOCK | O_CLOEXEC);
    if (present.number() >= 0) return;
    if (errno != ENOENT) refuse(path, errno);
  }
  // Making and removing the file itself could take it from under another run that appends to it.
  const auto folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
  std::string probe = (folder / ".bellwether-XXXXXX").string();
  const int number = mkostemp(probe.data(), O_CLOEXEC);
  if (number < 0) refuse(path, errno);
  close(number);
  unlink(probe.c_str());
}

nlohmann::json value_or_null(const nlohmann::json& object, const std::string& key) {
  return object.is_object() && object.contains(key) ? object.at(key) : nlohmann::json();
}

nlohmann::json as_asked(const Record& record, nlohmann::json Record::*part) {
  nlohmann::json asked = record.*part;
  const nlohmann::json request = value_or_null(record.provenance, "request");
  for (const nlohmann::json& options : {value_or_null(request, "problem"), request}) {
    if (!asked.is_object() || !options.is_object()) continue;
    for (const auto& option : options.items()) {
      const bool is_size =
          option.key() == "size" || option.key() == "rows" || option.key() == "cells";
      if (option.value() == "auto" && !is_size && asked.contains(option.key()))
        asked[option.key()] = "auto";
    }
  }
  return asked;
}

double measured_imbalance(const std::vector<RankResult>& ranks) {
  double most = 0, all = 0;
  for (const RankResult& rank : ranks) {
    double seconds = 0;
    for (const auto& [name, of_term] : rank.terms)
      if (name.starts_with("compute")) seconds += of_term;
    most = std::max(most, seconds);
    all += seconds;
  }
  return ranks.empty() ? 0 : most - all / static_cast<double>(ranks.size());
}

bool is_whole(const Record& record) {
  const Summary& total = record.measured.total_s;
  return !record.app.empty() && record.ranks > 0 && total.count > 0 && std::isfinite(total.median);
}

Verification judged(std::string what, double value, double tolerance) {
  return {value <= tolerance, std::move(what), value, tolerance};
}

Verification worst_of(const std::vector<Verification>& all) {
  const auto nearer = [](const Verification& a, const Verification& b) {
    if (a.passed != b.passed) return b.passed;
    return a.value * b.tolerance > b.value * a.tolerance;
  };
  Verification worst = all.front();
  for (const Verification& one : all)
    if (nearer(one, worst)) worst = one;
  return worst;
}

}  // namespace bellwether
