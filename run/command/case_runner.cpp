// SPDX-License-Identifier: MIT
#include "run/command/case_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "miniapps/comm/device_checks.hpp"
#include "miniapps/comm/reduce.hpp"
#include "miniapps/comm/session/cores.hpp"
#include "miniapps/comm/shared_stores.hpp"
#include "miniapps/driver/case_samples.hpp"
#include "miniapps/driver/file_contents.hpp"
#include "models/machine/machine_file.hpp"
#include "models/machine/machine_json.hpp"
#include "results/provenance.hpp"
#include "results/run_interval.hpp"

namespace bellwether {
namespace {

std::unique_ptr<Device> opened(const Session& session, const std::string& backend) {
  std::unique_ptr<Device> device;
  agree_on_errors(session.world(), [&] { device = open_device(backend, session.device_rank()); });
  return device;
}

std::optional<Machine> machine_here(const std::string& name_or_file) {
  if (!name_or_file.empty()) return find_machine(name_or_file);
  if (std::filesystem::exists("machine.json")) return read_machine("machine.json");
  return {};
}

/// With what MPI and the device add: MPI library, rank layout, hosts, device.
nlohmann::json run_provenance(const Session& session, const Device& device,
                              const std::vector<std::string>& command_line) {
  nlohmann::json facts = collect_provenance(command_line);
  facts["mpi"] = mpi_version();
  facts["device"] = device.description();
  if (const std::string knobs = device.knobs(); !knobs.empty()) facts["cuda_knobs"] = knobs;
  facts["layout"] = {{"ranks", session.size()},
                     {"nodes", session.nodes()},
                     {"ranks_per_node", session.ranks_on_node()},
                     {"nodes_per_kernel", session.nodes_on_kernel()},
                     {"hosts", session.hosts()}};
  return facts;
}

}  // namespace

CaseRunner::CaseRunner(Session& session, Heartbeat& heartbeat, const std::string& backend,
                       const std::vector<std::string>& command_line, RunOptions options)
    : session_(session),
      heartbeat_(heartbeat),
      device_(opened(session, backend)),
      gpu_(monitor_of(*device_)),
      energy_(session, gpu_.get()),
      ranks_per_device_(most_ranks_on_a_gpu(session, *device_)),
      provenance_(run_provenance(session, *device_, command_line)),
      options_(std::move(options)),
      site_{session, *device_, backend, nullptr, &heartbeat, &build_clock_},
      build_clock_(heartbeat) {
  options_.device = device_->description();
  options_.gpu = gpu_.get();
  options_.energy = &energy_;
}

void CaseRunner::predict_on(const Machine* machine, std::string label) {
  site_.machine = machine;
  machine_label_ = std::move(label);
  machine_contents_ =
      machine == nullptr ? nlohmann::json() : text_contents(to_json(*machine).dump());
}

std::string CaseRunner::crowded(const Case& built) const {
  return shared_cores(session_, std::max(device_->host_threads(), built.library_threads()));
}

std::string CaseRunner::energy_remark() const {
  return energy_.absent().empty() ? "" : "energy: " + energy_.absent();
}

std::vector<std::string> CaseRunner::remarks() const {
  if (site_.machine == nullptr || !site_.machine->provenance.contains("commit")) return {};
  const Machine& machine = *site_.machine;
  const std::string here =
      device_->is_host() ? provenance_.at("cpu").get<std::string>() : device_->description();
  std::vector<std::string> found;
  const auto differ = [&](const char* what, const std::string& there, const std::string& now) {
    if (there != now)
      found.push_back(fmt::format("{} was calibrated {} {}, and this is {}; calibrate here",
                                  machine_label_, what, there, now));
  };
  differ("on", machine.device.name, here);
  if (found.empty()) differ("with", machine.device.backend, device_->description());
  if (const auto remark = remark_on_other_kernels(machine.provenance); !remark.empty())
    found.push_back(fmt::format("{} {}", machine_label_, remark));
  return found;
}

void CaseRunner::look_at_files(const App& app) {
  heartbeat_.enter("read files");
  const auto* const named = dynamic_cast<const ProblemFiles*>(&app);
  if (named == nullptr) return;
  for (const auto& [key, files] : named->problem_files())
    contents_[&app][key] = file_contents(session_.world(), files);
}

nlohmann::json CaseRunner::request(const App& app, const CasePlan& plan,
                                   const std::string& steps) const {
  nlohmann::json asked = {
      {"app", app.name()},           {"ranks", session_.size()}, {"backend", site_.backend},
      {"problem", plan.problem},     {"steps", steps},           {"probe", options_.probe},
      {"machine", machine_contents_}};
  asked.update(plan.variant);
  if (const auto contents = contents_.find(&app); contents != contents_.end())
    asked["problem"].update(contents->second);
  return asked;
}

std::unique_ptr<Case> CaseRunner::build(const CasePlan& plan) {
  heartbeat_.enter("build");
  build_clock_.clear();
  const auto begin = std::chrono::steady_clock::now();
  std::unique_ptr<Case> built = plan.build(site_);
  build_s_ = seconds_since(begin);
  return built;
}

CaseRunner::Ran CaseRunner::run(const App& app, Case& built, const nlohmann::json& request) {
  device_->use_shared_stores(shared_stores_ ? *shared_stores_
                                            : faster_shared_stores(session_, *device_));
  CaseResult result = run_case(session_, built, heartbeat_, options_, site_.machine);
  Record& record = result.record;
  complete(record, app, request);
  auto built_in =
      slowest_sample(session_.world(), own_sample(build_s_, build_clock_.phases(), 1)).terms;
  built_in.back().first = "build";  // what is in none of its phases
  record.setup.insert(record.setup.begin(), built_in.begin(), built_in.end());
  record.oversubscribed = !crowded(built).empty();
  record.ranks_per_device = ranks_per_device_;
  if (site_.machine != nullptr)
    record.interval =
        run_interval(record, section<DriftParameters>(*site_.machine), session_.nodes() > 1);
  if (!result.gpu.is_null()) record.provenance["gpu"] = result.gpu;
  if (session_.most_ranks_on_a_node() > 1 && device_->is_host())
    record.provenance["shared_stores"] = name_of(device_->shared_stores());
  return {std::move(record), result.picture_error};
}

Record CaseRunner::not_run(const App& app, const CasePlan& plan, const nlohmann::json& request,
                           std::string why) const {
  Record record;
  complete(record, app, request);
  record.ranks = session_.size();
  record.problem = plan.problem;
  record.variant = plan.variant;
  record.verification.what = "did not run";
  record.not_run = std::move(why);
  return record;
}

void CaseRunner::complete(Record& record, const App& app, const nlohmann::json& request) const {
  record.app = app.name();
  if (site_.machine != nullptr) record.machine = machine_label_;
  record.provenance = provenance_;
  record.provenance["time"] = utc_time();
  record.provenance["request"] = request;
}

bool refuses_a_case(const Session& session, const std::exception& error) {
  return status_of(error) != ExitStatus::internal_fault && thrown_by_all(session, error);
}

void check_on_all(const App& app, const Session& session) {
  agree_on_errors(session.world(), [&] {
    try {
      app.check();
    } catch (const BadInput& error) {
      if (session.rank() == 0) throw;
      throw BadInput(fmt::format("{} (on {})", error.what(), session.host()));
    }
  });
}

std::string machine_label(const std::string& name_or_file) {
  return name_or_file.empty() ? "machine.json" : name_or_file;
}

std::optional<Machine> agreed_machine(const Session& session, const std::string& name_or_file) {
  std::optional<Machine> machine;
  std::string text;
  agree_on_errors(session.world(), [&] {
    if (session.rank() == 0 && (machine = machine_here(name_or_file)))
      text = to_json(*machine).dump();
  });
  text = from_rank(session.world(), 0, std::move(text));
  if (!machine && !text.empty())
    machine = parse_machine(nlohmann::json::parse(text), machine_label(name_or_file));
  return machine;
}

}  // namespace bellwether
