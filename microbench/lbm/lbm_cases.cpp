// SPDX-License-Identifier: MIT
#include <memory>
#include <vector>

#include "kernels/lbm/lbm.hpp"
#include "kernels/stream/stream.hpp"
#include "microbench/driver/registry.hpp"
#include "microbench/stencil/stencil_core_fit.hpp"
#include "miniapps/stencil/core_box.hpp"

namespace bellwether {
namespace {

constexpr double fast_cells_per_s = 1e9;  // of a host; for the batch only

/// The lattice at so many bytes of the arena, in a uniform flow.
template <class T>
void set_flow(Bench& bench, const LbmGrid& grid, std::size_t offset_bytes = 0) {
  const auto edge = static_cast<std::size_t>(grid.layout.cells()[0]);
  const Buffer<double> zeros =
      uploaded(bench.device(), std::vector<double>(edge, 0.), bench.stream());
  const double* const none = zeros.data();
  const LbmFlow flow{{0.05, 0.02, -0.03},
                     {none, none, none},
                     {none, none, none},
                     {none, none, none},
                     {none, none, none}};
  bench.kernels<LbmKernels<T>>().set_flow(grid, reinterpret_cast<T*>(bench.arena() + offset_bytes),
                                          flow, LbmBox<T>::collision(), bench.stream());
  bench.device().fence(bench.stream());
}

/// Steps of a box in memory of its own.
template <class T>
struct BoxSteps {
  LbmBox<T> box;
  std::size_t offset_bytes;  ///< in the arena
  std::shared_ptr<Prefetch> prefetch = std::make_shared<Prefetch>(Prefetch::none);
  std::shared_ptr<int> steps = std::make_shared<int>(0);  ///< since the flow was set

  void set_anew(Bench& bench) const {
    set_flow<T>(bench, box.grid(), offset_bytes);
    *steps = 0;
  }
  [[nodiscard]] std::function<void()> updates(Bench& bench) const {
    return [&bench, &kernels = bench.kernels<LbmKernels<T>>(), *this] {
      box.update(kernels, bench.arena() + offset_bytes, (*steps)++, *prefetch, bench.stream());
    };
  }
};

constexpr int probed_edge = LbmBox<float>::probed_edge;

/// Where beside a case's box the probed cube begins, on a line of its own.
template <class T>
std::size_t cube_offset_bytes(const CoreSpec& spec) {
  const std::size_t bytes = LbmBox<T>(spec.row, spec.across).bytes();
  return (bytes + cache_line_bytes - 1) / cache_line_bytes * cache_line_bytes;
}
/// That a case takes of the arena: the cube, which fits wherever another case does, and its box.
template <class T>
std::size_t bytes_of(const CoreSpec& spec) {
  const std::size_t cube = LbmBox<T>(probed_edge, probed_edge).bytes();
  return spec.what == "probed" ? cube : cube_offset_bytes<T>(spec) + cube;
}

BenchCase make_case(Bench& bench, const CoreSpec& spec) {
  BenchCase work;
  work.name = spec.name();
  work.samples_per_round = spec.samples_per_round();
  with_precision(spec.precision, [&]<class T>(T) {
    const BoxSteps<T> one{LbmBox<T>(spec.row, spec.across), 0};
    work.cells = one.box.cells();
    work.bytes = 2. * d3q19::populations * work.cells * sizeof(T);
    work.batch = batch_on(bench, work, work.cells / fast_cells_per_s);
    const auto update = one.updates(bench);
    const BoxSteps<T> cube{LbmBox<T>(probed_edge, probed_edge), cube_offset_bytes<T>(spec)};
    const int cube_batch = batch_for(cube.box.cells() / fast_cells_per_s);
    const auto set_anew = [&bench, one, cube,
                           beside = bench.device().is_host() && spec.what != "probed"] {
      one.set_anew(bench);
      if (beside) cube.set_anew(bench);
    };
    if (spec.is_small() || !bench.device().is_host()) {
      // As the mini-app finds faster, of boxes of cores' own caches nothing is asked for.
      work.prepare = [&bench, set_anew, update] {
        set_anew();
        settle(bench, update, 0);
      };
      if (spec.what == "core")
        time_beside(bench, work, update, cube.updates(bench), cube_batch);
      else
        work.sample = repeated(bench, update, work.batch);
      return;
    }
    const auto moved_prefetch = std::make_shared<Prefetch>(Prefetch::none);
    const auto memory = [&bench, &updates = bench.kernels<StreamKernels<T>>(), box = one.box,
                         moved_prefetch] {
      box.move(updates, bench.arena(), *moved_prefetch, bench.stream());  // as they are, times one
    };
    work.prepare = [&bench, set_anew, one, update, memory, moved_prefetch] {
      set_anew();
      choose_prefetch(bench, many_array_prefetches, memory, *moved_prefetch);
      choose_prefetch(bench, lbm_prefetches, update, *one.prefetch);
      settle(bench, update, outer_cache_s);
    };
    time_beside(bench, work, update, cube.updates(bench), cube_batch, memory);
  });
  return work;
}

CoreCases plan_lbm(Plan& plan) {
  const bool on_host = plan.bench().device().is_host();
  plan.group(on_host ? "lbm in the caches" : "lbm's updates", 0.01);
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
        add({"lbm", "update", precision, edge, edge});
    return cases;
  }
  for (const char* precision : {"f32", "f64"}) {
    add({"lbm", "probed", precision, probed_edge, probed_edge});
    for (const auto& [row, across] : boxes_in_cache(
             {24, 27, 32, 35, 38, 41, 48, 64, 96, 125, 150, 160},
             d3q19::populations * value_bytes(precision), plan.bench().core_cache_bytes()))
      add({"lbm", "core", precision, row, across});
  }
  plan.group("lbm beside its memory", 0.015);
  plan.measure_again_between();
  for (const char* precision : {"f32", "f64"}) {
    // From the outer cache and from memory: they do not hide the same. Not at its edge, where what
    // others leave of it decides.
    for (const int edge : {32, 56, 144}) add({"lbm", "update", precision, edge, edge});
  }
  return cases;
}

/// Rows that wrap stand without gaps where they are a multiple of half a line (GridLayout).
void lbm_from_samples(const CoreCases& cases, const SampleStore& store, Machine& machine) {
  if (machine.device.kind == "gpu")
    return update_from_samples(cases, lattice_boltzmann(), store, machine);
  core_from_samples(cases, d3q19::populations, cache_line_bytes / 2., store, machine);
}

}  // namespace

Folder lbm_folder() { return {measured(plan_lbm, lbm_from_samples), true}; }

}  // namespace bellwether
