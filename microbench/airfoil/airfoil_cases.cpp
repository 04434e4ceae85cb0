// SPDX-License-Identifier: MIT
#include "microbench/airfoil/airfoil.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "miniapps/airfoil/airfoil_iterations.hpp"
#include "models/airfoil/airfoil_loops.hpp"

namespace bellwether {
namespace {

constexpr double fast_cells_per_s = 1e8;  // through an iteration; for the batch only
constexpr double short_sample_cells = 2e5;
constexpr std::size_t cell_bytes = 1000;    // at most, while a mesh is built or run on
constexpr std::size_t touched_bytes = 200;  // of these what the loops touch in f64

const char* name_of(AirfoilLoop loop) { return airfoil_loop_names[static_cast<std::size_t>(loop)]; }

/// What the cases share: meshes by their cells, and the one flow that is being measured.
struct Flows {
  std::map<std::int64_t, AirfoilLocal> meshes;
  std::unique_ptr<AirfoilIterations> running;

  const AirfoilLocal& mesh(const AirfoilMesh& mesh) {
    const auto known = meshes.find(mesh.cells());
    if (known != meshes.end()) return known->second;
    return meshes[mesh.cells()] = airfoil_mesh_alone(mesh);
  }
};

Flows& flows_of(Bench& bench) {
  return bench.kept<Flows>([] { return std::make_unique<Flows>(); });
}

std::vector<AirfoilSpec> airfoil_specs(const Bench& bench) {
  std::vector<AirfoilSpec> specs;
  const Increments added = default_increments(bench.device(), false);
  const bool gathers = default_increments(bench.device(), true) == Increments::gather;
  const std::vector<AirfoilMesh> meshes = airfoil_meshes(bench.limits(), bench.room());
  for (std::size_t n = 0; n < meshes.size(); ++n) {
    for (const char* precision : {"f32", "f64"}) {
      // Where a gather is not the default it is bound by its arithmetic: one size tells.
      if (gathers || n == 0) specs.push_back({meshes[n], precision, true, Increments::gather});
      if (!gathers || added != Increments::plain)
        specs.push_back({meshes[n], precision, true, added});
      // OP2's five loops, of which the paper form takes the largest set's cost.
      if (n + 1 == meshes.size() || !bench.limits().quick || !bench.device().is_host())
        specs.push_back({meshes[n], precision, false, added});
    }
  }
  return specs;
}

}  // namespace

std::string AirfoilSpec::name() const {
  constexpr const char* names[] = {"five", "fused", "gather", "tiled"};
  return fmt::format("airfoil/{}/{}/cells:{}", names[static_cast<int>(sequence())], precision,
                     mesh.cells());
}

std::vector<AirfoilMesh> airfoil_meshes(const CalibrationLimits& limits, std::size_t room) {
  const auto wanted = limits.quick
                          ? std::vector{3000, 30'000, 100'000, 400'000, 800'000}
                          : std::vector{1500, 4500, 13'000, 40'000, 120'000, 360'000, 1'080'000};
  const auto edge = static_cast<std::size_t>(limits.largest_edge);
  const std::size_t most_touched =
      edge > 0 ? std::min(limits.most_case_bytes, 2 * edge * edge * edge * sizeof(double))
               : limits.most_case_bytes;
  std::vector<AirfoilMesh> meshes;
  for (const int cells : wanted) {
    const auto part = std::lround(std::sqrt(cells / 18.0));
    const AirfoilMesh mesh{2 * part, 3 * part};
    const auto all = static_cast<std::size_t>(mesh.cells());
    if (all * cell_bytes <= room && all * touched_bytes <= most_touched) meshes.push_back(mesh);
  }
  return meshes;
}

AirfoilCases plan_airfoil(Plan& plan) {
  plan.group("Airfoil's loops", 0.14);
  return plan.add_all(airfoil_specs(plan.bench()));
}

BenchCase make_case(Bench& bench, const AirfoilSpec& spec) {
  BenchCase work;
  work.name = spec.name();
  work.cells = static_cast<double>(spec.mesh.cells());
  work.batch = batch_for(work.cells / fast_cells_per_s);
  work.samples_per_round = work.cells < short_sample_cells ? 5 : 2;
  for (const AirfoilLoop loop : airfoil_loops(spec.sequence())) {
    work.parts.emplace_back(name_of(loop));
    work.part_bytes.push_back(airfoil_calls(loop) * airfoil_elements(spec.mesh, loop) *
                              airfoil_loop_bytes(loop, spec.precision, AirfoilTraffic::own));
    work.bytes += work.part_bytes.back();
  }
  Flows& flows = flows_of(bench);
  work.prepare = [&bench, &flows, spec] {
    flows.running.reset();  // both might not fit
    flows.running = make_airfoil_iterations(bench.session(), bench.device(), flows.mesh(spec.mesh),
                                            spec.precision, spec.fused, spec.increments);
    flows.running->iterate(2);
  };
  work.sample = [&flows, batch = work.batch] { return flows.running->iterate(batch); };
  work.part_seconds = [&flows, loops = airfoil_loops(spec.sequence())] {
    std::vector<double> seconds;
    for (const AirfoilLoop loop : loops) seconds.push_back(flows.running->seconds(loop));
    return seconds;
  };
  return work;
}

}  // namespace bellwether
