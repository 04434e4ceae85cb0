// SPDX-License-Identifier: MIT
#include "miniapps/hpl/hpl_lines.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "models/hpl/hpl_dat.hpp"
#include "models/hpl/hpl_problem.hpp"

namespace bellwether {
namespace {

constexpr std::size_t line_width = 80;

std::string line_of(char sign) { return std::string(line_width, sign) + "\n"; }

}  // namespace

std::string hpl_result_lines(const Record& record) {
  const nlohmann::json& residual = record.result.at("residual");
  if (!std::isfinite(residual.get<double>())) return "";
  const bool passed = record.verification.passed;
  std::string text = fmt::format("\n{}", line_of('='));
  if (passed) {
    const long size = record.problem.at("size");
    const double seconds = record.measured.total_s.median;
    const std::string code = fmt::format("W{}{}{}R2R8", record.problem.contains("pmap") ? 'C' : 'R',
                                         record.variant.at("overlap") == "on" ? 1 : 0,
                                         hpl_broadcast_digit(record.variant.at("bcast")));
    text += fmt::format("{:<8}{:>12} {:>5} {:>5} {:>5} {:>18} {:>22}\n", "T/V", "N", "NB", "P", "Q",
                        "Time", "Gflops");
    text += line_of('-');
    text +=
        fmt::format("{:<8}{:12} {:5} {:5} {:5} {:18.2f} {:22.4e}\n", code, size,
                    record.problem.at("block").get<int>(), record.problem.at("grid")[0].get<int>(),
                    record.problem.at("grid")[1].get<int>(), seconds,
                    hpl_flops(static_cast<double>(size)) / seconds * 1e-9);
    text += line_of('-');
  }
  text += fmt::format("||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)= {:16.8e} ...... {}\n",
                      residual.get<double>(), passed ? "PASSED" : "FAILED");
  return text + line_of('=');
}

std::string hpl_curve_lines(const Record& record) {
  if (!record.verification.passed) return "";
  constexpr double rows = 20;
  const double size = record.problem.at("size").get<double>();
  const nlohmann::json& curve = record.result.at("curve");
  std::string text = fmt::format("\n{:>8} {:>10} {:>10} {:>10} {:>10}\n", "done", "columns",
                                 "seconds", "Gflop/s", "so far");
  double flops_before = 0, seconds_before = 0, next_share = 1 / rows;
  for (auto point = curve.begin(); point != curve.end(); ++point) {
    const double columns = point->at(0), seconds = point->at(1);
    const double flops = hpl_flops_done(size, columns);
    const double share = flops / hpl_flops(size);
    if (share < next_share && std::next(point) != curve.end()) continue;
    next_share = (std::floor(share * rows) + 1) / rows;
    text += fmt::format("{:>6.1f} % {:10.0f} {:10.3f} {:10.1f} {:10.1f}\n", 100 * share, columns,
                        seconds, (flops - flops_before) / (seconds - seconds_before) * 1e-9,
                        flops / seconds * 1e-9);
    flops_before = flops;
    seconds_before = seconds;
  }
  return text;
}

}  // namespace bellwether
