// SPDX-License-Identifier: MIT
#include "run/command/plot.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "models/errors.hpp"
#include "models/replace_file.hpp"

namespace bellwether {
namespace {

struct Finished {
  int status = 0;
  std::string output;
};

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

[[noreturn]] void fail(const char* what) {
  throw std::runtime_error(fmt::format("plot: {}: {}", what, std::strerror(errno)));
}

/// Its standard output and exit status (127: it could not be started). The input goes through an
/// unnamed file: a pipe could fill up while nobody reads the output.
Finished run(const std::vector<std::string>& words, const std::string& input, bool quiet) {
  const File in(std::tmpfile());
  if (!in) fail("no temporary file");
  if (std::fwrite(input.data(), 1, input.size(), in.get()) != input.size() ||
      std::fflush(in.get()) != 0)
    fail("temporary file");
  std::rewind(in.get());
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) fail("pipe");
  std::vector<char*> arguments;
  for (const std::string& one : words) arguments.push_back(const_cast<char*>(one.c_str()));
  arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child < 0) fail("fork");
  if (child == 0) {
    dup2(fileno(in.get()), STDIN_FILENO);
    dup2(ends[1], STDOUT_FILENO);
    if (quiet) dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  close(ends[1]);
  const File out(fdopen(ends[0], "rb"));
  Finished finished;
  char piece[65536];
  while (const std::size_t count = std::fread(piece, 1, sizeof piece, out.get()))
    finished.output.append(piece, count);
  while (waitpid(child, &finished.status, 0) < 0 && errno == EINTR) {
  }
  return finished;
}

std::string plotting_python() {
  // The system's first: matplotlib usually comes as its package, beside whatever else leads PATH.
  for (const char* python : {"/usr/bin/python3", "python3"})
    if (run({python, "-c", "import matplotlib.figure"}, "", true).status == 0) return python;
  throw BadEnvironment(
      "--plot: needs a python3 with matplotlib, found none; install Debian's package "
      "python3-matplotlib, or python3 -m pip install matplotlib");
}

std::string picture_format(const std::string& file) {
  const std::filesystem::path path(file);
  const std::string ending = path.extension().string();
  for (const char* format : {"svg", "pdf", "png"})
    if (ending == std::string(".") + format) return format;
  throw BadInput(
      fmt::format("--plot: found '{}', expected a file ending in .svg, .pdf or .png", file));
}

void check_writable(const std::string& file) {
  const std::filesystem::path path(file);
  std::error_code ignored;
  const std::string folder = path.has_parent_path() ? path.parent_path().string() : ".";
  if (!std::filesystem::is_directory(folder, ignored))
    throw BadInput(
        fmt::format("--plot: found '{}', expected a file in a folder that exists", file));
  if (std::filesystem::is_directory(path, ignored))
    throw BadInput(fmt::format("--plot: found '{}', a folder, expected a file", file));
  if (access(folder.c_str(), W_OK) != 0)
    throw BadInput(fmt::format("--plot: '{}' cannot be written: {}", file, std::strerror(errno)));
}

}  // namespace

Plot::Plot(std::string file, const char* script)
    : file_(std::move(file)), script_(script), format_(picture_format(file_)) {
  check_writable(file_);
  python_ = plotting_python();
}

void Plot::draw(const std::string& document) const {
  const std::span<const EmbeddedFile> files = plot_files();
  const auto script = std::find_if(files.begin(), files.end(), [this](const EmbeddedFile& file) {
    return std::string_view(file.name) == script_;
  });
  const Finished drawn = run({python_, "-c", script->text, format_}, document, false);
  if (drawn.status != 0)
    throw std::runtime_error(fmt::format("plot: {} ended with status {} (its message is above)",
                                         python_, WEXITSTATUS(drawn.status)));
  replace_file(file_, drawn.output);
}

}  // namespace bellwether
