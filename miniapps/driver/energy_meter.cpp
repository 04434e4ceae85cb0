// SPDX-License-Identifier: MIT
#include "miniapps/driver/energy_meter.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "miniapps/comm/reduce.hpp"
#include "miniapps/driver/case_samples.hpp"

namespace bellwether {
namespace {

constexpr std::size_t gpus = counted_parts.size() - 1;

/// Collective. Whether this rank is the first under its kernel on its GPU.
bool is_first_on(const Session& session, const GpuMonitor* gpu) {
  std::string name;
  if (gpu != nullptr)
    name = gpu->names().pci_bus_id.empty() ? gpu->names().uuid : gpu->names().pci_bus_id;
  const std::vector<std::string> all = gather_texts(session.kernel(), name);
  const auto first = std::find(all.begin(), all.end(), name) - all.begin();
  return gpu != nullptr && first == rank_in(session.kernel());
}

}  // namespace

std::unique_ptr<GpuMonitor> monitor_of(const Device& device) {
  if (device.is_host()) return nullptr;
  const auto [name, uuid, pci_bus_id, runtime] = device.gpu();
  return std::make_unique<GpuMonitor>(GpuNames{name, uuid, pci_bus_id, runtime});
}

EnergyMeter::EnergyMeter(const Session& session, const GpuMonitor* gpu, const std::string& powercap)
    : session_(session),
      reads_node_(rank_in(session.kernel()) == 0),
      reads_gpu_(is_first_on(session, gpu)),
      counters_(std::make_unique<EnergyCounters>(reads_node_ ? powercap : "",
                                                 reads_gpu_ ? gpu : nullptr)) {
  const MPI_Comm world = session.world();
  if (const int rank = lowest_rank_where(world, !counters_->absent().empty()); rank >= 0)
    absent_ = fmt::format("{} ({})", from_rank(world, rank, counters_->absent()),
                          session.hosts()[static_cast<std::size_t>(rank)]);
  start();
  const bool counts = std::any_of(before_.begin(), before_.end(),
                                  [](const auto& part) { return part.has_value(); });
  if (lowest_rank_where(world, counts) >= 0) shortest_s_ = 0.1;
  if (lowest_rank_where(world, before_[gpus].has_value()) >= 0) shortest_s_ = 1;
}

void EnergyMeter::start() {
  before_ = counters_->read();
  begin_ = std::chrono::steady_clock::now();
}

void EnergyMeter::stop() {
  const Joules now = counters_->read();
  const bool is_first = seconds_ == 0;
  seconds_ += seconds_since(begin_);
  for (std::size_t part = 0; part < now.size(); ++part) {
    if (is_first) joules_[part] = 0;
    if (joules_[part] && now[part] && before_[part])
      *joules_[part] += *now[part] - *before_[part];
    else
      joules_[part].reset();
  }
}

std::optional<SpentEnergy> EnergyMeter::take() {
  const bool is_told = from_first_rank(session_.world(), seconds_ > 0 && is_enough());
  struct Sums {
    double joules, watts, asked, told;
  };
  std::array<Sums, counted_parts.size()> all{};
  for (std::size_t part = 0; part < all.size(); ++part) {
    const double asked = part == gpus ? reads_gpu_ : reads_node_;
    if (joules_[part] && is_told && asked > 0)
      all[part] = {*joules_[part], *joules_[part] / seconds_, asked, 1};
    else
      all[part] = {0, 0, asked, 0};
    joules_[part].reset();
  }
  seconds_ = 0;
  MPI_Allreduce(MPI_IN_PLACE, all.data(), static_cast<int>(sizeof all / sizeof(double)), MPI_DOUBLE,
                MPI_SUM, session_.world());
  SpentEnergy spent;
  for (std::size_t part = 0; part < all.size(); ++part) {
    if (!(all[part].told > 0) || all[part].told < all[part].asked) continue;
    spent.joules += all[part].joules;
    spent.watts.emplace_back(counted_parts[part], all[part].watts);
  }
  return spent.watts.empty() ? std::nullopt : std::optional(spent);
}

}  // namespace bellwether
