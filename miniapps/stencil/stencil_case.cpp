// SPDX-License-Identifier: MIT
#include "miniapps/stencil/stencil_case.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "miniapps/comm/device_checks.hpp"
#include "miniapps/driver/options.hpp"
#include "miniapps/stencil/bandwidth_probe.hpp"
#include "miniapps/stencil/store_choice.hpp"
#include "models/stencil/stencil_core.hpp"
#include "models/stencil/stencil_paper.hpp"
#include "models/stencil/stencil_refined.hpp"

namespace bellwether {
namespace {

StencilRunVariant with_used_halo(const StencilSetting& given) {
  StencilRunVariant variant = given.variant;
  variant.halo = used_halo(variant.halo, !given.site.device.is_host());
  return variant;
}

}  // namespace

StencilCase::StencilCase(const StencilSetting& given, std::string stores)
    : site_(given.site),
      problem_(given.problem),
      request_(given.request),
      kernel_(given.kernel),
      variant_(with_used_halo(given)),
      stores_(std::move(stores)),
      way_(kernel_.in_place ? Stores::cached : Stores::streaming),
      copy_way_(way_),
      decomposition_(decompose(problem_, kernel_, session().size(), site_.machine,
                               stencil_variant(problem_, variant_, stores_),
                               {session().most_ranks_on_a_node()})),
      predicted_(site_.machine != nullptr) {
  if (!staged()) require_direct_halos(session(), device());
}

nlohmann::json StencilCase::problem() const {
  nlohmann::json problem = request_;
  problem["decomposition"] = decomposition_.ranks();
  return problem;
}

nlohmann::json StencilCase::variant() const {
  nlohmann::json variant = to_json(variant_);
  variant["backend"] = site_.backend;
  variant["stores"] = stores_;  // what "auto" came to
  return variant;
}

std::string StencilCase::title() const {
  return stencil_title(kernel_.name, problem_, decomposition_, predicted_, device().description(),
                       variant_.overlap);
}

double StencilCase::local_cells() const {
  const std::array<int, 3> cells = decomposition_.local_cells(session().rank());
  return static_cast<double>(cells[0]) * cells[1] * cells[2];
}

double StencilCase::working_set_bytes() const {
  const double values =
      kernel_.in_place ? kernel_.read_values : kernel_.read_values + kernel_.written_values;
  return local_cells() * values * problem_.value_bytes();
}

void StencilCase::choose_way(const std::vector<SweepWay>& ways, const Box& cells) {
  std::vector<std::function<void()>> sweeps;
  for (const SweepWay& way : ways)
    sweeps.emplace_back([this, way, &cells] {
      beat("choice of kernel");
      way_ = way;
      update(cells, stream());
      after_step();
      ++steps_;
    });
  std::map<std::array<int, 3>, SweepChoice> own;
  auto& choices = variant_.choices ? *variant_.choices : own;
  if (!choices.contains(decomposition_.ranks()))
    choices[decomposition_.ranks()] = choose_sweep(session(), device(), stream(), sweeps);
  const SweepChoice choice = choices[decomposition_.ranks()];
  way_ = copy_way_ = ways[choice.which];
  if (measures_rate()) sweep_s_ = choice.sweep_s;
}

void StencilCase::choose_copy(std::span<const Prefetch> all) {
  std::vector<std::function<void()>> copies;
  for (const Prefetch prefetch : all)
    copies.emplace_back([this, prefetch] {
      beat("choice of kernel");
      copy_way_.prefetch = prefetch;
      copy_there_and_back();
    });
  copy_way_.prefetch = all[choose_sweep(session(), device(), stream(), copies).which];
}

std::unique_ptr<Probe> StencilCase::make_probe(const Machine* machine) {
  if (const auto prefetches = copy_prefetches(); !prefetches.empty()) choose_copy(prefetches);
  CoreWork core;
  if (machine != nullptr && device().is_host()) {
    const auto [update, cells] = core_box();
    core = {
        update, cells,
        core_cells_per_s(*machine, kernel_.name, problem_.precision, session().ranks_on_node())};
  }
  return std::make_unique<BandwidthProbe>(
      session(), device(), stream(),
      StateCopy{problem_.precision, kernel_.in_place ? "in_place" : stores_, kernel_.arrays,
                working_set_bytes(), [this] { copy_there_and_back(); }},
      machine, std::move(core));
}

void StencilCase::make_step(const std::vector<HaloMessage>& messages, const GridLayout& layout,
                            Cut cut, const std::vector<void*>& storages) {
  step_.emplace(session(), device(), decomposition_, messages, layout,
                static_cast<std::size_t>(problem_.value_bytes()), staged(), cut, storages);
}

double StencilCase::most_updated_cells() const {
  double most = 0;
  for (const RankKind& kind : rank_kinds(decomposition_, {1}, solids()))
    most = std::max(most,
                    stencil_work(kernel_, kind, {.precision = problem_.precision}).interior.cells);
  return most;
}

void StencilCase::restart_from(const HaloState& state) {
  device().fence(stream());
  steps_ = 0;
  step_->exchange(state);
}

StencilStep::Update StencilCase::updater() {
  return [this, first = true](const Boxes& boxes, Stream& stream) mutable {
    if (first) before_update(stream);
    first = false;
    update(boxes, stream);
  };
}

void StencilCase::step(PhaseClock& clock) {
  if (variant_.overlap)
    step_->overlapped(clock, updated(), updater());
  else
    step_->in_sequence(clock, updated(), updater());
  after_step();
  ++steps_;
}

std::optional<double> StencilCase::bare_communication() {
  if (decomposition_.size() == 1) return {};
  return step_->bare_communication(updated(), updater());
}

std::vector<Prediction> StencilCase::predict(const Machine& machine) const {
  // As before the run: not with what it found faster, which the curves need not find.
  const StencilVariant how =
      stencil_variant(problem_, variant_, variant_.stores == "auto" ? "auto" : stores_);
  const RankPlacement placement{session().most_ranks_on_a_node()};
  const auto rate = [this](double cells) {
    return sweep_s_ ? std::optional(cells / *sweep_s_) : std::nullopt;
  };
  return {
      predict_stencil_paper(machine, kernel_, decomposition_, how, placement, rate(local_cells())),
      predict_stencil_refined(machine, kernel_, decomposition_, how, placement,
                              rate(most_updated_cells()), solids())};
}

void StencilCase::beat(const char* doing) const {
  if (site_.heartbeat != nullptr) site_.heartbeat->enter(doing);
}

}  // namespace bellwether
