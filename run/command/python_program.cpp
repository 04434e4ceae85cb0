// SPDX-License-Identifier: MIT
#include "run/command/python_program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>

#include "models/errors.hpp"
#include "models/replace_file.hpp"
#include "models/text_lines.hpp"

namespace bellwether {
namespace {

struct Finished {
  int status = 0;
  std::string output;
};

[[noreturn]] void fail(const char* what) {
  throw BadEnvironment(fmt::format("python: {}: {}", what, std::strerror(errno)));
}

/// -I alone would leave out modules where their users put them: PYTHONPATH's whole paths, their
/// home.
constexpr const char* module_places = R"(import os, site, sys
sys.path[:0] = filter(os.path.isabs, os.environ.get("PYTHONPATH", "").split(os.pathsep))
sys.path.append(site.getusersitepackages())
)";

/// Its standard output and exit status (127: it could not be started). It is started in the root
/// folder, for whoever writes to the working directory may leave modules and settings there.
Finished run(const std::vector<std::string>& words, const std::string& input, bool quiet) {
  const OpenFile in(fdopen(memfd_create("document", MFD_CLOEXEC), "w+b"));
  if (in == nullptr || std::fwrite(input.data(), 1, input.size(), in.get()) != input.size() ||
      std::fflush(in.get()) != 0)
    fail("memory");
  std::rewind(in.get());
  int out[2];
  if (pipe2(out, O_CLOEXEC) != 0) fail("pipe");
  std::vector<char*> arguments;
  for (const std::string& one : words) arguments.push_back(const_cast<char*>(one.c_str()));
  arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child < 0) fail("fork");
  if (child == 0) {
    dup2(fileno(in.get()), STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    if (chdir("/") != 0) _exit(127);
    if (quiet) dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  close(out[1]);
  const OpenFile output(fdopen(out[0], "rb"));
  Finished finished;
  char piece[65536];
  while (const std::size_t count = std::fread(piece, 1, sizeof piece, output.get()))
    finished.output.append(piece, count);
  while (waitpid(child, &finished.status, 0) < 0 && errno == EINTR) {
  }
  return finished;
}

/// Puts the modules where `import` looks first, so that nothing is unpacked into a file system.
std::string as_one_program(std::span<const EmbeddedFile> files) {
  nlohmann::json texts = nlohmann::json::array();  // a JSON text is a Python literal too
  for (const EmbeddedFile& file : files) texts.push_back({file.name, file.text});
  return fmt::format(R"({}import types
*modules, (program, text) = {}
for file, source in modules:
    module = sys.modules[file[:-3]] = types.ModuleType(file[:-3])
    exec(compile(source, file, "exec"), module.__dict__)
exec(compile(text, program, "exec"))
)",
                     module_places, texts.dump());
}

/// The JSON document with texts that matplotlib draws as they stand: what is between two dollars it
/// takes for TeX, and control characters, which no SVG may have, are shown by their codes.
std::string drawable(const std::string& document) {
  std::string result;
  bool is_escaped = false;
  for (const char letter : printable(document)) {
    if (letter == '$' || (is_escaped && std::strchr("ubfr", letter) != nullptr)) result += '\\';
    if (letter == '$') result += '\\';
    result += letter;
    is_escaped = letter == '\\' && !is_escaped;
  }
  return result;
}

}  // namespace

PythonProgram::PythonProgram(std::string what, const std::vector<PythonModule>& modules)
    : what_(std::move(what)) {
  std::string imports = module_places;
  std::vector<std::string> names, packages;
  for (const PythonModule& module : modules) {
    imports += fmt::format("import {}\n", module.name);
    const std::string name(module.name);
    names.push_back(name.substr(0, name.find('.')));
    packages.emplace_back(module.package);
  }
  // The system's first: modules usually come as its packages, beside whatever else leads PATH.
  for (const char* python : {"/usr/bin/python3", "python3"})
    if (bellwether::run({python, "-I", "-c", imports}, "", true).status == 0) {
      python_ = python;
      return;
    }
  throw BadEnvironment(fmt::format(
      "{}: needs a python3 with {}, found none; install Debian's package{} {}, or python3 -m pip "
      "install {}",
      what_, fmt::join(names, " and "), modules.size() > 1 ? "s" : "", fmt::join(packages, " "),
      fmt::join(names, " ")));
}

std::string PythonProgram::run(std::span<const EmbeddedFile> files,
                               const std::vector<std::string>& arguments,
                               const std::string& document) const {
  std::vector<std::string> words{python_, "-I", "-c", as_one_program(files)};
  words.insert(words.end(), arguments.begin(), arguments.end());
  Finished finished = bellwether::run(words, drawable(document), false);
  if (finished.status != 0)
    throw std::runtime_error(fmt::format("{}: {} ended with status {} (its message is above)",
                                         what_, python_, WEXITSTATUS(finished.status)));
  return std::move(finished.output);
}

void check_writable(const std::string& option, const std::string& file) {
  const std::filesystem::path path(file);
  std::error_code ignored;
  const std::string folder = path.has_parent_path() ? path.parent_path().string() : ".";
  if (!std::filesystem::is_directory(folder, ignored))
    throw BadInput(
        fmt::format("{}: found '{}', expected a file in a folder that exists", option, file));
  if (std::filesystem::is_directory(path, ignored))
    throw BadInput(fmt::format("{}: found '{}', a folder, expected a file", option, file));
  if (access(is_written_to(file) ? file.c_str() : folder.c_str(), W_OK) != 0)
    throw BadInput(
        fmt::format("{}: '{}' cannot be written: {}", option, file, std::strerror(errno)));
}

namespace {

std::string picture_format(const std::string& file) {
  const std::filesystem::path path(file);
  const std::string ending = path.extension().string();
  for (const char* format : {"svg", "pdf", "png"})
    if (ending == std::string(".") + format) return format;
  throw BadInput(
      fmt::format("--plot: found '{}', expected a file ending in .svg, .pdf or .png", file));
}

/// The format, once the file can be made.
std::string checked_format(const std::string& file) {
  std::string format = picture_format(file);
  check_writable("--plot", file);
  return format;
}

}  // namespace

Plot::Plot(std::string file, const char* script)
    : file_(std::move(file)),
      script_(script),
      format_(checked_format(file_)),
      python_("--plot", {{"matplotlib.figure", "python3-matplotlib"}}) {}

void Plot::draw(const std::string& document) const {
  const std::span<const EmbeddedFile> files = plot_files();
  const auto script = std::find_if(files.begin(), files.end(), [this](const EmbeddedFile& file) {
    return std::string_view(file.name) == script_;
  });
  replace_file(file_, python_.run(std::array{files.front(), *script}, {format_}, document));
}

}  // namespace bellwether
