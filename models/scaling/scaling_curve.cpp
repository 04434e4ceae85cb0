// SPDX-License-Identifier: MIT
#include "models/scaling/scaling_curve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "models/errors.hpp"
#include "models/scaling/in_parallel.hpp"
#include "models/scaling/outside_machine.hpp"

namespace bellwether {
namespace {

void check(const PredictionRequest& request) {
  const std::size_t asked = request.ranks.size() * request.overlap.size() * request.forms.size();
  if (asked > most_scaling_points)
    throw BadInput(fmt::format(
        "ranks: found {} counts, {} points in all, expected at most {} points: fewer rank counts, "
        "or one overlap mode or form",
        request.ranks.size(), asked, most_scaling_points));
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
    if (!model.divide(ranks, overlap)) {
      if (!request.leave_out_unfit) model.refuse(ranks);
      return;
    }
    for (const std::string& form : request.forms) {
      points.push_back({ranks, overlap, form, model.predict(form), model.layout(), model.choice()});
      points.back().prediction.outside_machine =
          outside_machine(machine, ranks, model.bytes_per_rank());
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
  std::size_t size = 0;
  for (const auto& part : parts) size += part.size();
  std::vector<ScalingPoint> points;
  points.reserve(size);
  for (auto& part : parts) {
    std::move(part.begin(), part.end(), std::back_inserter(points));
    std::vector<ScalingPoint>().swap(part);
  }
  if (points.empty() && !counts.empty()) make()->refuse(counts.front());
  return points;
}

}  // namespace bellwether
