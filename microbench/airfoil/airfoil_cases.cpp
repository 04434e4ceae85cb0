// SPDX-License-Identifier: MIT
#include "microbench/airfoil/airfoil_cases.hpp"

#include <fmt/format.h>

#include "models/airfoil/airfoil_loops.hpp"

namespace bellwether {
namespace {

constexpr double fast_cells_per_s = 1e8;  // through an iteration; for the batch only
constexpr double short_sample_cells = 2e5;

const char* name_of(AirfoilLoop loop) { return airfoil_loop_names[static_cast<std::size_t>(loop)]; }

}  // namespace

std::string AirfoilSpec::name() const {
  return fmt::format("airfoil/{}/{}/cells:{}", fused ? "fused" : "five", precision, mesh.cells());
}

std::string AirfoilSpec::name(AirfoilLoop loop) const { return part_name(name(), name_of(loop)); }

std::vector<AirfoilSpec> airfoil_specs(const Bench& bench) {
  std::vector<AirfoilSpec> specs;
  for (const AirfoilMesh& mesh : bench.sizes().airfoil_meshes)
    for (const char* precision : {"f32", "f64"})
      for (const bool fused : {true, false}) specs.push_back({mesh, precision, fused});
  return specs;
}

Benchmark make_case(Bench& bench, const AirfoilSpec& spec) {
  Benchmark work;
  work.name = spec.name();
  work.cells = static_cast<double>(spec.mesh.cells());
  work.batch = batch_for(work.cells / fast_cells_per_s);
  work.samples_per_round = work.cells < short_sample_cells ? 5 : 2;
  for (const AirfoilLoop loop : airfoil_loops(spec.fused)) {
    work.parts.emplace_back(name_of(loop));
    work.part_bytes.push_back(airfoil_calls(loop) * airfoil_elements(spec.mesh, loop) *
                              airfoil_loop_bytes(loop, spec.precision, AirfoilTraffic::own));
    work.bytes += work.part_bytes.back();
  }
  work.prepare = [&bench, spec] {
    bench.airfoil().reset();  // one at a time: together they might not fit
    bench.airfoil() = make_airfoil_iterations(
        bench.session(), bench.device(), bench.airfoil_mesh(spec.mesh), spec.precision, spec.fused);
    bench.airfoil()->iterate(2);
  };
  work.sample = [&bench, batch = work.batch] { return bench.airfoil()->iterate(batch); };
  work.part_seconds = [&bench, loops = airfoil_loops(spec.fused)] {
    std::vector<double> seconds;
    for (const AirfoilLoop loop : loops) seconds.push_back(bench.airfoil()->seconds(loop));
    return seconds;
  };
  return work;
}

}  // namespace bellwether
