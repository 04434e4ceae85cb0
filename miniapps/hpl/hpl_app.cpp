// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <charconv>

#include "miniapps/driver/registry.hpp"
#include "models/errors.hpp"
#include "models/hpl/hpl_curve.hpp"

namespace bellwether {
namespace {

constexpr long largest_size = 100'000'000;
constexpr int largest_block = 65536;

/// "auto", or block sizes with commas between.
std::vector<int> parse_blocks(const std::string& text) {
  if (text == "auto") return usual_blocks();
  std::vector<int> blocks;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    int block = 0;
    const auto [rest, error] = std::from_chars(at, end, block);
    if (error != std::errc() || block < 1 || block > largest_block || (rest != end && *rest != ','))
      throw BadInput(
          fmt::format("--block: found \"{}\", expected auto or whole numbers from 1 to {}, with "
                      "commas between",
                      text, largest_block));
    blocks.push_back(block);
    if (rest == end) return blocks;
    at = rest + 1;
  }
}

class HplApp final : public App {
 public:
  [[nodiscard]] const char* name() const override { return "hpl"; }
  [[nodiscard]] const char* summary() const override {
    return "High-performance LINPACK: LU with row pivoting of a dense N x N matrix of doubles, a "
           "rank to each device. Counted per factorization: 2/3 N^3 + 3/2 N^2 flops, as HPL does. "
           "Overlap is look-ahead by one panel; the paper's form does not know it";
  }
  void add_problem_options(Options& options) override {
    options.add({.names = "-N,--size",
                 .target = &size_,
                 .help = "Order of the matrix, N",
                 .check = whole_number(1, largest_size),
                 .required = true});
    options.add({.names = "--block",
                 .target = &block_,
                 .help = "Block size NB; several with commas between, or auto (32 to 1024): the "
                         "one predicted fastest",
                 .shows_default = true});
    options.add({.names = "--grid",
                 .target = &grid_,
                 .help = "Process grid as PxQ, ranks along its rows; auto: the one predicted "
                         "fastest",
                 .shows_default = true});
  }
  void check() const override {
    const std::vector<int> blocks = parse_blocks(block_);
    for (const int block : blocks)
      if (block_ != "auto" && block > size_)
        throw BadInput(fmt::format("--block: found {}, expected at most --size, {}", block, size_));
    if (grid_ != "auto") (void)parse_process_grid(grid_);
  }
  [[nodiscard]] std::vector<ScalingPoint> predict(const Machine& machine,
                                                  const PredictionRequest& request) const override {
    HplStudy study;
    study.size = size_;
    study.blocks = parse_blocks(block_);
    if (grid_ != "auto") study.grid = parse_process_grid(grid_);
    study.request = request;
    return hpl_curve(machine, study);
  }
  [[nodiscard]] StepWork work() const override {
    const double size = static_cast<double>(size_);
    const double flops = hpl_flops(size);
    return {.units = flops, .unit = "flop/s", .bytes = 8 * size * size, .flops = flops};
  }
  [[nodiscard]] const char* step_name() const override { return "factorization"; }

 private:
  long size_ = 0;
  std::string block_ = "auto";
  std::string grid_ = "auto";
};

}  // namespace

std::unique_ptr<App> make_hpl_app() { return std::make_unique<HplApp>(); }

}  // namespace bellwether
