// SPDX-License-Identifier: MIT
#include "models/hpl/hpl_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "models/errors.hpp"
#include "models/roofline/roofline.hpp"

namespace bellwether {

std::string ProcessGrid::name() const { return fmt::format("{}x{}", rows, columns); }

long busiest_local_length(long length, int block, int processes) {
  const long whole = length / block;
  const long rounds = whole / processes;
  // The process next in turn gets the last, partial block; unless another has one whole more.
  const long beyond = whole % processes > 0 ? block : length % block;
  return rounds * block + beyond;
}

long local_length(long length, int block, int processes, int process) {
  const long whole = length / block, rounds = whole / processes, next = whole % processes;
  return rounds * block + (process < next ? block : process == next ? length % block : 0);
}

long update_strip_columns(long rows, long columns, int block, bool on_device) {
  if (on_device) return std::max(1L, columns);
  constexpr long fewest = 512, buffers = 5, share = 50;
  const long affordable = rows * columns / (share * buffers * block) / 8 * 8;
  return std::max(1L, std::min(columns, std::max(fewest, affordable)));
}

std::vector<std::string> row_swap_names() { return {"spread-roll", "binary-exchange", "mix"}; }

std::vector<ProcessGrid> process_grids(int ranks) {
  std::vector<ProcessGrid> wide, tall;
  for (int rows = 1; rows <= ranks / rows; ++rows) {
    if (ranks % rows != 0) continue;
    wide.push_back({rows, ranks / rows});
    if (rows != ranks / rows) tall.push_back({ranks / rows, rows});
  }
  wide.insert(wide.end(), tall.rbegin(), tall.rend());
  return wide;
}

ProcessGrid nearest_square(int ranks) {
  ProcessGrid best{1, ranks};
  for (int rows = 1; rows <= ranks / rows; ++rows)
    if (ranks % rows == 0) best = {rows, ranks / rows};
  return best;
}

ProcessGrid parse_process_grid(const std::string& text) {
  ProcessGrid grid;
  const char* const end = text.data() + text.size();
  const auto rows = std::from_chars(text.data(), end, grid.rows);
  if (rows.ec == std::errc() && rows.ptr != end && *rows.ptr == 'x') {
    const auto columns = std::from_chars(rows.ptr + 1, end, grid.columns);
    if (columns.ec == std::errc() && columns.ptr == end && grid.rows > 0 && grid.columns > 0)
      return grid;
  }
  throw BadInput(fmt::format(
      "--grid: found \"{}\", expected auto or the rows and columns of processes as PxQ", text));
}

StepWork hpl_work(long size) {
  const auto n = static_cast<double>(size);
  StepWork work;
  work.units = work.flops = hpl_flops(n);
  work.unit = "flop/s";
  work.bytes = sizeof(double) * n * n;
  work.limit = WorkLimit::matrix_product;
  work.precision = "f64";
  return work;
}

double hpl_bytes(const HplProblem& problem) {
  return 8. * static_cast<double>(problem.size) * static_cast<double>(problem.size) /
         problem.ranks();
}

long size_that_fills(double rank_bytes, int ranks) {
  constexpr double share = 0.8;
  return std::max(1L, static_cast<long>(std::sqrt(share * rank_bytes * ranks / 8)));
}

long whole_blocks(long size, int block) { return std::max(size / block, 1L) * block; }

bool has_idle_ranks(const HplProblem& problem) {
  return std::max(problem.grid.rows, problem.grid.columns) > problem.panels();
}

void note_idle_ranks(const HplProblem& problem, std::vector<std::string>& notes) {
  if (has_idle_ranks(problem))
    notes.push_back(fmt::format("ranks without work: {} blocks over a grid of {}", problem.panels(),
                                problem.grid.name()));
}

Quantity device_gemm_flops(const Machine& machine, std::vector<std::string>& notes) {
  const auto measured = machine.device.gemm_flops_per_s.find("f64");
  if (measured != machine.device.gemm_flops_per_s.end()) return measured->second;
  notes.push_back("not calibrated: no dgemm rate (device.gemm_flops_per_s.f64), the peak is taken");
  return peak_flops(machine.device, "f64", notes);
}

}  // namespace bellwether
