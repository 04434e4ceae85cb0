// SPDX-License-Identifier: MIT
#include "miniapps/stencil/stencil_app.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <nlohmann/json.hpp>

#include "miniapps/comm/device_checks.hpp"
#include "miniapps/stencil/bandwidth_probe.hpp"

namespace bellwether {

StencilApp::StencilApp(const StencilCase& given, std::string stores)
    : session_(given.session),
      device_(given.device),
      problem_(given.problem),
      request_(given.request),
      kernel_(given.kernel),
      variant_(given.variant),
      stores_(std::move(stores)),
      heartbeat_(given.heartbeat),
      decomposition_(decompose(problem_, kernel_, session_.size(), given.machine,
                               stencil_variant(problem_, variant_, stores_),
                               {session_.most_ranks_on_a_node()})),
      predicted_(given.machine != nullptr) {
  if (!staged()) require_direct_halos(session_, device_);
}

nlohmann::json StencilApp::problem() const {
  nlohmann::json problem = request_;
  problem["decomposition"] = decomposition_.ranks();
  return problem;
}

nlohmann::json StencilApp::variant() const {
  return {{"backend", variant_.backend},
          {"overlap", variant_.overlap ? "on" : "off"},
          {"halo", variant_.halo},
          {"stores", stores_},
          {"rate", variant_.rate}};
}

std::string StencilApp::title() const {
  return stencil_title(kernel_.name, problem_, decomposition_, predicted_, device_.description(),
                       variant_.overlap);
}

double StencilApp::local_cells() const {
  const std::array<int, 3> cells = decomposition_.local_cells(session_.rank());
  return static_cast<double>(cells[0]) * cells[1] * cells[2];
}

double StencilApp::working_set_bytes() const {
  const double values =
      kernel_.in_place ? kernel_.read_values : kernel_.read_values + kernel_.written_values;
  return local_cells() * values * problem_.value_bytes();
}

std::unique_ptr<SpeedProbe> StencilApp::make_probe(const Machine* machine) {
  return std::make_unique<BandwidthProbe>(
      session_,
      StateCopy{problem_.precision, stores_, kernel_.arrays, working_set_bytes(),
                [this] { copy_there_and_back(); }},
      machine);
}

void StencilApp::make_step(std::vector<HaloMessage> messages, const GridLayout& layout, Cut cut) {
  step_.emplace(session_, device_, decomposition_, std::move(messages), layout,
                static_cast<std::size_t>(problem_.value_bytes()), staged(), cut);
}

void StencilApp::use_rate(double sweep_s) { cells_per_s_ = local_cells() / sweep_s; }

void StencilApp::restart_from(const HaloState& state) {
  device_.fence(stream());
  steps_ = 0;
  step_->exchange(state);
}

StencilStep::Update StencilApp::updater() {
  return [this, first = true](const Box& box, Stream& stream) mutable {
    if (first) before_update(stream);
    first = false;
    update(box, stream);
  };
}

void StencilApp::step(PhaseClock& clock) {
  if (variant_.overlap)
    step_->overlapped(clock, updated(), updater());
  else
    step_->in_sequence(clock, updated(), updater());
  after_step();
  ++steps_;
}

std::optional<double> StencilApp::bare_communication() {
  if (decomposition_.size() == 1) return {};
  return step_->bare_communication(updated(), updater());
}

std::vector<Prediction> StencilApp::predict(const Machine& machine) const {
  const StencilVariant how = stencil_variant(problem_, variant_, stores_);
  const RankPlacement placement{session_.most_ranks_on_a_node()};
  return {predict_stencil_paper(machine, kernel_, decomposition_, how, placement, cells_per_s_),
          predict_stencil_refined(machine, kernel_, decomposition_, how, placement, cells_per_s_)};
}

void StencilApp::beat(const char* doing) const {
  if (heartbeat_ != nullptr) heartbeat_->enter(doing);
}

std::string StencilApp::fingerprint(unsigned long long of_rank) const {
  MPI_Allreduce(MPI_IN_PLACE, &of_rank, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, session_.world());
  return fmt::format("{:016x}", of_rank);
}

}  // namespace bellwether
