// SPDX-License-Identifier: MIT
#include "microbench/memory/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include "kernels/lbm/lattice.hpp"

namespace bellwether {
namespace {

constexpr double fast_memory_bytes_per_s = 6e10;  // of a host; for the batch only
constexpr double short_sample_bytes = 6e7;        // some milliseconds
constexpr double medium_sample_bytes = 3e8;
constexpr const char* in_place = "in_place";

Stores stores_of(const MemoryVariant& variant) {
  return variant.stores == "streaming" ? Stores::streaming : Stores::cached;
}

std::size_t element_bytes(const MemoryVariant& variant) {
  return variant.precision == "f32" ? sizeof(float) : sizeof(double);
}

std::string text(const MemoryVariant& variant) {
  const std::string arrays = variant.arrays == 1 ? "" : fmt::format("/arrays:{}", variant.arrays);
  return fmt::format("{}/{}{}/ranks:{}", variant.precision, variant.stores, arrays, variant.ranks);
}

std::vector<MemoryVariant> variants(const Bench& bench, const std::string& precision,
                                    bool doubled = false) {
  std::vector<MemoryVariant> all;
  std::vector<int> ranks{1};
  for (int some = 2; doubled && some < bench.ranks_per_node(); some *= 2) ranks.push_back(some);
  if (bench.ranks_per_node() > 1) ranks.push_back(bench.ranks_per_node());
  for (const Stores stores : bench.device().store_kinds())
    for (const int count : ranks) all.push_back({count, name_of(stores), precision});
  return all;
}

/// Who runs it: every rank, or the first so many of rank 0's node.
void choose_ranks(const Bench& bench, int ranks, BenchCase& work) {
  const auto nodes = bench.node_of_rank().begin(), own = nodes + bench.session().rank();
  work.everyone = ranks == bench.ranks_per_node();
  work.active = work.everyone || (*own == *nodes && std::count(nodes, own, *nodes) < ranks);
}

/// What sweeps of such a case may ask for.
std::span<const Prefetch> prefetches_of(const Bench& bench, const NeighboursSpec& spec) {
  if (!bench.device().is_host()) return {};
  if (spec.variant.arrays > 1) return many_array_prefetches;
  if (stores_of(spec.variant) == Stores::streaming) return streaming_prefetches;
  return {};
}

/// There and back in turn, as a step's output is the next one's input: what one leaves in the
/// caches the next finds.
template <class T>
std::function<void()> neighbours_once(Bench& bench, const NeighboursSpec& spec,
                                      const std::shared_ptr<const SweepWay>& way) {
  const GridLayout layout({spec.edge, spec.edge, spec.edge}, sizeof(T));
  return [&bench, &kernels = bench.kernels<StreamKernels<T>>(), layout, rereads = spec.rereads, way,
          back = false]() mutable {
    std::byte* from = bench.arena();
    std::byte* to = from + field_bytes(layout.cells()[0], sizeof(T));
    if (back) std::swap(from, to);
    back = !back;
    kernels.neighbours(rereads, reinterpret_cast<const T*>(from), reinterpret_cast<T*>(to), layout,
                       layout.interior(), *way, bench.stream());
  };
}

template <class T>
std::function<void()> update_once(Bench& bench, const NeighboursSpec& spec,
                                  const std::shared_ptr<const SweepWay>& way) {
  return [&bench, &kernels = bench.kernels<StreamKernels<T>>(), arrays = spec.variant.arrays, way,
          count = static_cast<std::size_t>(spec.edge) * spec.edge * spec.edge] {
    // By one, exactly: numbers stay as they are however often it runs.
    kernels.update(reinterpret_cast<T*>(bench.arena()), T(1), count, arrays, way->prefetch,
                   bench.stream());
  };
}

template <class T>
std::function<void()> stream_once(Bench& bench, const StreamSpec& spec,
                                  const std::shared_ptr<const SweepWay>& way) {
  return [&bench, &kernels = bench.kernels<StreamKernels<T>>(), kernel = spec.kernel, way,
          count = spec.array_bytes / sizeof(T)] {
    auto* const a = reinterpret_cast<T*>(bench.arena());
    kernels.run(kernel, a, a + count, a + 2 * count, T(0.4), count, *way, bench.stream());
  };
}

/// A CPU's rereads are its core's work, which the stencils' own boxes measure, and so is what tells
/// precisions apart. Its prefetchers follow few arrays; a GPU's threads are many anyway.
std::vector<NeighboursSpec> neighbours_specs(const Bench& bench, const MemorySizes& sizes) {
  const bool on_host = bench.device().is_host();
  std::vector<NeighboursSpec> specs;
  for (const char* precision : {"f32", "f64"}) {
    if (on_host && precision == std::string("f32")) continue;
    for (const MemoryVariant& variant : variants(bench, precision)) {
      for (const int edge : sizes.edges.copied) {
        specs.push_back({edge, 0, variant});
        if (!on_host) specs.push_back({edge, 4, variant});
      }
      if (variant.stores != "cached") continue;
      for (const int edge : sizes.edges.in_place)
        specs.push_back(
            {edge, 0, {variant.ranks, in_place, precision, on_host ? d3q19::populations : 1}});
    }
  }
  std::stable_sort(specs.begin(), specs.end(), [](const auto& a, const auto& b) {
    return a.working_set_bytes() < b.working_set_bytes();
  });
  return specs;
}

std::vector<StreamSpec> stream_specs(const Bench& bench, const MemorySizes& sizes,
                                     StreamKernel kernel) {
  const bool doubled = kernel == StreamKernel::copy && bench.device().is_host();
  std::vector<StreamSpec> specs;
  for (const MemoryVariant& variant : variants(bench, "f64", doubled))
    specs.push_back({kernel, variant, sizes.stream_array_bytes(variant.ranks)});
  return specs;
}

}  // namespace

std::string NeighboursSpec::name() const {
  return fmt::format("neighbours/{}/rereads:{}/{}", edge, rereads, text(variant));
}

double NeighboursSpec::working_set_bytes() const {
  return variant.stores == in_place ? bytes_moved() / 2 : bytes_moved();
}

double NeighboursSpec::bytes_moved() const {
  return 2.0 * edge * edge * edge * static_cast<double>(element_bytes(variant));
}

std::string StreamSpec::name() const {
  return fmt::format("stream/{}/{}", name_of(kernel), text(variant));
}

double StreamSpec::bytes_moved() const {
  return values_moved(kernel) * static_cast<double>(array_bytes);
}

MemoryCases plan_memory(Plan& plan) {
  const MemorySizes sizes = plan_memory_sizes(plan.bench());
  MemoryCases cases{sizes, {}, {}};
  plan.group("memory curves", 0.21);
  cases.neighbours = plan.add_all(neighbours_specs(plan.bench(), sizes));
  plan.group("STREAM", 0.12);
  cases.stream = plan.add_all(stream_specs(plan.bench(), sizes, StreamKernel::copy));
  for (const StreamKernel kernel : {StreamKernel::scale, StreamKernel::add, StreamKernel::triad})
    for (const StreamSpec& spec : stream_specs(plan.bench(), sizes, kernel))
      plan.add_beside(make_case(plan.bench(), spec));
  plan.probe_drift(cases.stream.back().key, "memory");
  return cases;
}

BenchCase make_case(Bench& bench, const NeighboursSpec& spec) {
  BenchCase work;
  work.name = spec.name();
  work.bytes = spec.bytes_moved();
  work.batch = batch_on(bench, work, work.bytes / fast_memory_bytes_per_s);
  work.samples_per_round = work.bytes < short_sample_bytes    ? 5
                           : work.bytes < medium_sample_bytes ? 3
                                                              : 1;
  choose_ranks(bench, spec.variant.ranks, work);
  const auto way = std::make_shared<SweepWay>(stores_of(spec.variant));
  const auto once = with_precision(spec.variant.precision, [&]<class T>(T) {
    return spec.variant.stores == in_place ? update_once<T>(bench, spec, way)
                                           : neighbours_once<T>(bench, spec, way);
  });
  work.sample = repeated(bench, once, work.batch);
  // A step of an application finds in the caches what the steps before left there, both ways;
  // beyond twice their size that is nothing.
  const double at_once =
      spec.working_set_bytes() * (work.everyone ? bench.ranks_per_device() : spec.variant.ranks);
  const double caches = static_cast<double>(bench.last_level_cache_bytes());
  const bool stays_in_cache = caches == 0 || at_once <= 2 * caches;
  work.prepare = [&bench, spec, once, way, stays_in_cache, at_once]() mutable {
    (void)bench.arena();
    if (spec.variant.stores == in_place)
      with_precision(spec.variant.precision, [&]<class T>(T) {
        bench.renew_numbers<T>(static_cast<std::size_t>(spec.working_set_bytes()) / sizeof(T));
      });
    choose_prefetch(bench, prefetches_of(bench, spec), once, way->prefetch);
    const int sweeps = stays_in_cache ? (at_once < medium_sample_bytes ? 3 : 1) : 0;
    for (int sweep = 0; sweep < sweeps; ++sweep) once();
  };
  return work;
}

BenchCase make_case(Bench& bench, const StreamSpec& spec) {
  BenchCase work;
  work.name = spec.name();
  work.bytes = spec.bytes_moved();
  work.batch = batch_on(bench, work, work.bytes / fast_memory_bytes_per_s);
  choose_ranks(bench, spec.variant.ranks, work);
  const auto way = std::make_shared<SweepWay>(stores_of(spec.variant));
  const auto once = with_precision(spec.variant.precision,
                                   [&]<class T>(T) { return stream_once<T>(bench, spec, way); });
  work.sample = repeated(bench, once, work.batch);
  const bool asks = bench.device().is_host() && way->stores == Stores::streaming;
  work.prepare = [&bench, once, way, asks] {
    (void)bench.arena();
    if (asks) choose_prefetch(bench, array_prefetches, once, way->prefetch);
  };
  return work;
}

}  // namespace bellwether
