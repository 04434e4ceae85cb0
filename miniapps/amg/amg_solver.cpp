// SPDX-License-Identifier: MIT
#include "miniapps/amg/amg_solver.hpp"

#include <cstdint>
#include <cstring>

#include "kernels/launch/host_device.hpp"
#include "miniapps/comm/reduce.hpp"
#include "miniapps/driver/constant_arrays.hpp"
#include "models/median.hpp"

namespace bellwether {
namespace {

/// Between 0 and 1, the same for a row on any number of ranks.
double pseudorandom(long long row) {
  auto z = static_cast<std::uint64_t>(row) * 0x9e3779b97f4a7c15U + 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return static_cast<double>((z ^ (z >> 31U)) >> 11U) * 0x1p-53;
}

std::vector<double> known_solution(const AmgRows& rows) {
  std::vector<double> x;
  for (long long i = rows.begin(); i < rows.end(); ++i) x.push_back(pseudorandom(i));
  return x;
}

/// Of several ranks one alone may find its hypre on another's GPU.
std::unique_ptr<HypreLibrary> begun_on_all(const Session& session, int threads, Device* gpu) {
  std::unique_ptr<HypreLibrary> library;
  agree_on_errors(session.world(), [&] { library = std::make_unique<HypreLibrary>(threads, gpu); });
  return library;
}

}  // namespace

AmgSolver::AmgSolver(const Session& session, const AmgRows& rows, const AmgOptions& options,
                     bool overlap, Device* gpu)
    : session_(session),
      rows_(rows),
      overlap_(overlap),
      uses_pcg_(options.solver == "pcg"),
      library_(begun_on_all(session, options.threads, gpu)),
      product_(session.world(), rows),
      knows_solution_(options.right_hand_side == "product"),
      solution_(known_solution(rows)),
      b_(session.world(), rows),
      x_(session.world(), rows),
      scratch_(session.world(), rows),
      amg_(options) {
  const std::vector<double> b =
      knows_solution_ ? product_(solution_) : std::vector<double>(solution_.size(), 1.);
  b_.set_values(b);
  b_sum_ = checksum(b.data(), b.size() * sizeof(double));
  b_norm_ = product_.norm(b);
  solution_norm_ = knows_solution_ ? product_.norm(solution_) : b_norm_;
}

void AmgSolver::setup(PhaseClock& clock) {
  clock.time("assembly", [&] { matrix_.emplace(session_.world(), rows_); });
  const double assembled = MPI_Wtime();
  clock.enter("setup");
  const HypreSetupTimes times = amg_.setup(*matrix_, b_, x_);
  setup_s_ = largest(session_.world(), MPI_Wtime() - assembled);
  clock.add("coarsening", times.coarsening);
  clock.add("interpolation", times.interpolation);
  clock.add("product", times.product);
  clock.enter("hierarchy");
  hierarchy_ = amg_.hierarchy(session_);
  cycle_.emplace(amg_.get(), overlap_);
  if (uses_pcg_) pcg_.emplace(session_.world(), rows_, *matrix_, *cycle_, overlap_);
  begin_at_zero();
}

void AmgSolver::begin_at_zero() {
  x_.set_zero();
  steps_ = 0;
  if (pcg_) pcg_->start(b_, x_);
}

void AmgSolver::advance() {
  constexpr double smallest = 1e-100;
  if (pcg_ && pcg_->residual() < smallest * b_norm_) begin_at_zero();
  if (pcg_)
    pcg_->iterate(x_);
  else
    cycle_->run(b_.get(), x_.get());
  ++steps_;
}

double AmgSolver::residual() { return product_.residual(b_.values(), x_.values()) / b_norm_; }

double AmgSolver::size() const { return product_.norm(x_.values()) / solution_norm_; }

double AmgSolver::ranks_with_another_b() const {
  const std::vector<double> b = b_.values();
  double others = checksum(b.data(), b.size() * sizeof(double)) == b_sum_ ? 0 : 1;
  MPI_Allreduce(MPI_IN_PLACE, &others, 1, MPI_DOUBLE, MPI_SUM, session_.world());
  return others;
}

std::uint64_t AmgSolver::fingerprint() const {
  const std::vector<double> x = x_.values();
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    bits += mixed_bits(bits_of(x[i]) ^ mixed_bits(static_cast<std::uint64_t>(rows_.begin()) + i));
  return sum_of_hashes(session_.world(), bits);
}

double AmgSolver::residual_by_hypre() {
  if (pcg_) return pcg_->residual() / b_norm_;
  check_hypre("HYPRE_ParVectorCopy", HYPRE_ParVectorCopy(b_.get(), scratch_.get()));
  check_hypre("HYPRE_ParCSRMatrixMatvec",
              HYPRE_ParCSRMatrixMatvec(-1, matrix_->get(), x_.get(), 1, scratch_.get()));
  return product_.norm(scratch_.values()) / b_norm_;
}

std::optional<double> AmgSolver::error() {
  if (!knows_solution_) return {};
  std::vector<double> error = x_.values();
  for (std::size_t i = 0; i < error.size(); ++i) error[i] -= solution_[i];
  return product_.norm(error) / solution_norm_;
}

AmgSolve AmgSolver::solve(double tolerance, Heartbeat* heartbeat) {
  constexpr long most_steps = 10000;
  const long patience = uses_pcg_ ? 100 : 20;  // residuals of conjugate gradients go up and down
  begin_at_zero();
  AmgSolve solve;
  solve.residuals = {1};
  const auto found = [&] { return solve.residuals.back(); };
  double seconds = 0;
  while (found() >= tolerance && solve.failure.empty()) {
    if (heartbeat != nullptr) heartbeat->enter("solve");
    const double begin = MPI_Wtime();
    advance();
    seconds += MPI_Wtime() - begin;
    solve.residuals.push_back(residual_by_hypre());
    const bool is_late = steps_ >= patience;
    if (!(found() < 1e6))
      solve.failure = "diverges";
    else if (is_late &&
             found() > 0.9 * solve.residuals[static_cast<std::size_t>(steps_ - patience)])
      solve.failure = "stalls";
    else if (steps_ >= most_steps)
      solve.failure = "is too slow";
  }
  solve.seconds = largest(session_.world(), seconds);
  solve.error = error();
  return solve;
}

AmgDifference AmgSolver::difference_from_hypres() {
  constexpr int steps = 2;
  begin_at_zero();
  for (int s = 0; s < steps; ++s) advance();
  scratch_.set_zero();
  if (pcg_)
    amg_.solve_with_pcg(session_.world(), *matrix_, b_, scratch_, steps);
  else
    amg_.solve(*matrix_, b_, scratch_, steps);
  std::vector<double> found = x_.values();
  const std::vector<double> expected = scratch_.values();
  AmgDifference difference;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (std::memcmp(&found[i], &expected[i], sizeof(double)) != 0) ++difference.values;
    found[i] -= expected[i];
  }
  MPI_Allreduce(MPI_IN_PLACE, &difference.values, 1, MPI_DOUBLE, MPI_SUM, session_.world());
  difference.relative = product_.norm(found) / product_.norm(expected);
  return difference;
}

double AmgSolver::bare_communication() {
  HypreCycle cycle(amg_.get(), false);
  std::optional<AmgPcg> pcg;
  if (pcg_) {
    pcg.emplace(session_.world(), rows_, *matrix_, cycle, false);
    pcg->start(b_, x_);
  }
  std::vector<double> seconds;
  for (int repeat = 0; repeat < 5; ++repeat) {
    MPI_Barrier(session_.world());
    double network = 0;
    if (pcg) {
      pcg->iterate(x_);
      network += pcg->seconds().network;
    } else {
      cycle.run(b_.get(), x_.get());
    }
    for (const auto& level : cycle.seconds())
      for (const AmgSeconds& one : level) network += one.network;
    seconds.push_back(largest(session_.world(), network));
  }
  return median_in(seconds);
}

}  // namespace bellwether
