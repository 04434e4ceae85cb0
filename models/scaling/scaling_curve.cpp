// SPDX-License-Identifier: MIT
#include "models/scaling/scaling_curve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <iterator>
#include <mutex>
#include <thread>
#include <vector>

#include "models/errors.hpp"
#include "models/scaling/extrapolation.hpp"

namespace bellwether {

std::vector<std::string> outside_machine(const Machine& machine, int ranks, double bytes_per_rank) {
  std::vector<std::string> lines;
  const DeviceParameters& device = machine.device;
  const bool published = device.backend.empty();
  if (published && ranks > machine.layout.ranks)
    lines.push_back(fmt::format("{} ranks asked, the machine has {}", ranks, machine.layout.ranks));
  if (device.memory_bytes > 0 && bytes_per_rank > device.memory_bytes)
    lines.push_back(fmt::format("memory: {:.3g} GB of each rank asked, which has {:.3g} GB",
                                bytes_per_rank / 1e9, device.memory_bytes / 1e9));
  return lines;
}

namespace {

/// Calls `work` with 0, ..., count - 1, each once, on as many threads as the process has cores; on
/// the caller alone where there is one call. If calls throw, the exception of the lowest index
/// among them is thrown on once all threads have ended; calls not yet begun are left out then.
void in_parallel(std::size_t count, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> failed = false;
  std::mutex mutex;
  std::size_t failed_at = count;
  std::exception_ptr failure;
  const auto run = [&] {
    while (!failed) {
      const std::size_t index = next++;
      if (index >= count) return;
      try {
        work(index);
      } catch (...) {
        const std::lock_guard lock(mutex);
        failed = true;
        if (index < failed_at) {
          failed_at = index;
          failure = std::current_exception();
        }
      }
    }
  };
  {
    const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
    std::vector<std::jthread> threads;
    for (std::size_t thread = 1; thread < std::min(cores, count); ++thread)
      threads.emplace_back(run);
    run();
  }
  if (failure) std::rethrow_exception(failure);
}

void check(const PredictionRequest& request) {
  if (request.ranks_per_node < 1)
    throw BadInput(
        fmt::format("ranks per node: found {}, expected a positive count", request.ranks_per_node));
  for (const std::string& form : request.forms)
    if (form != "paper" && form != "refined")
      throw BadInput(fmt::format("model form: found \"{}\", expected paper or refined", form));
}

void add_points(const Machine& machine, const PredictionRequest& request, int ranks,
                CurveModel& model, std::vector<ScalingPoint>& points) {
  for (const bool overlap : request.overlap) {
    for (const std::string& form : request.forms) {
      model.divide(ranks, overlap, form);
      points.push_back({ranks, overlap, form, model.predict(form), model.layout(), model.choice(),
                        model.units()});
      Prediction& prediction = points.back().prediction;
      prediction.outside_machine = outside_machine(machine, ranks, model.bytes_per_rank());
      if (form == "refined")
        widen_beyond_known_nodes(machine, (ranks - 1) / request.ranks_per_node + 1, prediction);
    }
  }
}

}  // namespace

std::vector<ScalingPoint> scaling_curve(const Machine& machine, const PredictionRequest& request,
                                        const std::function<std::unique_ptr<CurveModel>()>& make) {
  check(request);
  const std::vector<int>& counts = request.ranks;
  // Neighbours share what a model keeps, unless there are few for each thread.
  const std::size_t chunk = std::clamp<std::size_t>(counts.size() / 64, 1, 64);
  const std::size_t chunks = (counts.size() + chunk - 1) / chunk;
  std::vector<std::vector<ScalingPoint>> parts(chunks);
  in_parallel(chunks, [&](std::size_t index) {
    const std::unique_ptr<CurveModel> model = make();
    const std::size_t end = std::min(counts.size(), (index + 1) * chunk);
    for (std::size_t at = index * chunk; at < end; ++at)
      add_points(machine, request, counts[at], *model, parts[index]);
  });
  std::vector<ScalingPoint> points;
  for (auto& part : parts) std::move(part.begin(), part.end(), std::back_inserter(points));
  return points;
}

}  // namespace bellwether
