// SPDX-License-Identifier: MIT
#include "microbench/compute/compute.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

#include "kernels/dense/dense.hpp"
#include "models/errors.hpp"

namespace bellwether {
namespace {

constexpr double host_flops = 2e8;  // of a multiply-add sample: some milliseconds
constexpr double device_flops = 1e11;
constexpr int host_launches = 100;
constexpr int device_launches = 1000;  // the fence after them is a small part of a sample

template <class T>
long repeats_of(Bench& bench) {
  const double goal = bench.device().is_host() ? host_flops : device_flops;
  const auto& kernels = bench.kernels<DenseKernels<T>>();
  return std::max(1L, static_cast<long>(goal / kernels.multiply_add_flops(1)));
}

template <class T>
std::function<void()> multiply_add_once(Bench& bench) {
  return [&bench, &kernels = bench.kernels<DenseKernels<T>>(), repeats = repeats_of<T>(bench)] {
    kernels.multiply_add(repeats, reinterpret_cast<T*>(bench.arena()), bench.stream());
  };
}

template <class T>
std::function<void()> gemm_once(Bench& bench, int size) {
  return [&bench, &kernels = bench.kernels<DenseKernels<T>>(), size] {
    const auto values = static_cast<std::size_t>(size) * static_cast<std::size_t>(size);
    auto* const a = reinterpret_cast<T*>(bench.arena());
    kernels.gemm(size, a, a + values, a + 2 * values, bench.stream());
  };
}

std::size_t matrices_bytes(int size) {
  constexpr std::size_t page = 4096;
  const auto n = static_cast<std::size_t>(size);
  return 3 * ((n * n * sizeof(double) + page - 1) / page * page);
}

int gemm_size_within(const CalibrationLimits& limits, std::size_t room) {
  int size = limits.quick ? 1024 : 2048;
  while (matrices_bytes(size) > std::min(room, limits.most_case_bytes)) size /= 2;
  return size;
}

/// ComputeCases::gemm_problem.
std::string gemm_problem_of(Bench& bench) {
  try {
    agree_on_errors(bench.session().world(), [&] {
      bench.kernels<DenseKernels<float>>().prepare_gemm();
      bench.kernels<DenseKernels<double>>().prepare_gemm();
    });
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return {};
}

std::vector<ComputeSpec> compute_specs(Bench& bench, bool with_gemm, int gemm_size) {
  std::vector<ComputeSpec> specs;
  std::vector<ComputeKernel> kernels{ComputeKernel::multiply_add};
  if (with_gemm) kernels.push_back(ComputeKernel::gemm);
  for (const auto kernel : kernels)
    for (const char* precision : {"f32", "f64"}) {
      const double flops =
          kernel == ComputeKernel::gemm
              ? 2. * gemm_size * gemm_size * gemm_size
              : with_precision(precision, [&]<class T>(T) {
                  return bench.kernels<DenseKernels<T>>().multiply_add_flops(repeats_of<T>(bench));
                });
      for (const bool all : {false, true})
        if (all || bench.session().size() > 1)
          specs.push_back({kernel, precision, all, gemm_size, flops});
    }
  return specs;
}

}  // namespace

std::string ComputeSpec::name() const {
  return fmt::format("{}/{}/{}", kernel == ComputeKernel::gemm ? "gemm" : "multiply_add", precision,
                     all ? "all" : "alone");
}

BlasFacts read_blas_facts() {
  const auto value = [](const char* name) {
    const char* const found = std::getenv(name);
    return std::string(found != nullptr ? found : "");
  };
  BlasFacts facts{value("OPENBLAS_CORETYPE"), {}, value("OPENBLAS_NUM_THREADS")};
  if (void* const found = dlsym(RTLD_DEFAULT, "openblas_get_corename"))
    facts.core = reinterpret_cast<char* (*)()>(found)();
  return facts;
}

ComputeCases plan_compute(Plan& plan) {
  Bench& bench = plan.bench();
  ComputeCases cases;
  cases.gemm_problem = gemm_problem_of(bench);
  cases.gemm_library = bench.kernels<DenseKernels<float>>().gemm_library();
  cases.blas = read_blas_facts();
  const int size = gemm_size_within(bench.limits(), bench.room());
  bench.reserve_arena(matrices_bytes(size));
  plan.group("arithmetic", 0.05);
  cases.kernels = plan.add_all(compute_specs(bench, cases.gemm_problem.empty(), size));
  cases.launches = plan.add_all(std::vector<LaunchSpec>{{1}, {std::size_t{1} << 16}});
  if (cases.gemm_problem.empty()) plan.repeat_at_end(cases.kernels.back().key);
  return cases;
}

BenchCase make_case(Bench& bench, const ComputeSpec& spec) {
  BenchCase work;
  work.name = spec.name();
  work.flops = spec.flops;
  work.everyone = spec.all;
  work.active = spec.all || bench.session().rank() == 0;
  const auto once = with_precision(spec.precision, [&]<class T>(T) {
    return spec.kernel == ComputeKernel::gemm ? gemm_once<T>(bench, spec.gemm_size)
                                              : multiply_add_once<T>(bench);
  });
  work.sample = [&bench, once] { return bench.timed(once); };
  work.prepare = [&bench, once] {
    (void)bench.arena();
    once();  // a library's first call finds its kernels and makes its threads
  };
  return work;
}

BenchCase make_case(Bench& bench, const LaunchSpec& spec) {
  BenchCase work;
  work.name = fmt::format("launch/items:{}", spec.items);
  work.batch = bench.device().is_host() ? host_launches : device_launches;
  work.sample = repeated(
      bench, [&bench, items = spec.items] { bench.device().launch_nothing(items, bench.stream()); },
      work.batch);
  return work;
}

}  // namespace bellwether
