// SPDX-License-Identifier: MIT
#include "miniapps/amg/hypre/hypre_solver.hpp"

#include <_hypre_parcsr_ls.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <memory>
#include <sstream>
#include <stdexcept>

#include "miniapps/amg/hypre/hypre_timer.hpp"
#include "models/errors.hpp"

namespace bellwether {
namespace {

/// The value of an option by its name there.
int number_of(const std::string& name, std::initializer_list<std::pair<const char*, int>> all) {
  for (const auto& [known, number] : all)
    if (name == known) return number;
  throw std::logic_error("hypre has no number for " + name);
}

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

hypre_ParAMGData* data_of(HYPRE_Solver solver) {
  return reinterpret_cast<hypre_ParAMGData*>(solver);
}

}  // namespace

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
  if (hypre_memory() ==
      HYPRE_MEMORY_DEVICE)  // else each restriction transposes, or adds in any order
    set("HYPRE_BoomerAMGSetKeepTranspose", HYPRE_BoomerAMGSetKeepTranspose, 1);
  set("HYPRE_BoomerAMGSetDebugFlag", HYPRE_BoomerAMGSetDebugFlag, 1);  // tells phases' times
}

HypreAmg::~HypreAmg() { HYPRE_BoomerAMGDestroy(solver_); }

HypreSetupTimes HypreAmg::setup(const HypreMatrix& matrix, const HypreVector& b,
                                const HypreVector& x) {
  HYPRE_Int flag = 0;
  const std::string printed =
      printed_by([&] { flag = HYPRE_BoomerAMGSetup(solver_, matrix.get(), b.get(), x.get()); });
  HypreTimer().wait();
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
