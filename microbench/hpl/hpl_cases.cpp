// SPDX-License-Identifier: MIT
#include <algorithm>
#include <memory>
#include <stdexcept>

#include "kernels/dense/host_blas.hpp"
#include "kernels/hpl/hpl.hpp"
#include "kernels/hpl/hpl_device_panel.hpp"
#include "kernels/hpl/hpl_panel.hpp"
#include "microbench/hpl/hpl.hpp"
#include "microbench/links/panel_pair.hpp"
#include "miniapps/comm/session/cores.hpp"
#include "miniapps/comm/stream_timer.hpp"
#include "miniapps/hpl/local_matrix.hpp"
#include "miniapps/hpl/pivot_exchange.hpp"

namespace bellwether {
namespace {

using Operation = HplSpec::Operation;

constexpr double fast_flops_per_s = 1e11, fast_bytes_per_s = 1e10;  // for batches only
constexpr double slowdown_of_panels = 10;
constexpr double sample_s = 2e-3;
constexpr double waited_s = 5e-5;  ///< what each operation takes at least that is timed by events
constexpr int swap_lists = 8;

/// What all cases work with.
class HplBench {
 public:
  HplBench(Bench& bench, HplSizes sizes)
      : bench_(bench), sizes_(std::move(sizes)), threads_(cores_of_its_own(bench.session())) {}

  [[nodiscard]] const HplSizes& sizes() const { return sizes_; }
  [[nodiscard]] HplKernels& kernels() const { return bench_.kernels<HplKernels>(); }
  [[nodiscard]] double* arena() const { return reinterpret_cast<double*>(bench_.arena()); }
  [[nodiscard]] long ld() const { return odd_lines(sizes_.edge); }
  /// After the matrix: L, or W and U, of the widest.
  [[nodiscard]] double* beside() const { return arena() + hpl_values(sizes_.edge, sizes_.edge); }
  [[nodiscard]] double* further() const {
    return beside() + hpl_values(sizes_.widths.back(), sizes_.edge);
  }

  /// Seconds that `work` says, done with as many threads as the mini-app's ranks have, which
  /// others' samples need not.
  template <class Work>
  double with_own_threads(Work&& work) {
    const int before = blas_threads();
    use_blas_threads(threads_);
    const double seconds = work();
    if (before > 0) use_blas_threads(before);
    return seconds;
  }
  /// Seconds of `work` so.
  template <class Work>
  double timed(Work&& work) {
    return with_own_threads([&] { return bench_.timed(work); });
  }

  /// Memory for a panel on the host, and where that is not the device there.
  [[nodiscard]] double* panel() {
    if (panel_.data() == nullptr) {
      panel_ = Buffer<double>(bench_.device(), sizes_.panel_values(), true);
      std::fill_n(panel_.data(), panel_.size(), 0.);
      if (!bench_.device().is_host())
        device_panel_ = Buffer<double>(bench_.device(), sizes_.panel_values());
    }
    return panel_.data();
  }
  [[nodiscard]] double* device_panel() {
    (void)panel();
    return device_panel_.data() != nullptr ? device_panel_.data() : panel_.data();
  }
  /// Null where the device factors no panels.
  [[nodiscard]] HplDevicePanel* device_factorization() {
    if (!device_factorization_ && !bench_.device().is_host())
      device_factorization_ =
          kernels().make_device_panel(bench_.device(), DevicePanelBy::kernels, sizes_.tallest,
                                      sizes_.widths.back(), bench_.stream());
    return device_factorization_.get();
  }
  [[nodiscard]] HplPanel& factorization() {
    if (!factorization_)
      factorization_ = std::make_unique<HplPanel>(sizes_.widths.back(), threads_);
    return *factorization_;
  }
  /// Rows of the matrix, `width` of them in each of several lists, each row in one place.
  [[nodiscard]] const int* lists(int width) {
    if (lists_.data() != nullptr) return lists_.data();
    std::vector<int> rows;
    for (int list = 0; list < swap_lists; ++list)
      for (int n = 0; n < 2 * width; ++n) {
        // The first half of the matrix, and then the other.
        const long half = sizes_.edge / 2, step = half / width;
        rows.push_back(static_cast<int>((n < width ? 0 : half) + n % width * step +
                                        (step * list / swap_lists)));
      }
    lists_ = uploaded(bench_.device(), rows, bench_.stream());
    return lists_.data();
  }

 private:
  Bench& bench_;
  HplSizes sizes_;
  int threads_;
  Buffer<double> panel_, device_panel_;
  Buffer<int> lists_;
  std::unique_ptr<HplPanel> factorization_;
  std::unique_ptr<HplDevicePanel> device_factorization_;
};

HplBench& hpl_bench(Bench& bench) {
  return bench.kept<HplBench>([&bench] {
    return std::make_unique<HplBench>(
        bench, hpl_sizes(bench.limits(), bench.room() - bench.arena_bytes()));
  });
}

PanelPair& pair_of(Bench& bench) {
  return bench.kept<PanelPair>([&bench] {
    return std::make_unique<PanelPair>(bench, shared_memory_pairs(bench.node_of_rank()));
  });
}

/// Where in the matrix operation number `n` on so many rows and columns goes: to and fro, so that
/// what is small does not stay in the caches.
long place_of(const HplBench& hpl, int n, int rows, int columns) {
  const int down = std::max(1, hpl.sizes().edge / rows), across = hpl.sizes().edge / columns;
  const long row = static_cast<long>(n % down) * rows;
  const long column = static_cast<long>(n / down % std::max(1, across)) * columns;
  return row * hpl.ld() + column;
}

std::function<void(int)> operation_of(Bench& bench, const HplSpec& spec) {
  HplBench& hpl = hpl_bench(bench);
  const auto [operation, rows, columns, width] = spec;
  if (operation == Operation::product)
    return [&, rows = rows, columns = columns, width = width](int n) {
      hpl.kernels().subtract_product(hpl.arena() + place_of(hpl, n, rows, columns), hpl.ld(),
                                     hpl.beside(), odd_lines(rows), hpl.further(),
                                     odd_lines(columns), rows, columns, width, bench.stream());
    };
  if (operation == Operation::triangle)
    return [&, columns = columns, width = width](int n) {
      hpl.kernels().multiply_triangle(hpl.arena() + place_of(hpl, n, width, columns), hpl.ld(),
                                      hpl.further() + hpl_values(width, columns), width,
                                      hpl.further(), odd_lines(columns), columns, bench.stream());
    };
  if (operation == Operation::swap)
    return [&, columns = columns, width = width](int n) {
      const int* const from = hpl.lists(width) + n % swap_lists * 2 * width;
      hpl.kernels().copy_rows({hpl.beside(), odd_lines(columns)}, {hpl.arena(), hpl.ld(), from},
                              width, columns, bench.stream());
      hpl.kernels().copy_rows({hpl.arena(), hpl.ld(), from}, {hpl.arena(), hpl.ld(), from + width},
                              width, columns, bench.stream());
    };
  return [&, rows = rows, width = width](int n) {
    hpl.kernels().subtract_from(hpl.beside(), hpl.arena() + place_of(hpl, n, rows, width), hpl.ld(),
                                hpl.further(), rows, width, bench.stream());
  };
}

/// The matrix that panels are taken out of, and a place for them.
void prepare_panels(Bench& bench) {
  HplBench& hpl = hpl_bench(bench);
  const long columns = hpl.sizes().columns_about();
  const HplPart part{{1, 1, 0}, {1, 1, 0}, hpl.sizes().tallest, columns};
  hpl.kernels().fill(hpl.arena(), odd_lines(columns), part, bench.stream());
  bench.device().fence(bench.stream());
  (void)hpl.panel();
}

/// Panel `n` of the matrix into device memory.
void take_panel(Bench& bench, const HplSpec& spec, int n) {
  HplBench& hpl = hpl_bench(bench);
  const long columns = hpl.sizes().columns_about(), across = columns / spec.width;
  hpl.kernels().take_panel(hpl.device_panel(), odd_lines(spec.rows),
                           hpl.arena() + n % across * spec.width, odd_lines(columns), spec.rows,
                           spec.width, bench.stream());
}

/// On the stream alone, as a factorization is, whose host is ahead of its device.
void make_device_panel_case(Bench& bench, const HplSpec& spec, BenchCase& work) {
  struct Found {
    Buffer<double> no_pivot;
    Buffer<PanelPivot> pivots;
    Buffer<int> lists;
  };
  const auto found = std::make_shared<Found>();
  work.flops = 1. * spec.width * spec.width * spec.rows;
  work.batch = batch_for(waited_s + work.flops / fast_flops_per_s * slowdown_of_panels, sample_s);
  work.sample = [&bench, spec, batch = work.batch, found] {
    HplDevicePanel& panel = *hpl_bench(bench).device_factorization();
    double* const l = hpl_bench(bench).device_panel();
    double seconds = 0;
    for (int n = 0; n < batch; ++n) {
      take_panel(bench, spec, n);
      seconds += seconds_on(bench.device(), bench.stream(), [&] {
        panel.factor(l, odd_lines(spec.rows), spec.rows, spec.width, found->no_pivot.data(),
                     found->pivots.data(), bench.stream());
        panel.list_interchanges(found->lists.data(), found->pivots.data(), spec.width, 0,
                                bench.stream());
      });
    }
    return seconds;
  };
  work.prepare = [&bench, spec, found, sample = work.sample] {
    const auto width = static_cast<std::size_t>(spec.width);
    prepare_panels(bench);
    *found = {Buffer<double>(bench.device(), 1), Buffer<PanelPivot>(bench.device(), width),
              Buffer<int>(bench.device(), 3 * width)};
    (void)sample();
  };
}

/// In place of rows that are brought anew, as solving what is solved would leave no numbers.
void make_solve_triangle_case(Bench& bench, const HplSpec& spec, BenchCase& work) {
  work.flops = 1. * spec.width * spec.width * spec.columns;
  work.batch = batch_for(waited_s + work.flops / fast_flops_per_s, sample_s);
  work.sample = [&bench, spec, batch = work.batch] {
    HplBench& hpl = hpl_bench(bench);
    const double* const l = hpl.further() + hpl_values(spec.width, spec.columns);
    double seconds = 0;
    for (int n = 0; n < batch; ++n) {
      double* const u = hpl.arena() + place_of(hpl, n, spec.width, spec.columns);
      hpl.kernels().copy_rows({u, hpl.ld()}, {hpl.further(), odd_lines(spec.columns)}, spec.width,
                              spec.columns, bench.stream());
      seconds += seconds_on(bench.device(), bench.stream(), [&] {
        hpl.kernels().solve_triangle(u, hpl.ld(), l, spec.width, spec.width, spec.columns,
                                     bench.stream());
      });
    }
    return seconds;
  };
  work.prepare = [&bench, sample = work.sample] {
    (void)bench.arena();
    (void)sample();
  };
}

void make_panel_case(Bench& bench, const HplSpec& spec, BenchCase& work) {
  HplBench& hpl = hpl_bench(bench);
  work.parts = {"copy", "factor", "invert"};
  work.part_bytes = {2. * sizeof(double) * spec.rows * spec.width, 0, 0};
  work.flops = 1. * spec.width * spec.width * spec.rows;
  work.prepare = [&bench] { prepare_panels(bench); };
  const auto seconds = std::make_shared<std::vector<double>>(3);
  work.sample = [&bench, &hpl, spec, batch = work.batch, seconds] {
    std::vector<PanelPivot> pivots(static_cast<std::size_t>(spec.width));
    const long ld = odd_lines(spec.rows);
    const std::size_t values = static_cast<std::size_t>(ld * spec.width);
    double* const inverse =
        hpl.panel() + hpl_values(hpl.sizes().widths.back(), hpl.sizes().tallest);
    std::fill(seconds->begin(), seconds->end(), 0);
    const auto add = [&](PanelPart part, auto&& what) {
      (*seconds)[static_cast<std::size_t>(part)] += hpl.timed(what);
    };
    for (int n = 0; n < batch; ++n) {
      add(PanelPart::copy, [&] { take_panel(bench, spec, n); });
      if (hpl.device_panel() != hpl.panel())
        bench.device().copy(hpl.panel(), hpl.device_panel(), values * sizeof(double),
                            bench.stream());
      bench.device().fence(bench.stream());
      add(PanelPart::factor, [&] {
        hpl.factorization().factor(hpl.panel(), ld, spec.rows, spec.width, pivots.data(), nullptr);
      });
      add(PanelPart::invert,
          [&] { hpl.factorization().invert(inverse, hpl.panel(), ld, spec.width); });
    }
    return (*seconds)[0] + (*seconds)[1] + (*seconds)[2];
  };
  work.part_seconds = [seconds] { return *seconds; };
}

void make_pair_case(Bench& bench, const HplSpec& spec, BenchCase& work) {
  PanelPair& pair = pair_of(bench);
  work.active = pair.has_me();
  const auto values = static_cast<std::size_t>(spec.rows) * static_cast<std::size_t>(spec.columns);
  if (spec.operation == Operation::broadcast) {
    pair.make_broadcast(bench.device(), values);
    work.bytes = static_cast<double>(values * sizeof(double));
    work.batch = 4;
    // As in a factorization, whose update between two panels goes through more than a core's cache.
    work.sample = [&bench, &pair, spec, values, batch = work.batch] {
      if (!pair.has_me()) return 0.;
      HplBench& hpl = hpl_bench(bench);
      const auto compose = [&](double* to) { std::copy_n(hpl.beside(), values, to); };
      const auto update = [&](bool all) {
        hpl.kernels().subtract_product(hpl.arena(), hpl.ld(), hpl.beside(), odd_lines(spec.rows),
                                       hpl.further(), odd_lines(spec.rows), spec.rows,
                                       all ? spec.rows / 2 : spec.rows / 3, spec.columns,
                                       bench.stream());
      };
      MPI_Barrier(pair.comm());
      return hpl.with_own_threads(
          [&] { return pair.send_between(batch, values, compose, update); });
    };
    work.prepare = [sample = work.sample] { (void)sample(); };
    return;
  }
  work.batch = 200;
  work.sample = [&pair, columns = spec.columns, batch = work.batch] {
    if (!pair.has_me()) return 0.;
    PivotExchange exchange(pair.comm(), columns);
    exchange.begin(0, {1, 2, pair.number()}, 0);
    std::vector<double> row(static_cast<std::size_t>(columns), 1.);
    MPI_Barrier(pair.comm());
    const double begin = clock_s();
    for (int n = 0; n < batch; ++n) exchange.choose(n, columns, row.data(), columns);
    return clock_s() - begin;
  };
}

/// Why the library of the products is not to be had; empty where it is.
std::string problem_of(Bench& bench) {
  try {
    agree_on_errors(bench.session().world(),
                    [&] { bench.kernels<HplKernels>().prepare(bench.stream()); });
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return {};
}

}  // namespace

HplCases plan_hpl(Plan& plan) {
  Bench& bench = plan.bench();
  if (!problem_of(bench).empty()) return {};
  const HplSizes& sizes = hpl_bench(bench).sizes();
  if (sizes.empty()) return {};
  const HplSite site{!shared_memory_pairs(bench.node_of_rank()).pairs.empty(),
                     bench.device().is_host(), hpl_bench(bench).device_factorization() != nullptr};
  const std::size_t window =
      site.has_pairs && site.on_host
          ? 2 * static_cast<std::size_t>(sizes.edge) * static_cast<std::size_t>(sizes.widths.back())
          : 0;
  bench.reserve(sizeof(double) * (sizes.panel_values() + window));
  bench.reserve_arena(sizeof(double) * sizes.arena_values());
  plan.group("HPL's operations", 0.09);
  return plan.add_all(hpl_specs(sizes, site));
}

BenchCase make_case(Bench& bench, const HplSpec& spec) {
  BenchCase work;
  work.name = spec.name();
  const double rows = spec.rows, columns = spec.columns, width = spec.width;
  switch (spec.operation) {
    case Operation::product:
      work.flops = 2 * rows * columns * width;
      break;
    case Operation::triangle:
      work.flops = width * width * columns;
      break;
    case Operation::panel:
      work.flops = width * width * rows;
      break;
    case Operation::device_panel:
      make_device_panel_case(bench, spec, work);
      return work;
    case Operation::solve_triangle:
      make_solve_triangle_case(bench, spec, work);
      return work;
    case Operation::swap:
      work.bytes = 4 * sizeof(double) * width * columns;
      break;
    case Operation::solve:
      work.bytes = sizeof(double) * rows * width;
      break;
    case Operation::broadcast:
    case Operation::pivot:
      make_pair_case(bench, spec, work);
      return work;
  }
  const double slowdown = spec.operation == Operation::panel ? slowdown_of_panels : 1;
  work.batch = batch_for(work.flops / fast_flops_per_s * slowdown + work.bytes / fast_bytes_per_s,
                         bench.device().is_host() ? sample_s : 5 * sample_s);
  if (spec.operation == Operation::panel) {
    make_panel_case(bench, spec, work);
    return work;
  }
  HplBench& hpl = hpl_bench(bench);
  const auto count = std::make_shared<int>(0);
  work.prepare = [&bench, once = operation_of(bench, spec)] {
    (void)bench.arena();
    once(0);
    bench.device().fence(bench.stream());
  };
  work.sample = [&hpl, once = operation_of(bench, spec), count, batch = work.batch] {
    return hpl.timed([&] {
      for (int n = 0; n < batch; ++n) once((*count)++);
    });
  };
  return work;
}

}  // namespace bellwether
