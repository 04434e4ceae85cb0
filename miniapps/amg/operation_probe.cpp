// SPDX-License-Identifier: MIT
#include "miniapps/amg/operation_probe.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "miniapps/amg/matrices/operation_timer.hpp"
#include "models/amg/amg_kernel.hpp"
#include "models/text_lines.hpp"

namespace bellwether {
namespace {

struct Probed {
  AmgOperation operation;
  std::string relax;  ///< the sweep's; of a product nothing
  double held;        ///< as AmgKernel::seconds has it
};

AmgOperation sweep_of(const std::string& relax) {
  if (relax.ends_with("gauss-seidel")) return AmgOperation::gauss_seidel;
  return relax == "chebyshev" ? AmgOperation::chebyshev : AmgOperation::jacobi;
}

/// The sweep up comes back to the level after all others; the sweep down and the residual come
/// right after what went through it.
std::array<Probed, 3> probed_of(const Machine* machine, const ProbedOperations& run) {
  const AmgKernelParameters* const known = machine == nullptr ? nullptr : amg_kernels(*machine);
  double held_up = 0;
  if (known != nullptr) {
    const double rows = run.shape.rows;
    const double own = amg_operator_bytes(rows, rows * run.shape.entries_per_row);
    held_up = AmgCaches(AmgKernel(known->spmv, Bound::value)).held(own, own + run.others_bytes);
  }
  const AmgOperation sweep = sweep_of(run.relax);
  return {{{sweep, run.relax, held_up}, {sweep, run.relax, 1}, {AmgOperation::spmv, {}, 1}}};
}

/// 0 where it was not calibrated.
double calibrated_rate(const std::array<Probed, 3>& probed, const Machine* machine,
                       const ProbedOperations& run) {
  const AmgKernelParameters* const known = machine == nullptr ? nullptr : amg_kernels(*machine);
  if (known == nullptr) return 0;
  const AmgKernel product(known->spmv, Bound::value);
  std::optional<AmgKernel> gauss_seidel;
  if (!known->gauss_seidel.empty()) gauss_seidel.emplace(known->gauss_seidel, Bound::value);
  if (!gauss_seidel && run.relax.ends_with("gauss-seidel")) return 0;
  const double rows = run.shape.rows, entries = rows * run.shape.entries_per_row;
  double seconds = 0;
  for (const Probed& one : probed)
    seconds += one.relax.empty()
                   ? product.seconds(rows, entries, one.held)
                   : amg_sweep_s(one.relax, product, gauss_seidel, rows, entries, one.held);
  return rows / seconds;
}

std::size_t flush_bytes(const Session& session, const Machine* machine, const Device& device) {
  if (!device.is_host()) return amg_flush_bytes(device.last_level_cache_bytes(), 1);
  std::size_t caches = std::size_t{32} << 20;  // where it is not known
  if (machine != nullptr)
    if (const auto known = machine->provenance.find("last_level_cache_bytes");
        known != machine->provenance.end())
      caches = parse_number<std::size_t>(known->second).value_or(caches);
  return amg_flush_bytes(caches, session.ranks_on_kernel());
}

class OperationProbe final : public Probe {
 public:
  OperationProbe(const Session& session, ProbedOperations run, const Machine* machine,
                 Device& device)
      : session_(session),
        run_(std::move(run)),
        probed_(probed_of(machine, run_)),
        calibrated_(calibrated_rate(probed_, machine, run_)),
        matrix_(make_amg_matrix(session.world(), run_.shape, device)),
        timer_(session.world(), flush_bytes(session, machine, device), device) {
    (void)slowest();
    constexpr double shortest_s = 0.005;
    repeats_ = static_cast<int>(std::clamp(std::ceil(shortest_s / slowest()), 2.0, 8.0));
  }
  [[nodiscard]] const char* of() const override { return "operations"; }
  [[nodiscard]] const char* unit() const override { return "rows/s"; }
  double measure() override {
    double seconds = 0;
    for (int repeat = 0; repeat < repeats_; ++repeat) seconds += slowest();
    const double bytes =
        amg_operator_bytes(run_.shape.rows, 1. * run_.shape.rows * run_.shape.entries_per_row) +
        run_.others_bytes;
    const int passes = timer_.passes_to_learn(static_cast<std::size_t>(bytes));
    for (int pass = 0; pass <= passes; ++pass) run_.cycle();
    return run_.shape.rows * repeats_ / seconds;
  }
  [[nodiscard]] double calibrated() const override { return calibrated_; }

 private:
  /// Seconds of the operations, each of the rank that takes longest.
  double slowest() {
    std::array<double, 6> seconds{};
    std::size_t at = 0;
    for (const Probed& one : probed_) {
      const auto [cold, again] =
          timer_.measure(*matrix_, one.operation, amg_matrix_bytes(run_.shape));
      seconds[at++] = cold;
      seconds[at++] = again;
    }
    MPI_Allreduce(MPI_IN_PLACE, seconds.data(), static_cast<int>(at), MPI_DOUBLE, MPI_MAX,
                  session_.world());
    double all = 0;
    for (std::size_t n = 0; n < probed_.size(); ++n)
      all += (1 - probed_[n].held) * seconds[2 * n] + probed_[n].held * seconds[2 * n + 1];
    return all;
  }

  const Session& session_;
  ProbedOperations run_;
  std::array<Probed, 3> probed_;
  double calibrated_;
  std::unique_ptr<AmgMatrix> matrix_;
  AmgOperationTimer timer_;
  int repeats_ = 1;
};

}  // namespace

std::unique_ptr<Probe> make_operation_probe(const Session& session, ProbedOperations run,
                                            const Machine* machine, Device& device) {
  return std::make_unique<OperationProbe>(session, std::move(run), machine, device);
}

}  // namespace bellwether
