// SPDX-License-Identifier: MIT
#include "models/cholesky/start_up_parameters.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/machine/json_type.hpp"
#include "models/network/paths.hpp"
#include "models/roofline/roofline.hpp"
#include "models/workload.hpp"

namespace bellwether {

JsonType<StartUpParameters> start_up_parameters_type() {
  using StartUp = StartUpParameters;
  const JsonType<Quantity> positive = json_quantity(Range::positive);
  const JsonType<EfficiencyAndStartUp> pair =
      named("efficiency_and_start_up",
            "The share of a peak that a kernel reaches, and its start-up time.",
            json_object<EfficiencyAndStartUp>(
                {required("efficiency", &EfficiencyAndStartUp::efficiency, positive),
                 required("start_up_s", &EfficiencyAndStartUp::start_up_s,
                          json_quantity(Range::nonnegative))}));
  return named(
      "start_up",
      "Efficiency and start-up model of the column Cholesky factorization (Orii, Tables 1 and 2); "
      "fitted ranges are [smallest, largest].",
      json_object<StartUp>(
          {required("precision", &StartUp::precision, json_word({"f32", "f64"})),
           optional("fitted_sizes", &StartUp::fitted_sizes, json_count_range("a size")),
           optional("fitted_ranks", &StartUp::fitted_ranks, json_count_range("a count")),
           required("peak_flops_per_s", &StartUp::peak_flops_per_s, positive),
           required("peak_bytes_per_s", &StartUp::peak_bytes_per_s, positive),
           required("update", &StartUp::update, pair),
           required("parallel_update", &StartUp::parallel_update, pair),
           required("scaling", &StartUp::scaling, pair),
           required("summation", &StartUp::summation, json_word({"crossbar", "tree"})),
           required("transfer", &StartUp::transfer, pair),
           optional("adding", &StartUp::adding, pair)}));
}

namespace {

void note_outside(const StartUpParameters& fit, const CholeskyRun& run,
                  std::vector<std::string>& notes) {
  const auto check = [&](const auto& range, const char* what, int asked) {
    if (range && (asked < (*range)[0] || asked > (*range)[1]))
      notes.push_back(fmt::format("start_up: {} {} asked, fitted from {} to {}", what, asked,
                                  (*range)[0], (*range)[1]));
  };
  check(fit.fitted_sizes, "size", run.size);
  check(fit.fitted_ranks, "rank count", run.ranks);
  if (fit.precision != run.precision)
    notes.push_back(
        fmt::format("start_up: {} asked, fitted in {}; its efficiencies used with {}-byte values",
                    run.precision, fit.precision, value_bytes(run.precision)));
}

/// min(peak, bandwidth x flops / bytes) as a share of the peak's value.
Quantity roofline_efficiency(const Quantity& peak, const Quantity& bandwidth, double flops,
                             double bytes) {
  const auto share = [&](double limit, double rate) {
    return std::min(limit, rate * flops / bytes) / peak.value;
  };
  return {share(peak.value, bandwidth.value),
          share(peak.low, bandwidth.low),
          share(peak.high, bandwidth.high),
          {}};
}

Quantity share_of_value(const Quantity& rate) {
  return {1, rate.low / rate.value, rate.high / rate.value, {}};
}

}  // namespace

StartUpParameters start_up_of(const Machine& machine, const CholeskyRun& run,
                              std::vector<std::string>& notes) {
  if (const auto* fit = section<StartUpParameters>(machine)) {
    note_outside(*fit, run, notes);
    return *fit;
  }
  const DeviceParameters& device = machine.device;
  notes.push_back(
      fmt::format("not calibrated: {} has no start_up section; derived from peak flop/s, memory "
                  "bandwidth, launch latency and links, the paper form taking every processor as "
                  "fully efficient",
                  machine.name));
  if (!device.launch_latency_s)
    notes.push_back("start_up: the launch latency is not known, start-up times taken as zero");
  if (device.kind == "gpu" && run.ranks > 1)
    notes.push_back("start_up: the paper form leaves out copies between device and host");
  const double value = value_bytes(run.precision);
  const Quantity peak = peak_flops(device, run.precision, notes);
  const Quantity& memory = device.memory_bandwidth_bytes_per_s;
  const Quantity none = Quantity::exact(0);
  const Quantity launch = device.launch_latency_s.value_or(none);

  StartUpParameters derived;
  derived.precision = run.precision;
  derived.peak_flops_per_s = Quantity::exact(peak.value);  // its interval is in the efficiencies
  derived.update = {roofline_efficiency(peak, memory, 2, value), none};
  derived.parallel_update = {Quantity::exact(1), launch};
  derived.scaling = {roofline_efficiency(peak, memory, 2, 2 * value), launch};
  derived.summation = "tree";
  derived.adding = EfficiencyAndStartUp{roofline_efficiency(peak, memory, 1, 3 * value), none};
  derived.peak_bytes_per_s = Quantity::exact(1);
  derived.transfer = {Quantity::exact(1), none};
  if (run.ranks > 1) {
    const LinkTiming& link = Paths(machine, {run.ranks_per_node}).joining(run.ranks).link->one_way;
    derived.peak_bytes_per_s = Quantity::exact(link.bandwidth_bytes_per_s.value);
    derived.transfer = {share_of_value(link.bandwidth_bytes_per_s), link.latency_s};
  }
  return derived;
}

}  // namespace bellwether
