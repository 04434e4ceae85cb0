// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>

#include "models/machine/machine_file.hpp"
#include "models/network/routes.hpp"
#include "models/replace_file.hpp"
#include "models/trace/simgrid.hpp"
#include "run/command/subcommand.hpp"

namespace bellwether {
namespace {

namespace fs = std::filesystem;

/// The machine on another topology; a torus' links and hops are as the network's link.
void put_on(const std::string& topology, Machine& machine) {
  machine.topology = parse_topology(topology);
  if (!machine.topology || machine.topology->kind != "torus") return;
  machine.topology->link_bandwidth_bytes_per_s = Quantity::exact(network_bandwidth(machine));
  machine.topology->hop_latency_s = Quantity::exact(network_latency(machine));
}

class TraceCommand final : public Subcommand {
 public:
  void add_to(Verb& program) override {
    verb_ = &program.add_verb(
        "trace", "Write what each rank of a mini-app does in a step, for SimGrid to simulate");
    add_options();
    choices_.add_to(*verb_, options_,
                    "  bellwether trace {0} {1} --machine tsubame2.0 --ranks 64 -o traces");
  }

  ExitStatus run(CommandLine) override { return write(choices_.given()); }

 private:
  static constexpr double most_bytes = 2e9;

  void add_options() {
    constexpr int most = std::numeric_limits<int>::max();
    options_.add("--machine", &machine_name_,
                 "Machine file, or the name of a shipped machine; it needs a network",
                 {.required = true});
    options_.add("--ranks", &ranks_, "Ranks; of amg hardware threads, as predict counts them",
                 {.check = whole_number(1, most), .required = true});
    add_ranks_per_node(ranks_per_node_);
    add_scaling(scaling_);
    options_.add("--steps", &steps_, "Steps, one after another",
                 {.check = whole_number(1, most), .shows_default = true});
    options_.add_choice("--overlap", overlap_, {"off", "on"}, "off or on");
    options_.add("--topology", &topology_,
                 "In place of the machine's: flat; fat-tree:32x64 (children of a switch "
                 "from the nodes up; with /4: links down to links up); torus:16x16x16; "
                 "dragonfly:9x8x4 (groups, routers of each, nodes of a router)");
    options_.add("-o,--output", &folder_, "Folder for the traces, a new or an empty one",
                 {.type = "FOLDER", .check = not_empty("a folder"), .required = true});
    options_.add_flag("--large", large_,
                      fmt::format("Write more than {:g} GB of traces too", most_bytes / 1e9));
    options_.add_flag("--json", json_, "Print one JSON document instead of lines");
  }

  ExitStatus write(const AppChoice& choice) {
    choice.app->check();
    Machine machine = find_machine(machine_name_);
    const int per_node = ranks_per_node_ > 0 ? ranks_per_node_ : machine.layout.ranks_per_node;
    (void)network_bandwidth(machine);  // is there a network?
    if (!topology_.empty()) put_on(topology_, machine);
    const fs::path folder(folder_);
    check(folder);
    const std::unique_ptr<App> grown = scaling_ == "weak" ? choice.app->grown(ranks_) : nullptr;
    const App& app = grown ? *grown : *choice.app;
    app.check();
    const auto trace = app.trace(machine, request_of_trace(ranks_, overlap_ == "on", per_node));
    check_size(*trace);
    nlohmann::json document;
    try {
      write_files(folder, machine, *trace, per_node);
      document = document_of(choice, machine, *trace, per_node);
      write_file(folder / "trace.json", document.dump(2) + "\n");
    } catch (const BadInput&) {
      std::error_code ignored;
      for (const fs::path& path : written_) fs::remove(path, ignored);
      throw;
    }
    if (json_)
      fmt::print(std::cout, "{}\n", document.dump(2));
    else
      say(document);
    return ExitStatus::success;
  }

  static void check(const fs::path& folder) {
    std::error_code error;
    const fs::file_status status = fs::status(folder, error);
    if (!fs::exists(status)) return;
    if (!fs::is_directory(status))
      throw BadInput(fmt::format("-o {}: found a file, expected a folder", folder.string()));
    const bool empty = fs::is_empty(folder, error);
    if (error || !empty)
      throw BadInput(fmt::format("-o {}: found a folder {}, expected a new or an empty one",
                                 folder.string(),
                                 error ? "that cannot be read" : "with files in it"));
  }

  /// By some ranks of all.
  void check_size(const Trace& trace) const {
    constexpr int looked_at = 16;
    const int ranks = trace.ranks();
    const int looked = std::min(looked_at, ranks);
    double bytes = 0;
    for (int one = 0; one < looked; ++one) {
      const int rank = static_cast<int>(1LL * one * ranks / looked);
      SimGridSink sink(rank, nullptr);
      trace.step(rank, sink);
      bytes += sink.written_bytes();
    }
    bytes *= 1. * steps_ * ranks / looked;
    if (bytes > most_bytes && !large_)
      throw BadInput(fmt::format(
          "--ranks {}, --steps {}: the traces would take about {:.3g} GB, expected at most {:g} "
          "(--large writes more)",
          ranks_, steps_, bytes / 1e9, most_bytes / 1e9));
  }

  void write_file(const fs::path& path, const std::string& content) {
    replace_file(path, content);
    written_.push_back(path);
  }

  void write_rank(const fs::path& path, const Trace& trace, int rank) {
    const auto check = [&path](bool done) {
      if (!done)
        throw BadInput(
            fmt::format("{}: cannot be written: {}", path.string(), std::strerror(errno)));
    };
    OpenFile file(std::fopen(path.c_str(), "wxe"));  // x: a new one, and no link
    check(file != nullptr);
    written_.push_back(path);
    SimGridSink sink(rank, file.get());
    sink.begin();
    for (int step = 0; step < steps_; ++step) trace.step(rank, sink);
    sink.end();
    check(std::fflush(file.get()) == 0);
    check(std::fclose(file.release()) == 0);
    bytes_ += sink.written_bytes();
  }

  /// One rank after another, none of them whole in memory.
  void write_files(const fs::path& folder, const Machine& machine, const Trace& trace,
                   int per_node) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error)
      throw BadInput(fmt::format("-o {}: cannot be made: {}", folder.string(), error.message()));
    const int ranks = trace.ranks();
    std::string index;
    for (int rank = 0; rank < ranks; ++rank) {
      const std::string name = fmt::format("rank{}.txt", rank);
      const fs::path path = folder / name;
      write_rank(path, trace, rank);
      index += name + "\n";
    }
    const int nodes = RankPlacement{per_node}.nodes(ranks);
    write_file(folder / "index.txt", index);
    write_file(folder / "hosts.txt", simgrid_hosts(ranks, per_node));
    write_file(folder / "platform.xml", simgrid_platform(machine, nodes, per_node));
    const fs::path script = folder / "replay";
    write_file(script,
               fmt::format("#!/bin/sh\n# Simulates the traces beside it; further words are "
                           "smpirun's.\ncd \"$(dirname \"$0\")\" || exit 3\n"
                           "exec smpirun -np {} -platform platform.xml -hostfile hosts.txt \\\n"
                           "  -replay index.txt \\\n  {} \"$@\"\n",
                           ranks, fmt::join(simgrid_options(machine), " \\\n  ")));
    fs::permissions(script, fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec,
                    fs::perm_options::add, error);
  }

  [[nodiscard]] nlohmann::json document_of(const AppChoice& choice, const Machine& machine,
                                           const Trace& trace, int per_node) const {
    const Prediction& predicted = trace.point().prediction;
    nlohmann::json terms = nlohmann::json::object();
    for (const Term& term : predicted.terms) terms[term.name] = term.seconds;
    return {{"app", choice.app->name()},
            {"problem", asked_options(choice.options)},
            {"scaling", scaling_},
            {"machine", machine.name},
            {"topology", topology_.empty() ? "the machine's" : topology_},
            {"ranks", trace.ranks()},
            {"ranks_per_node", per_node},
            {"steps", steps_},
            {"step", choice.app->step_name()},
            {"overlap", overlap_},
            {"layout", trace.point().layout},
            {"choice", trace.point().choice},
            {"predicted", {{"total_s", predicted.total_s}, {"terms", terms}}},
            {"notes", trace.notes()},
            {"bytes", bytes_}};
  }

  void say(const nlohmann::json& document) const {
    fmt::print(std::cout, "{}: {} ranks ({}), {} {}{} of {}, {:.3g} MB\n", folder_,
               document["ranks"].get<int>(), document["layout"].get<std::string>(), steps_,
               document["step"].get<std::string>(), steps_ == 1 ? "" : "s",
               document["app"].get<std::string>(), document["bytes"].get<double>() / 1e6);
    fmt::print(std::cout, "predicted: {:.6g} s a {}\n",
               document["predicted"]["total_s"].get<double>(), document["step"].get<std::string>());
    for (const auto& note : document["notes"])
      fmt::print(std::cout, "note: {}\n", note.get<std::string>());
    fmt::print(std::cout, "simulate: {}/replay\n", folder_);
  }

  AppChoices choices_;
  std::string machine_name_, scaling_ = "strong", overlap_ = "off", topology_, folder_;
  int ranks_ = 0, ranks_per_node_ = 0, steps_ = 1;  // 0 ranks of a node: as on the machine
  bool large_ = false;
  double bytes_ = 0;
  std::vector<fs::path> written_;
};

}  // namespace

std::unique_ptr<Subcommand> make_trace_command() { return std::make_unique<TraceCommand>(); }

}  // namespace bellwether
