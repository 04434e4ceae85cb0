// SPDX-License-Identifier: MIT
#include "miniapps/amg/operation_probe.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "models/amg/amg_kernel.hpp"

namespace bellwether {
namespace {

/// Chebyshev is made of products, which a Jacobi sweep is nearest to.
AmgOperation sweep_of(const std::string& relax) {
  return relax.ends_with("gauss-seidel") ? AmgOperation::gauss_seidel : AmgOperation::jacobi;
}

double calibrated_rate(const Machine* machine, const ProbedOperations& run) {
  const AmgKernelParameters* const known = machine == nullptr ? nullptr : amg_kernels(*machine);
  if (known == nullptr) return 0;
  const double rows = run.shape.rows, entries = rows * run.shape.entries_per_row;
  const bool is_serial = sweep_of(run.relax) == AmgOperation::gauss_seidel;
  const AmgKernel product(known->spmv, Bound::value);
  const AmgKernel sweep(is_serial ? known->gauss_seidel : known->jacobi, Bound::value);
  return rows / (product.seconds(rows, entries) + sweep.seconds(rows, entries));
}

/// As many as drive a rank's share of the caches out three times, as the calibration does.
std::size_t flush_bytes(const Session& session, const Machine* machine) {
  constexpr std::size_t of_a_core = std::size_t{8} << 20, unknown = std::size_t{32} << 20;
  std::size_t caches = unknown;
  if (machine != nullptr)
    if (const auto known = machine->provenance.find("last_level_cache_bytes");
        known != machine->provenance.end())
      caches = std::stoul(known->second);
  return std::max(of_a_core, 3 * caches / static_cast<std::size_t>(session.ranks_on_kernel()));
}

class OperationProbe final : public Probe {
 public:
  OperationProbe(const Session& session, ProbedOperations run, const Machine* machine)
      : session_(session),
        run_(std::move(run)),
        calibrated_(calibrated_rate(machine, run_)),
        matrix_(make_amg_matrix(session.world(), run_.shape)),
        flushing_(flush_bytes(session, machine) / sizeof(std::uint64_t)) {
    (void)slowest();
    constexpr double shortest_s = 0.005;
    repeats_ = static_cast<int>(std::clamp(std::ceil(shortest_s / slowest()), 1.0, 20.0));
  }
  [[nodiscard]] const char* of() const override { return "operations"; }
  [[nodiscard]] const char* unit() const override { return "rows/s"; }
  double measure() override {
    double seconds = 0;
    for (int repeat = 0; repeat < repeats_; ++repeat) seconds += slowest();
    run_.back_to_caches();
    return run_.shape.rows * repeats_ / seconds;
  }
  [[nodiscard]] double calibrated() const override { return calibrated_; }

 private:
  /// Seconds of the operations, each of the rank that takes longest.
  double slowest() {
    const AmgOperation operations[] = {AmgOperation::spmv, sweep_of(run_.relax)};
    double all = 0;
    for (const AmgOperation operation : operations) {
      for (std::uint64_t& word : flushing_) word ^= 1;
      MPI_Barrier(session_.world());
      const auto begin = std::chrono::steady_clock::now();
      matrix_->run(operation);
      double seconds =
          std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, session_.world());
      all += seconds;
    }
    return all;
  }

  const Session& session_;
  ProbedOperations run_;
  double calibrated_;
  std::unique_ptr<AmgMatrix> matrix_;
  std::vector<std::uint64_t> flushing_;
  int repeats_ = 1;
};

}  // namespace

std::unique_ptr<Probe> make_operation_probe(const Session& session, ProbedOperations run,
                                            const Machine* machine) {
  return std::make_unique<OperationProbe>(session, std::move(run), machine);
}

}  // namespace bellwether
