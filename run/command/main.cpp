// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <fmt/ostream.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <streambuf>
#include <thread>

#include "miniapps/comm/launcher.hpp"
#include "models/text_lines.hpp"
#include "run/command/subcommand.hpp"
#include "run/command/verb.hpp"

using namespace bellwether;

namespace {

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

/// Standard output and error while it lives: what is printed to std::cout and std::cerr passes
/// printable(), whatever files and arguments it came from, and it is known what of it was lost.
/// Where they are closed, no file that is opened later takes their numbers.
class StandardStreams {
 public:
  StandardStreams() {
    // What is closed cannot be written as before: of a file that is open to be read.
    for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
      if (fcntl(number, F_GETFD) < 0)
        (void)open("/dev/null", number == STDERR_FILENO ? O_WRONLY : O_RDONLY);
    before_out_ = std::cout.rdbuf(&out_);
    before_error_ = std::cerr.rdbuf(&error_);
  }
  ~StandardStreams() {
    std::cout.rdbuf(before_out_);
    std::cerr.rdbuf(before_error_);
  }
  StandardStreams(const StandardStreams&) = delete;
  StandardStreams& operator=(const StandardStreams&) = delete;

  /// Why standard output could not be written to its end; empty if it was, and for a reader that
  /// wants no more of it (head).
  [[nodiscard]] std::string failure() {
    std::cout.flush();
    // Of what others print past std::cout the reason may be lost.
    const int other = std::fflush(stdout) != 0 ? errno : std::ferror(stdout) != 0 ? EIO : 0;
    const int reason = out_.error() != 0 ? out_.error() : other;
    return reason == 0 || reason == EPIPE ? "" : std::strerror(reason);
  }

 private:
  CheckedStream out_{stdout}, error_{stderr};
  std::streambuf *before_out_, *before_error_;
};

using Verbs = std::vector<std::unique_ptr<Subcommand>>;

bool is_parallel(const Verbs& verbs) {
  return std::any_of(verbs.begin(), verbs.end(),
                     [](const auto& verb) { return verb->chosen() && verb->is_parallel(); });
}

/// The launcher ends the job as soon as one process leaves with an error, Open MPI's mpirun a
/// second later: rank 0 speaks, and the others give it time to. One that is still there then speaks
/// too: it was given another command, or what numbers it is left over from another program.
int report(ExitStatus status, const std::string& message) {
  if (launched_rank() != 0) std::this_thread::sleep_for(std::chrono::seconds(2));
  fmt::print(std::cerr, "bellwether: {}\n", message);
  return static_cast<int>(status);
}

int run(int argc, char** argv) {
  CommandParser parser(
      "GPU/MPI mini-app benchmarks with embedded performance models: is this number normal?\n"
      "Exit status: 0 done and right; 1 a verification failed; 2 unusable input; 3 the environment "
      "cannot do it; 4 a performance verdict failed; 5 out of time, ended by a signal, or a rank "
      "stopped answering; 6 a fault of bellwether's own",
      "bellwether " BELLWETHER_VERSION);
  Verbs verbs;
  for (MakeSubcommand* const make :
       {make_calibrate_command, make_run_command, make_accept_command, make_predict_command,
        make_reproduce_command, make_machines_command, make_compare_command, make_report_command,
        make_fit_command, make_trace_command, make_export_command, make_mesh_command,
        make_microbench_command})
    verbs.push_back(make());
  for (const auto& verb : verbs) verb->add_to(parser.root());
  try {
    if (const auto help = parser.parse(argc, argv)) {
      if (launched_rank() == 0 || !is_parallel(verbs)) std::cout << *help;
      return 0;
    }
    for (const auto& verb : verbs)
      if (verb->chosen()) return static_cast<int>(verb->run({argc, argv}));
    return static_cast<int>(ExitStatus::internal_fault);
  } catch (const std::exception& error) {
    return report(status_of(error), message_of(error));
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a write beyond the limit of a file's size then fails
  StandardStreams streams;
  const int status = run(argc, argv);
  const std::string lost = streams.failure();
  if (lost.empty()) return status;
  const int unwritten = report(ExitStatus::bad_input, "standard output cannot be written: " + lost);
  return status == 0 ? unwritten : status;
}
