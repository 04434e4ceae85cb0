// SPDX-License-Identifier: MIT
#include "run/command/case_runner.hpp"

#include <fmt/format.h>

#include <utility>

#include "miniapps/comm/cores.hpp"
#include "miniapps/comm/device_checks.hpp"
#include "results/provenance.hpp"
#include "results/run_interval.hpp"

namespace bellwether {
namespace {

std::unique_ptr<Device> opened(const Session& session, const std::string& backend) {
  std::unique_ptr<Device> device;
  agree_on_errors(session.world(), [&] { device = open_device(backend, session.device_rank()); });
  return device;
}

}  // namespace

CaseRunner::CaseRunner(Session& session, Heartbeat& heartbeat, const std::string& backend,
                       const std::vector<std::string>& command_line)
    : session_(session),
      heartbeat_(heartbeat),
      device_(opened(session, backend)),
      gpu_(monitor_of(*device_)),
      crowded_(shared_cores(session)),
      ranks_per_device_(most_ranks_on_a_gpu(session, *device_)),
      provenance_(run_provenance(session, *device_, command_line)),
      site_{session, *device_, backend, nullptr, &heartbeat} {
  options_.device = device_->description();
  options_.gpu = gpu_.get();
}

void CaseRunner::predict_on(const Machine* machine, std::string label) {
  site_.machine = machine;
  machine_label_ = std::move(label);
}

nlohmann::json CaseRunner::request(const MiniApp& app, const CasePlan& plan,
                                   const std::string& steps) const {
  nlohmann::json asked = {{"app", app.name()},        {"ranks", session_.size()},
                          {"backend", site_.backend}, {"problem", plan.problem},
                          {"steps", steps},           {"probe", options_.probe},
                          {"machine", machine_label_}};
  asked.update(plan.variant);
  return asked;
}

CaseRunner::Ran CaseRunner::run(const MiniApp& app, Case& built, const nlohmann::json& request) {
  CaseResult result = run_case(session_, built, heartbeat_, options_, site_.machine);
  Record& record = result.record;
  record.app = app.name();
  record.oversubscribed = !crowded_.empty();
  record.ranks_per_device = ranks_per_device_;
  if (site_.machine != nullptr) {
    record.machine = machine_label_;
    record.interval = run_interval(record, section<DriftParameters>(*site_.machine));
  }
  record.provenance = provenance_;
  record.provenance["time"] = utc_time();
  if (!result.gpu.is_null()) record.provenance["gpu"] = result.gpu;
  record.provenance["request"] = request;
  return {std::move(record), result.picture_error};
}

void check_on_all(const MiniApp& app, const Session& session) {
  agree_on_errors(session.world(), [&] {
    try {
      app.check();
    } catch (const BadInput& error) {
      if (session.rank() == 0) throw;
      throw BadInput(fmt::format("{} (on {})", error.what(), session.host()));
    }
  });
}

}  // namespace bellwether
