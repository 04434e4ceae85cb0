// SPDX-License-Identifier: MIT
#include "microbench/links/copy_cases.hpp"

#include <fmt/format.h>

#include "microbench/links/message_buffers.hpp"

namespace bellwether {
namespace {

constexpr double fast_copy_s = 1e-7, fast_copy_bytes_per_s = 2e10;  // for the batch only

/// From one host buffer, freshly written as by a pack kernel, to a cold one.
double stage(Bench& bench, std::size_t bytes, int batch) {
  double total = 0;
  for (int turn = 0; turn < batch; ++turn) {
    std::byte* const from = buffers_of(bench).send(bytes, turn);
    std::byte* const to = buffers_of(bench).cold(bytes);
    write_fresh(from, bytes, turn);
    total += bench.timed([&] { bench.device().copy(to, from, bytes, bench.stream()); });
  }
  return total;
}

double cross(Bench& bench, std::byte* host, std::size_t bytes, bool to_device, int batch) {
  std::byte* const on_device = bench.arena();
  double total = 0;
  for (int turn = 0; turn < batch; ++turn) {
    if (to_device) write_fresh(host, bytes, turn);
    std::byte* const to = to_device ? on_device : host;
    const std::byte* const from = to_device ? host : on_device;
    total += bench.timed([&] { bench.device().copy(to, from, bytes, bench.stream()); });
  }
  return total;
}

}  // namespace

std::string CopySpec::name() const {
  if (link == "staging") return fmt::format("staging/{}", bytes);
  return fmt::format("{}/{}/{}", link, pinned ? "pinned" : "pageable", bytes);
}

std::vector<CopySpec> copy_specs(const Bench& bench) {
  std::vector<CopySpec> specs;
  for (const std::size_t bytes : message_sizes(bench.limits())) {
    if (bench.device().is_host()) {
      specs.push_back({"staging", true, bytes});
      continue;
    }
    for (const char* link : {"host_to_device", "device_to_host"})
      for (const bool pinned : {true, false}) specs.push_back({link, pinned, bytes});
  }
  return specs;
}

BenchCase make_case(Bench& bench, const CopySpec& spec) {
  BenchCase work;
  work.name = spec.name();
  work.bytes = static_cast<double>(spec.bytes);
  work.batch = batch_for(fast_copy_s + work.bytes / fast_copy_bytes_per_s, 1e-4);
  if (spec.link == "staging") {
    work.prepare = [&bench] { (void)buffers_of(bench); };
    work.sample = [&bench, bytes = spec.bytes, batch = work.batch] {
      return stage(bench, bytes, batch);
    };
    return work;
  }
  const auto heap = std::make_shared<std::vector<std::byte>>();
  work.prepare = [&bench, heap, spec] {
    (void)bench.arena();
    (void)buffers_of(bench);
    if (!spec.pinned) heap->resize(spec.bytes);
  };
  work.sample = [&bench, heap, spec, batch = work.batch] {
    std::byte* const host = spec.pinned ? buffers_of(bench).send(spec.bytes, 0) : heap->data();
    return cross(bench, host, spec.bytes, spec.link == "host_to_device", batch);
  };
  return work;
}

}  // namespace bellwether
