// SPDX-License-Identifier: MIT
#include "microbench/compute/compute_cases.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace bellwether {
namespace {

constexpr double host_flops = 2e8;  // of a multiply-add sample: some milliseconds
constexpr double device_flops = 1e11;
constexpr int host_launches = 100;
constexpr int device_launches = 1000;  // the fence after them is a small part of a sample

template <class T>
long repeats_of(const Bench& bench) {
  const double goal = bench.device().is_host() ? host_flops : device_flops;
  return std::max(1L, static_cast<long>(goal / bench.kernels<T>().dense->multiply_add_flops(1)));
}

template <class T>
std::function<void()> multiply_add_once(Bench& bench) {
  return [&bench] {
    auto* const out = reinterpret_cast<T*>(bench.arena());
    bench.kernels<T>().dense->multiply_add(repeats_of<T>(bench), out, bench.stream());
  };
}

template <class T>
std::function<void()> gemm_once(Bench& bench) {
  return [&bench] {
    const auto n = static_cast<std::size_t>(bench.sizes().gemm_size);
    auto* const a = reinterpret_cast<T*>(bench.arena());
    bench.kernels<T>().dense->gemm(bench.sizes().gemm_size, a, a + n * n, a + 2 * n * n,
                                   bench.stream());
  };
}

}  // namespace

std::string ComputeSpec::name() const {
  return fmt::format("{}/{}/{}", kernel == ComputeKernel::gemm ? "gemm" : "multiply_add", precision,
                     all ? "all" : "alone");
}

std::vector<ComputeSpec> compute_specs(const Bench& bench) {
  std::vector<ComputeSpec> specs;
  std::vector<ComputeKernel> kernels{ComputeKernel::multiply_add};
  if (bench.gemm_problem().empty()) kernels.push_back(ComputeKernel::gemm);
  for (const auto kernel : kernels)
    for (const char* precision : {"f32", "f64"})
      for (const bool all : {false, true})
        if (all || bench.session().size() > 1) specs.push_back({kernel, precision, all});
  return specs;
}

double flops_of(const Bench& bench, const ComputeSpec& spec) {
  const double n = bench.sizes().gemm_size;
  if (spec.kernel == ComputeKernel::gemm) return 2 * n * n * n;
  return with_precision(spec.precision, [&]<class T>(T) {
    return bench.kernels<T>().dense->multiply_add_flops(repeats_of<T>(bench));
  });
}

Benchmark make_case(Bench& bench, const ComputeSpec& spec) {
  Benchmark work;
  work.name = spec.name();
  work.flops = flops_of(bench, spec);
  work.everyone = spec.all;
  work.active = spec.all || bench.session().rank() == 0;
  const auto once = with_precision(spec.precision, [&]<class T>(T) {
    return spec.kernel == ComputeKernel::gemm ? gemm_once<T>(bench) : multiply_add_once<T>(bench);
  });
  work.sample = [&bench, once] { return bench.timed(once); };
  work.prepare = [&bench, once] {
    (void)bench.arena();
    once();  // a library's first call finds its kernels and makes its threads
  };
  return work;
}

std::string launch_name(std::size_t items) { return fmt::format("launch/items:{}", items); }

Benchmark make_launch_case(Bench& bench, std::size_t items) {
  Benchmark work;
  work.name = launch_name(items);
  work.batch = bench.device().is_host() ? host_launches : device_launches;
  work.sample = repeated(
      bench, [&bench, items] { bench.device().launch_nothing(items, bench.stream()); }, work.batch);
  return work;
}

}  // namespace bellwether
