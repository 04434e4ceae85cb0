// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "models/exchange_time.hpp"
#include "models/kernel_time.hpp"
#include "models/link.hpp"
#include "models/placement.hpp"
#include "models/rank_prediction.hpp"
#include "models/stencil.hpp"

namespace bellwether {
namespace {

/// Share of an exchange that computation can hide. Where it was not measured: all of it on a GPU
/// and on a network card, which work alone; nothing in shared memory, where the rank's own core
/// copies.
double hideable(const Path& path, const DeviceParameters& device, Bound bound) {
  if (path.link->hideable_fraction) return rate_at(*path.link->hideable_fraction, bound);
  return device.kind == "gpu" || path.name == "network" ? 1 : 0;
}

/// One copy of each message between device and host, or between two host buffers on a CPU.
double copies(const Machine& machine, const char* gpu_link, const RankWorkload& workload,
              Bound bound, std::vector<std::string>& notes) {
  const char* name = machine.device.kind == "gpu" ? gpu_link : "staging";
  const auto link = machine.links.find(name);
  if (link == machine.links.end()) return 0;
  double sum = 0;
  for (const Message& message : workload.messages) {
    sum += link_time(link->second.one_way, message.bytes, bound);
    if (beyond_samples(link->second.one_way, message.bytes))
      notes.push_back(fmt::format("{}: message of {:.0f} bytes, calibrated up to {:.0f}", name,
                                  message.bytes, link->second.one_way.samples.back().bytes));
  }
  return sum;
}

struct Exchange {
  double seconds = 0;
  double hideable_seconds = 0;
};

Exchange exchange(const Machine& machine, const RankWorkload& workload,
                  const RankPlacement& placement, int on_node, RankStep& step, Bound bound) {
  Exchange sum;
  for (const Message& message : workload.messages) {
    const Path path = path_between(machine, placement, workload.rank, message.neighbour);
    const double seconds = exchange_time(path, on_node, message.bytes, bound, step.notes);
    sum.seconds += seconds;
    sum.hideable_seconds += hideable(path, machine.device, bound) * seconds;
  }
  return sum;
}

}  // namespace

Prediction predict_stencil_refined(const Machine& machine, const StencilKernel& kernel,
                                   const Decomposition& decomposition,
                                   const StencilVariant& variant, const RankPlacement& placement,
                                   std::optional<double> cells_per_s) {
  const int on_node = ranks_on_node(decomposition, placement);
  const auto step = [&](int rank, Bound bound) {
    RankStep result;
    const RankWorkload workload = stencil_workload(kernel, decomposition, rank, variant);
    const auto seconds = [&](const KernelWork& work) {
      const bool update = work.term.starts_with("compute.");
      if (update && cells_per_s) return work.cells / *cells_per_s;
      return kernel_time(machine.device, work,
                         {.precision = variant.precision,
                          .stores = update ? variant.stores : "cached",
                          .ranks = on_node,
                          .working_set_bytes = workload.working_set_bytes},
                         bound, result.notes);
    };
    TermList kernels;
    for (const KernelWork& work : workload.kernels) kernels.add(work.term, seconds(work));
    const auto add_kernel = [&](const char* term) {
      for (const KernelWork& work : workload.kernels)
        if (work.term == term) result.terms.add(term, kernels.seconds(term));
    };
    const auto add_copies = [&](const char* term, const char* link) {
      const double sum = variant.staged ? copies(machine, link, workload, bound, result.notes) : 0;
      if (sum > 0) result.terms.add(term, sum);
    };

    // A GPU's copy engines work beside the interior: with overlap the copies are part of T_comm and
    // count under "network" with what of them is exposed, as StencilStep measures it. A CPU's core
    // copies itself.
    const bool copies_overlap = variant.overlap && machine.device.kind == "gpu";
    add_kernel("compute.boundary");
    add_kernel("pack");
    if (!copies_overlap) add_copies("copy.to_host", "device_to_host");
    add_kernel("compute.interior");
    if (!workload.messages.empty()) {
      const Exchange all = exchange(machine, workload, placement, on_node, result, bound);
      double communication = all.seconds;
      if (copies_overlap && variant.staged)
        communication += copies(machine, "device_to_host", workload, bound, result.notes) +
                         copies(machine, "host_to_device", workload, bound, result.notes);
      // Of messages that take no time only a GPU's copies are left, which it hides.
      const double share = all.seconds > 0 ? all.hideable_seconds / all.seconds : 1;
      const double interior = kernels.seconds("compute.interior");
      const double hidden = variant.overlap ? share * std::min(interior, communication) : 0;
      result.hidden_fraction = communication > 0 ? hidden / communication : 0;
      result.communication_s = communication;
      result.hiding_s = interior;
      result.terms.add("network", communication - hidden);
    }
    if (!copies_overlap) add_copies("copy.to_device", "host_to_device");
    add_kernel("unpack");
    return result;
  };
  return slowest_rank("refined", distinct_ranks(decomposition, placement), step);
}

}  // namespace bellwether
