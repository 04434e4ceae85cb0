// SPDX-License-Identifier: MIT
#include "run/command/accept/accept_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>

#include "models/errors.hpp"
#include "models/replace_file.hpp"
#include "models/text_lines.hpp"
#include "results/record_lines.hpp"

namespace bellwether {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

}  // namespace

void require_new_folder(const std::string& path, const char* or_else) {
  if (fs::exists(path) && (!fs::is_directory(path) || !fs::is_empty(path)))
    throw BadInput(fmt::format("-o: '{}' is there and not an empty folder, expected a new one{}",
                               path, or_else));
}

void make_folder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) throw BadInput(fmt::format("-o: '{}' cannot be made: {}", path, error.message()));
}

void drop_torn_line(const std::string& file) {
  if (!fs::exists(file)) return;
  const std::string text = read_text(file);
  if (const std::size_t end = text.rfind('\n') + 1; end < text.size())
    replace_file(file, text.substr(0, end));
}

void AcceptFolder::check(const Manifest& now, bool resume) const {
  if (!resume) return require_new_folder(path);
  const Manifest before = read_manifest(manifest());
  const json begun = to_json(before), wanted = to_json(now);
  const auto differs = [&](const char* key, const std::string& found, const std::string& expected) {
    if (begun.at(key) != wanted.at(key))
      throw BadInput(fmt::format("--resume: '{}' was begun with another {}: found {}, expected {}",
                                 path, key, found, expected));
  };
  differs("suite", before.suite.name, now.suite.name + " as it is now");
  differs("layout", begun.at("layout").dump(), wanted.at("layout").dump());
}

std::vector<Record> AcceptFolder::records() const {
  std::vector<Record> all;
  if (fs::exists(results()))
    for_each_record(results(),
                    [&](Record record, std::int64_t) { all.push_back(std::move(record)); });
  return all;
}

double AcceptFolder::burn_in_s() const {
  double taken_s = 0;
  for (const Record& record : records())
    if (const json s = value_or_null(record.provenance, "burn_in_s"); s.is_number()) taken_s = s;
  return taken_s;
}

TakenFolder::TakenFolder(AcceptFolder folder, const Manifest& now, bool resume)
    : folder_(std::move(folder)), is_new_(!fs::exists(folder_.path)), goes_on_(resume) {
  folder_.check(now, resume);
  make_folder(folder_.path);
  // File systems without such locks go unguarded.
  lock_ = open(folder_.path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  // The ranks of a launcher that was killed take seconds to end.
  int tries = resume ? 100 : 1;
  while (flock(lock_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    if (--tries == 0)
      throw BadInput(fmt::format("-o: another acceptance is at work in '{}'", folder_.path));
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  folder_.check(now, resume);  // what another has done since
  has_begun_ = resume;
  if (!resume) replace_file(folder_.manifest(), to_json(now).dump(1) + "\n");
}

TakenFolder::~TakenFolder() {
  std::error_code ignored;
  if (!has_begun_) fs::remove(folder_.manifest(), ignored);
  if (!has_begun_ && is_new_) fs::remove(folder_.path, ignored);
  if (lock_ >= 0) close(lock_);
}

void TakenFolder::begin(const Manifest& now) {
  has_begun_ = true;
  if (!goes_on_) replace_file(folder_.manifest(), to_json(now).dump(1) + "\n");
  for (const std::string& file : {folder_.results(), folder_.siblings()}) drop_torn_line(file);
}

}  // namespace bellwether
