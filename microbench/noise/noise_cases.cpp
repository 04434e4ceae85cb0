// SPDX-License-Identifier: MIT
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "microbench/noise/noise.hpp"
#include "miniapps/comm/reduce.hpp"
#include "miniapps/comm/session/cores.hpp"

namespace bellwether {
namespace {

constexpr double quantum_s = 2e-4;
constexpr double quick_run_s = 0.065, full_run_s = 0.2;  // 15 and 25 of them: 1 and 5 seconds
constexpr std::size_t most_runs = 200;                   // kept, where somebody asks for more

/// A chain of multiply-adds in a register, each of which waits for the one before: no memory, and
/// nothing that a processor may do at once, or a compiler leave out or do once for all quanta.
void work(long steps) {
  double value = 1;
  benchmark::DoNotOptimize(value);
  for (long step = 0; step < steps; ++step) value = value * 0.999999 + 1e-6;
  benchmark::DoNotOptimize(value);
}

/// Collective: of a quantum, the same on all ranks.
long quantum_steps(MPI_Comm comm) {
  constexpr long few = 20000;
  double least_s = std::numeric_limits<double>::infinity();
  for (int repeat = 0; repeat < 20; ++repeat) {
    const double begin = clock_s();
    work(few);
    least_s = std::min(least_s, clock_s() - begin);
  }
  return std::max(1L, std::lround(few * quantum_s / largest(comm, least_s)));
}

}  // namespace

NoiseCases plan_noise(Plan& plan) {
  const Bench& bench = plan.bench();
  NoiseCases cases{bench.session().world(), bench.node_of_rank(),
                   std::make_shared<std::vector<QuantumRun>>()};
  if (!shared_cores(bench.session()).empty()) return cases;
  const long steps = quantum_steps(cases.comm);
  const auto quanta =
      static_cast<int>(std::lround((bench.limits().quick ? quick_run_s : full_run_s) / quantum_s));
  plan.group("noise", 0.01);
  BenchCase quantum;
  quantum.name = "noise/quantum";
  quantum.batch = quanta;
  quantum.sample = [steps, quanta, runs = cases.runs] {
    QuantumRun times{clock_s()};
    times.reserve(static_cast<std::size_t>(quanta) + 1);
    for (int index = 0; index < quanta; ++index) {
      work(steps);
      times.push_back(clock_s());
    }
    const double seconds = times.back() - times.front();
    if (runs->size() < most_runs) runs->push_back(std::move(times));
    return seconds;
  };
  plan.add(std::move(quantum));
  return cases;
}

Folder noise_folder() { return {measured(plan_noise, noise_from_samples)}; }

}  // namespace bellwether
