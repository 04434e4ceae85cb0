// SPDX-License-Identifier: MIT
#include <functional>
#include <memory>

#include "kernels/diffusion/diffusion.hpp"
#include "kernels/stream/stream.hpp"
#include "microbench/driver/registry.hpp"
#include "microbench/stencil/stencil_core_fit.hpp"
#include "miniapps/diffusion/diffusion_problem.hpp"
#include "miniapps/stencil/core_box.hpp"

namespace bellwether {
namespace {

constexpr double fast_cells_per_s = 4e9;  // of a host; for the batch only

/// Steps of a box in memory of its own, by the way that is set.
template <class T>
struct BoxSteps {
  Bench& bench;
  DiffusionBox<T> box;
  std::size_t offset_bytes;  ///< in the arena
  std::shared_ptr<SweepWay> way;

  [[nodiscard]] std::function<void()> updates() const {
    return stepping([kernels = &bench.kernels<DiffusionKernels<T>>(), *this](int step) {
      box.update(*kernels, memory(), step, *way, bench.stream());
    });
  }
  [[nodiscard]] std::function<void()> copies() const {
    return stepping([kernels = &bench.kernels<StreamKernels<T>>(), *this](int step) {
      box.copy(*kernels, memory(), step, *way, bench.stream());
    });
  }

 private:
  [[nodiscard]] std::byte* memory() const { return bench.arena() + offset_bytes; }
  template <class Step>
  static std::function<void()> stepping(Step step) {
    return [step, number = 0]() mutable { step(number++); };
  }
};

constexpr int probed_edge = DiffusionBox<float>::probed_edge;

/// That a case takes of the arena: its box, and beside it the probed cube, which fits wherever
/// another case does.
template <class T>
std::size_t bytes_of(const CoreSpec& spec) {
  const std::size_t cube = DiffusionBox<T>(probed_edge, probed_edge).bytes();
  return spec.what == "probed" ? cube : DiffusionBox<T>(spec.row, spec.across).bytes() + cube;
}

BenchCase make_case(Bench& bench, const CoreSpec& spec) {
  BenchCase work;
  work.name = spec.name();
  work.samples_per_round = spec.samples_per_round();
  with_precision(spec.precision, [&]<class T>(T) {
    const DiffusionBox<T> box(spec.row, spec.across);
    work.cells = box.cells();
    work.bytes = 2 * work.cells * sizeof(T);
    work.batch = batch_on(bench, work, work.cells / fast_cells_per_s);
    const bool streams = spec.what == "update" && bench.device().is_host();
    const auto stores = streams ? Stores::streaming : Stores::cached;
    const BoxSteps<T> one{bench, box, 0, std::make_shared<SweepWay>(stores)};
    const auto update = one.updates();
    const DiffusionBox<T> cube(probed_edge, probed_edge);
    const auto cubes =
        BoxSteps<T>{bench, cube, box.bytes(), std::make_shared<SweepWay>(Stores::cached)}.updates();
    const int cube_batch = batch_for(cube.cells() / fast_cells_per_s);
    if (spec.is_small() || !bench.device().is_host()) {
      work.prepare = [&bench, spec, update] {
        bench.renew_numbers<T>(bytes_of<T>(spec) / sizeof(T));
        settle(bench, update, 0);
      };
      if (spec.what == "core")
        time_beside(bench, work, update, cubes, cube_batch);
      else
        work.sample = repeated(bench, update, work.batch);
      return;
    }
    const BoxSteps<T> moved{bench, box, 0, std::make_shared<SweepWay>(stores)};
    const auto memory = moved.copies();
    work.prepare = [&bench, spec, update, memory, way = one.way, moved_way = moved.way] {
      bench.renew_numbers<T>(bytes_of<T>(spec) / sizeof(T));
      choose_prefetch(bench, streaming_prefetches, memory, moved_way->prefetch);
      choose_prefetch(bench, streaming_prefetches, update, way->prefetch);
      settle(bench, update, outer_cache_s);
    };
    time_beside(bench, work, update, cubes, cube_batch, memory);
  });
  return work;
}

CoreCases plan_diffusion(Plan& plan) {
  const bool on_host = plan.bench().device().is_host();
  plan.group(on_host ? "diffusion in the caches" : "diffusion's updates", 0.01);
  CoreCases cases;
  const auto add = [&](const CoreSpec& spec) {
    const std::size_t needed =
        with_precision(spec.precision, [&]<class T>(T) { return bytes_of<T>(spec); });
    if (needed <= plan.bench().arena_bytes())
      cases.push_back({spec, plan.add(make_case(plan.bench(), spec))});
  };
  if (!on_host) {
    for (const char* precision : {"f32", "f64"})
      for (const int edge : device_edges(plan.bench().limits()))
        add({"diffusion", "update", precision, edge, edge});
    return cases;
  }
  const std::size_t cache_bytes = plan.bench().core_cache_bytes();
  for (const char* precision : {"f32", "f64"}) {
    add({"diffusion", "probed", precision, probed_edge, probed_edge});
    for (const auto& [row, across] :
         boxes_in_cache({41, 46, 48, 51, 53, 60, 63, 64, 66, 80, 160, 250, 320},
                        2 * value_bytes(precision), cache_bytes))
      add({"diffusion", "core", precision, row, across});
  }
  plan.group("diffusion beside its memory", 0.015);
  plan.measure_again_between();
  for (const char* precision : {"f32", "f64"}) add({"diffusion", "update", precision, 192, 192});
  return cases;
}

void diffusion_from_samples(const CoreCases& cases, const SampleStore& store, Machine& machine) {
  if (machine.device.kind == "gpu")
    return update_from_samples(cases, diffusion_stencil(), store, machine);
  core_from_samples(cases, 2, cache_line_bytes, store, machine);
}

}  // namespace

Folder diffusion_folder() { return {measured(plan_diffusion, diffusion_from_samples), true}; }

}  // namespace bellwether
