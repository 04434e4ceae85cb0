// SPDX-License-Identifier: MIT
#include "microbench/compute/compute.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <stdexcept>

#include "kernels/dense/dense.hpp"
#include "kernels/dense/host_blas.hpp"
#include "kernels/stream/stream.hpp"
#include "miniapps/comm/reduce.hpp"
#include "miniapps/comm/stream_timer.hpp"

namespace bellwether {
namespace {

constexpr double host_flops = 2e8;  // of a multiply-add sample: some milliseconds
constexpr double device_sample_s = 1e-2;
constexpr int host_launches = 100;
constexpr int device_launches = 1000;  // the fence after them is a small part of a sample

/// Collective. Of multiply-adds in a sample: as many as take a device some milliseconds.
template <class T>
long repeats_of(Bench& bench) {
  auto& kernels = bench.kernels<DenseKernels<T>>();
  if (bench.device().is_host())
    return std::max(1L, static_cast<long>(host_flops / kernels.multiply_add_flops(1)));
  constexpr long few = 100;
  const Buffer<T> out(bench.device(), kernels.out_size());
  const auto once = [&] { kernels.multiply_add(few, out.data(), bench.stream()); };
  once();  // the first launch loads the kernel
  const double seconds =
      largest(bench.session().world(), seconds_on(bench.device(), bench.stream(), once));
  return std::max(1L, static_cast<long>(device_sample_s / seconds * few));
}

template <class T>
std::function<void()> multiply_add_once(Bench& bench, double flops) {
  auto& kernels = bench.kernels<DenseKernels<T>>();
  return [&bench, &kernels, repeats = std::lround(flops / kernels.multiply_add_flops(1))] {
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

template <class T>
std::size_t matrices_bytes(int size) {
  const auto n = static_cast<std::size_t>(size);
  return 3 * n * n * sizeof(T);
}

/// Collective. Seconds of a product after a first one, which finds the library's kernels, on the
/// slowest rank.
template <class T>
double product_s(Bench& bench, int size) {
  const std::size_t values = matrices_bytes<T>(size) / sizeof(T) / 3;
  const Buffer<T> matrices(bench.device(), 3 * values);
  bench.kernels<StreamKernels<T>>().fill(matrices.data(), 3 * values, 1, bench.stream());
  T* const a = matrices.data();
  const auto once = [&] {
    bench.kernels<DenseKernels<T>>().gemm(size, a, a + values, a + 2 * values, bench.stream());
  };
  once();
  MPI_Barrier(bench.session().world());
  return largest(bench.session().world(), seconds_on(bench.device(), bench.stream(), once));
}

/// n of n x n matrices, and what a product takes, about.
struct Product {
  int size;
  double seconds;
};

/// Collective. The largest for which there are memory and time: what a product will take is
/// reckoned from one of half its size.
template <class T>
Product largest_product(Bench& bench) {
  const CalibrationLimits& limits = bench.limits();
  const bool on_host = bench.device().is_host();
  const double longest_s = limits.quick ? 0.25 : 1;
  int size = on_host ? 128 : 1024;
  const int largest = (on_host ? 2048 : 16384) / (limits.quick ? 2 : 1);
  const auto fits = [&](int n) {
    return n <= largest && matrices_bytes<T>(n) <= std::min(bench.room(), limits.most_case_bytes);
  };
  while (size > 1 && !fits(size)) size /= 2;
  Product product{size, product_s<T>(bench, size)};
  while (fits(2 * product.size) && 8 * product.seconds <= longest_s) {
    size = 2 * product.size;
    product = {size, fits(2 * size) ? product_s<T>(bench, size) : 8 * product.seconds};
  }
  return product;
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

/// Collective. Reserves the arena for the products.
std::vector<ComputeSpec> compute_specs(Bench& bench, bool with_gemm) {
  std::vector<ComputeSpec> specs;
  const auto of_precision = [&]<class T>(const char* precision, T) {
    const double flops = bench.kernels<DenseKernels<T>>().multiply_add_flops(repeats_of<T>(bench));
    specs.push_back({ComputeKernel::multiply_add, precision, 0, flops, 1});
  };
  const auto product_of_precision = [&]<class T>(const char* precision, T) {
    const double sample_s = bench.device().is_host() ? 4e-4 : device_sample_s;
    const auto [size, seconds] = largest_product<T>(bench);
    bench.reserve_arena(matrices_bytes<T>(size));
    specs.push_back({ComputeKernel::gemm, precision, size, 2. * size * size * size,
                     batch_for(seconds, sample_s)});
  };
  of_precision("f32", float());
  of_precision("f64", double());
  if (!with_gemm) return specs;
  product_of_precision("f32", float());
  product_of_precision("f64", double());
  return specs;
}

}  // namespace

std::string ComputeSpec::name() const {
  const std::string text = gemm_size == 0 ? "multiply_add" : fmt::format("gemm/{}", gemm_size);
  return fmt::format("{}/{}{}", text, precision, sustained ? "/sustained" : "");
}

BlasFacts read_blas_facts() {
  const auto value = [](const char* name) {
    const char* const found = std::getenv(name);
    return std::string(found != nullptr ? found : "");
  };
  return {value("OPENBLAS_CORETYPE"), host_blas().core, value("OPENBLAS_NUM_THREADS"),
          blas_remark()};
}

ComputeCases plan_compute(Plan& plan) {
  Bench& bench = plan.bench();
  ComputeCases cases;
  cases.gemm_problem = gemm_problem_of(bench);
  cases.gemm_library = bench.kernels<DenseKernels<float>>().gemm_library();
  cases.blas = read_blas_facts();
  plan.group("arithmetic", 0.05);
  cases.kernels = plan.add_all(compute_specs(bench, cases.gemm_problem.empty()));
  cases.launches = plan.add_all(std::vector<LaunchSpec>(1));
  if (!bench.device().is_host()) cases.gaps = plan.add_all(std::vector<GapSpec>(1));
  if (cases.gemm_problem.empty()) plan.probe_drift(cases.kernels.back().key, "matrix product");
  return cases;
}

SustainedCases plan_sustained(Plan& plan) {
  Bench& bench = plan.bench();
  if (bench.device().is_host() || !gemm_problem_of(bench).empty()) return {};
  constexpr double longest_s = 1, share = 0.02;
  const double sample_s = std::min(longest_s, share / 2 * bench.limits().time_budget_s);
  std::vector<ComputeSpec> specs;
  const auto of_precision = [&]<class T>(const char* precision, T) {
    int size = 8192;
    while (size > 1 && matrices_bytes<T>(size) > bench.arena_bytes()) size /= 2;
    specs.push_back({ComputeKernel::gemm, precision, size, 2. * size * size * size,
                     batch_for(product_s<T>(bench, size), sample_s), true});
  };
  of_precision("f32", float());
  of_precision("f64", double());
  plan.group("sustained arithmetic", share);
  return {plan.add_all(specs)};
}

BenchCase make_case(Bench& bench, const ComputeSpec& spec) {
  BenchCase work;
  work.name = spec.name();
  work.flops = spec.flops;
  const auto once = with_precision(spec.precision, [&]<class T>(T) {
    return spec.kernel == ComputeKernel::gemm ? gemm_once<T>(bench, spec.gemm_size)
                                              : multiply_add_once<T>(bench, spec.flops);
  });
  work.batch = spec.batch;
  const auto all = [once, batch = spec.batch] {
    for (int repeat = 0; repeat < batch; ++repeat) once();
  };
  work.sample = [&bench, all] { return seconds_on(bench.device(), bench.stream(), all); };
  work.prepare = [&bench, spec, once, all, sustained = spec.sustained] {
    with_precision(spec.precision, [&]<class T>(T) {
      bench.renew_numbers<T>(matrices_bytes<T>(spec.gemm_size) / sizeof(T));
    });
    once();  // a library's first call finds its kernels and makes its threads
    if (sustained) all();
  };
  return work;
}

BenchCase make_case(Bench& bench, const LaunchSpec& /*spec*/) {
  BenchCase work;
  work.name = "launch/items:1";
  work.batch = bench.device().is_host() ? host_launches : device_launches;
  work.sample = repeated(
      bench, [&bench] { bench.device().launch_nothing(1, bench.stream()); }, work.batch);
  return work;
}

BenchCase make_case(Bench& bench, const GapSpec& /*spec*/) {
  BenchCase work;
  work.name = "launch/between";
  work.batch = device_launches;
  work.sample = [&bench, batch = work.batch] {
    Heartbeat unwatched;
    PhaseClock clock(unwatched);
    StreamTimer timer(bench.device());
    const double all_s = bench.timed([&] {
      for (int n = 0; n < batch; ++n) {
        timer.time(clock, "launch", bench.stream(),
                   [&] { bench.device().launch_nothing(1, bench.stream()); });
        timer.collect(clock);
      }
    });
    timer.collect(clock);
    double timed_s = 0;
    for (const PhaseClock::Phase& phase : clock.phases()) timed_s += phase.seconds;
    return std::max(0., all_s - timed_s);
  };
  return work;
}

}  // namespace bellwether
