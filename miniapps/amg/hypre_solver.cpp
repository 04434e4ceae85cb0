// SPDX-License-Identifier: MIT
#include "miniapps/amg/hypre_solver.hpp"

#include <_hypre_parcsr_ls.h>
#include <_hypre_parcsr_mv.h>
#include <_hypre_utilities.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <limits>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "miniapps/amg/hypre_cycle.hpp"
#include "models/errors.hpp"

namespace bellwether {
namespace {

/// The value of an option by its name there.
int number_of(const std::string& name, std::initializer_list<std::pair<const char*, int>> all) {
  for (const auto& [known, number] : all)
    if (name == known) return number;
  throw std::logic_error("hypre has no number for " + name);
}

/// What hypre's own integers can hold.
HYPRE_Int as_int(long long number, const char* what) {
  if (number > std::numeric_limits<HYPRE_Int>::max())
    throw BadInput(
        fmt::format("{}: found {} of a rank, expected at most {} (this hypre's integers "
                    "have {} bits)",
                    what, number, std::numeric_limits<HYPRE_Int>::max(), 8 * sizeof(HYPRE_Int)));
  return static_cast<HYPRE_Int>(number);
}

void require_numbers(long long rows) {
  if (rows > std::numeric_limits<HYPRE_BigInt>::max())
    throw BadInput(
        fmt::format("found {} rows, expected at most {}: this hypre was built without "
                    "--enable-bigint",
                    rows, std::numeric_limits<HYPRE_BigInt>::max()));
}

HYPRE_BigInt big(long long number) { return static_cast<HYPRE_BigInt>(number); }

/// What `body` has hypre print, in place of printing it. Where there is no room for it the body
/// prints.
template <class Body>
std::string printed_by(Body&& body) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), std::fclose);
  if (!file) {
    body();
    return "";
  }
  std::cout.flush();
  std::fflush(stdout);
  const int saved = dup(STDOUT_FILENO);
  dup2(fileno(file.get()), STDOUT_FILENO);
  body();
  std::fflush(stdout);
  dup2(saved, STDOUT_FILENO);
  close(saved);
  std::string text;
  std::rewind(file.get());
  for (int letter; (letter = std::fgetc(file.get())) != EOF;)
    text.push_back(static_cast<char>(letter));
  return text;
}

int libraries = 0;  // that live: hypre is one for a process

hypre_ParAMGData* data_of(HYPRE_Solver solver) {
  return reinterpret_cast<hypre_ParAMGData*>(solver);
}

}  // namespace

void check_hypre(const char* function, HYPRE_Int flag) {
  if (flag == 0) return;
  char text[1024] = "";
  HYPRE_DescribeError(flag, text);
  HYPRE_ClearAllErrors();
  const std::string message = fmt::format("{}: hypre's error {}: {}", function, flag, text);
  if ((flag & HYPRE_ERROR_MEMORY) != 0) throw BadEnvironment(message);
  throw std::runtime_error(message);
}

void HypreLibrary::check_threads([[maybe_unused]] int threads) {
#ifndef HYPRE_USING_OPENMP
  if (threads > 1)
    throw BadInput(
        fmt::format("--threads: found {}, expected 1 (this hypre, {}, was built without OpenMP)",
                    threads, version()));
#endif
}

HypreLibrary::HypreLibrary(int threads) {
  check_threads(threads);
  if (libraries++ == 0) check_hypre("HYPRE_Init", HYPRE_Init());
  check_hypre("HYPRE_SetMemoryLocation", HYPRE_SetMemoryLocation(HYPRE_MEMORY_HOST));
  check_hypre("HYPRE_SetExecutionPolicy", HYPRE_SetExecutionPolicy(HYPRE_EXEC_HOST));
#ifdef HYPRE_USING_OPENMP
  if (threads > 0) hypre_SetNumThreads(threads);
#endif
  threads_ = hypre_NumThreads();
}

HypreLibrary::~HypreLibrary() {
  if (--libraries == 0) HYPRE_Finalize();
}

std::string HypreLibrary::version() {
  std::string text = HYPRE_RELEASE_VERSION;
#ifdef HYPRE_USING_OPENMP
  text += ", OpenMP";
#endif
  return text;
}

HypreVector::HypreVector(MPI_Comm comm, const AmgRows& rows) {
  require_numbers(rows.rows());
  check_hypre("HYPRE_IJVectorCreate",
              HYPRE_IJVectorCreate(comm, big(rows.begin()), big(rows.end() - 1), &ij_));
  check_hypre("HYPRE_IJVectorSetObjectType", HYPRE_IJVectorSetObjectType(ij_, HYPRE_PARCSR));
  check_hypre("HYPRE_IJVectorInitialize", HYPRE_IJVectorInitialize(ij_));
  check_hypre("HYPRE_IJVectorAssemble", HYPRE_IJVectorAssemble(ij_));
  check_hypre("HYPRE_IJVectorGetObject",
              HYPRE_IJVectorGetObject(ij_, reinterpret_cast<void**>(&vector_)));
}

HypreVector::~HypreVector() { HYPRE_IJVectorDestroy(ij_); }

std::span<double> HypreVector::values() const {
  hypre_Vector* const local = hypre_ParVectorLocalVector(vector_);
  return {hypre_VectorData(local), static_cast<std::size_t>(hypre_VectorSize(local))};
}

HypreMatrix::HypreMatrix(MPI_Comm comm, const AmgRows& rows) {
  require_numbers(rows.rows());
  const long long begin = rows.begin(), end = rows.end();
  std::vector<HYPRE_Int> own(as_int(end - begin, "rows")), others(own.size());
  std::vector<long long> columns;
  std::vector<double> values;
  long long entries = 0;
  for (long long i = begin; i < end; ++i) {
    entries += rows.row(i, columns, values);
    for (const long long column : columns)
      ++(column >= begin && column < end ? own : others)[static_cast<std::size_t>(i - begin)];
  }
  (void)as_int(entries, "entries");

  check_hypre("HYPRE_IJMatrixCreate",
              HYPRE_IJMatrixCreate(comm, big(begin), big(end - 1), big(begin), big(end - 1), &ij_));
  check_hypre("HYPRE_IJMatrixSetObjectType", HYPRE_IJMatrixSetObjectType(ij_, HYPRE_PARCSR));
  // Exactly so many: room that is left would stay in the matrix as entries.
  check_hypre("HYPRE_IJMatrixSetDiagOffdSizes",
              HYPRE_IJMatrixSetDiagOffdSizes(ij_, own.data(), others.data()));
  check_hypre("HYPRE_IJMatrixInitialize", HYPRE_IJMatrixInitialize(ij_));
  std::vector<HYPRE_BigInt> big_columns;
  for (long long i = begin; i < end; ++i) {
    HYPRE_Int count = rows.row(i, columns, values);
    big_columns.assign(columns.begin(), columns.end());
    const HYPRE_BigInt row = big(i);
    check_hypre("HYPRE_IJMatrixSetValues",
                HYPRE_IJMatrixSetValues(ij_, 1, &count, &row, big_columns.data(), values.data()));
  }
  check_hypre("HYPRE_IJMatrixAssemble", HYPRE_IJMatrixAssemble(ij_));
  check_hypre("HYPRE_IJMatrixGetObject",
              HYPRE_IJMatrixGetObject(ij_, reinterpret_cast<void**>(&matrix_)));
}

HypreMatrix::~HypreMatrix() { HYPRE_IJMatrixDestroy(ij_); }

HypreAmg::HypreAmg(const AmgOptions& options) {
  check_hypre("HYPRE_BoomerAMGCreate", HYPRE_BoomerAMGCreate(&solver_));
  const auto set = [this](const char* function, auto* setter, auto... arguments) {
    check_hypre(function, setter(solver_, arguments...));
  };
  set("HYPRE_BoomerAMGSetCoarsenType", HYPRE_BoomerAMGSetCoarsenType,
      number_of(options.coarsening, {{"hmis", 10}, {"pmis", 8}, {"falgout", 6}}));
  set("HYPRE_BoomerAMGSetInterpType", HYPRE_BoomerAMGSetInterpType,
      number_of(options.interpolation, {{"ext+i", 6}, {"classical", 0}, {"direct", 3}}));
  set("HYPRE_BoomerAMGSetPMaxElmts", HYPRE_BoomerAMGSetPMaxElmts, options.pmax);
  set("HYPRE_BoomerAMGSetAggNumLevels", HYPRE_BoomerAMGSetAggNumLevels, options.aggressive_levels);
  set("HYPRE_BoomerAMGSetNumSweeps", HYPRE_BoomerAMGSetNumSweeps, options.sweeps);
  set("HYPRE_BoomerAMGSetRelaxType", HYPRE_BoomerAMGSetRelaxType,
      number_of(options.relax, {{"hybrid-gauss-seidel", 3},
                                {"l1-gauss-seidel", 13},
                                {"l1-jacobi", 18},
                                {"chebyshev", 16}}));
  const int upwards = number_of(
      options.relax,
      {{"hybrid-gauss-seidel", 4}, {"l1-gauss-seidel", 14}, {"l1-jacobi", 18}, {"chebyshev", 16}});
  set("HYPRE_BoomerAMGSetCycleRelaxType", HYPRE_BoomerAMGSetCycleRelaxType, upwards, 2);
  set("HYPRE_BoomerAMGSetCycleType", HYPRE_BoomerAMGSetCycleType, 1);
  set("HYPRE_BoomerAMGSetPrintLevel", HYPRE_BoomerAMGSetPrintLevel, 0);
  set("HYPRE_BoomerAMGSetTol", HYPRE_BoomerAMGSetTol, 0.);
  set("HYPRE_BoomerAMGSetDebugFlag", HYPRE_BoomerAMGSetDebugFlag, 1);  // tells phases' times
}

HypreAmg::~HypreAmg() { HYPRE_BoomerAMGDestroy(solver_); }

HypreSetupTimes HypreAmg::setup(const HypreMatrix& matrix, const HypreVector& b,
                                const HypreVector& x) {
  HYPRE_Int flag = 0;
  const std::string printed =
      printed_by([&] { flag = HYPRE_BoomerAMGSetup(solver_, matrix.get(), b.get(), x.get()); });
  HypreSetupTimes times;
  std::cerr << detail::read_setup_times(printed, times);
  check_hypre("HYPRE_BoomerAMGSetup", flag);
  if (hypre_ParAMGDataNumLevels(data_of(solver_)) < 2)
    throw BadInput(fmt::format(
        "BoomerAMG finds nothing to coarsen in this matrix of {} rows, expected more rows, or "
        "stronger couplings between them",
        static_cast<long long>(hypre_ParCSRMatrixGlobalNumRows(matrix.get()))));
  return times;
}

void HypreAmg::solve(const HypreMatrix& matrix, const HypreVector& b, const HypreVector& x,
                     int cycles) {
  check_hypre("HYPRE_BoomerAMGSetMaxIter", HYPRE_BoomerAMGSetMaxIter(solver_, cycles));
  check_hypre("HYPRE_BoomerAMGSolve",
              HYPRE_BoomerAMGSolve(solver_, matrix.get(), b.get(), x.get()));
}

void HypreAmg::solve_with_pcg(MPI_Comm comm, const HypreMatrix& matrix, const HypreVector& b,
                              const HypreVector& x, int iterations) {
  const auto is_set_up = [](HYPRE_Solver, HYPRE_ParCSRMatrix, HYPRE_ParVector,
                            HYPRE_ParVector) -> HYPRE_Int { return 0; };
  check_hypre("HYPRE_BoomerAMGSetMaxIter", HYPRE_BoomerAMGSetMaxIter(solver_, 1));
  HYPRE_Solver pcg = nullptr;
  check_hypre("HYPRE_ParCSRPCGCreate", HYPRE_ParCSRPCGCreate(comm, &pcg));
  check_hypre("HYPRE_ParCSRPCGSetTwoNorm", HYPRE_ParCSRPCGSetTwoNorm(pcg, 1));
  check_hypre("HYPRE_ParCSRPCGSetTol", HYPRE_ParCSRPCGSetTol(pcg, 0));
  check_hypre("HYPRE_ParCSRPCGSetMaxIter", HYPRE_ParCSRPCGSetMaxIter(pcg, iterations));
  check_hypre("HYPRE_ParCSRPCGSetPrecond",
              HYPRE_ParCSRPCGSetPrecond(pcg, HYPRE_BoomerAMGSolve, is_set_up, solver_));
  check_hypre("HYPRE_ParCSRPCGSetup", HYPRE_ParCSRPCGSetup(pcg, matrix.get(), b.get(), x.get()));
  check_hypre("HYPRE_ParCSRPCGSolve", HYPRE_ParCSRPCGSolve(pcg, matrix.get(), b.get(), x.get()));
  check_hypre("HYPRE_ParCSRPCGDestroy", HYPRE_ParCSRPCGDestroy(pcg));
}

namespace {

/// Of one operator on this rank; all of them add up but the three largest.
struct OwnOperator {
  double rows = 0, nonzeros = 0, offd = 0, sends = 0, elements = 0, elements_on_node = 0;
};

OwnOperator own_operator(const Session& session, hypre_ParCSRMatrix* matrix, bool transposed) {
  (void)messages_exchanged(matrix);  // after which hypre knows them
  const hypre_ParCSRCommPkg* const p = hypre_ParCSRMatrixCommPkg(matrix);
  const hypre_CSRMatrix* const diag = hypre_ParCSRMatrixDiag(matrix);
  const hypre_CSRMatrix* const offd = hypre_ParCSRMatrixOffd(matrix);
  OwnOperator own;
  own.rows = hypre_CSRMatrixNumRows(diag);
  own.offd = hypre_CSRMatrixNumNonzeros(offd);
  own.nonzeros = hypre_CSRMatrixNumNonzeros(diag) + own.offd;
  own.sends = transposed ? hypre_ParCSRCommPkgNumRecvs(p) : hypre_ParCSRCommPkgNumSends(p);
  for (int i = 0; i < static_cast<int>(own.sends); ++i) {
    const int to =
        transposed ? hypre_ParCSRCommPkgRecvProc(p, i) : hypre_ParCSRCommPkgSendProc(p, i);
    const int count =
        transposed
            ? hypre_ParCSRCommPkgRecvVecStart(p, i + 1) - hypre_ParCSRCommPkgRecvVecStart(p, i)
            : hypre_ParCSRCommPkgSendMapStart(p, i + 1) - hypre_ParCSRCommPkgSendMapStart(p, i);
    own.elements += count;
    const std::vector<int>& node_of = session.node_of_rank();
    if (node_of[to] == node_of[session.rank()]) own.elements_on_node += count;
  }
  return own;
}

/// Collective, ranks without rows as well.
AmgOperator operator_of(const Session& session, hypre_ParCSRMatrix* matrix, bool transposed,
                        double* active) {
  const OwnOperator own = own_operator(session, matrix, transposed);
  const double mine[] = {own.rows,
                         own.nonzeros,
                         own.offd,
                         own.sends,
                         own.elements,
                         own.elements_on_node,
                         own.rows > 0 ? 1. : 0.};
  constexpr int count = 7;
  double sum[count], most[count];
  MPI_Allreduce(mine, sum, count, MPI_DOUBLE, MPI_SUM, session.world());
  MPI_Allreduce(mine, most, count, MPI_DOUBLE, MPI_MAX, session.world());
  if (active != nullptr) *active = sum[6];
  AmgOperator all;
  all.average_sends = sum[3] / sum[6];
  all.max_sends = most[3];
  all.max_elements = most[4];
  all.nonzeros_per_row = sum[1] / sum[0];
  all.busiest_rows = most[0];
  all.busiest_nonzeros = most[1];
  all.total_nonzeros = sum[1];
  all.offd_share = sum[1] > 0 ? sum[2] / sum[1] : 0;
  all.own_node_share = sum[4] > 0 ? sum[5] / sum[4] : 0;
  return all;
}

}  // namespace

AmgHierarchy HypreAmg::hierarchy(const Session& session) const {
  hypre_ParAMGData* const data = data_of(solver_);
  AmgHierarchy hierarchy;
  hierarchy.processes = session.size();
  hierarchy.ranks_per_node = session.most_ranks_on_a_node();
  const int levels = hypre_ParAMGDataNumLevels(data);
  for (int l = 0; l < levels; ++l) {
    hypre_ParCSRMatrix* const a = hypre_ParAMGDataAArray(data)[l];
    AmgLevel level;
    level.unknowns = static_cast<double>(hypre_ParCSRMatrixGlobalNumRows(a));
    level.solve = operator_of(session, a, false, &level.active_processes);
    if (l + 1 < levels) {
      hypre_ParCSRMatrix* const p = hypre_ParAMGDataPArray(data)[l];
      level.interpolation = operator_of(session, p, false, nullptr);
      level.restriction = operator_of(session, p, true, nullptr);
    }
    hierarchy.levels.push_back(level);
  }
  return hierarchy;
}

std::string detail::read_setup_times(const std::string& printed, HypreSetupTimes& times) {
  std::istringstream lines(printed);
  std::string others;
  for (std::string line; std::getline(lines, line);) {
    int process = 0, level = 0;
    char what[64];
    double seconds = 0;
    if (std::sscanf(line.c_str(), "Proc = %d Level = %d %63[^=]= %lf", &process, &level, what,
                    &seconds) != 4) {
      if (!line.empty()) others += line + '\n';
      continue;
    }
    const std::string phase = what;
    if (phase == "Coarsen Time ")
      times.coarsening += seconds;
    else if (phase == "Build Interp Time ")
      times.interpolation += seconds;
    else if (phase == "Build Coarse Operator Time ")
      times.product += seconds;
  }
  return others;
}

}  // namespace bellwether
