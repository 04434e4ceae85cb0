// SPDX-License-Identifier: MIT
#include "miniapps/hpl/hpl_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "miniapps/hpl/hpl_choice.hpp"
#include "models/errors.hpp"
#include "models/network/trees.hpp"
#include "models/text_lines.hpp"

namespace bellwether {
namespace {

constexpr int most_threads = 4096;

/// Block sizes with commas between.
std::vector<int> parse_blocks(const std::string& text) {
  std::vector<int> blocks;
  for (const std::string& part : split(text, ',')) {
    const int block = parse_number<int>(part).value_or(0);
    if (block < 1 || block > largest_hpl_block)
      throw BadInput(fmt::format(
          "--block: found \"{}\", expected auto or whole numbers from 1 to {}, with commas between",
          text, largest_hpl_block));
    blocks.push_back(block);
  }
  return blocks;
}

}  // namespace

void HplOptions::add_prediction_options(Options& options) {
  options.begin_group("Problem");
  add_size(options);
  options.begin_group("Variant");
  options.add("--block", &block_,
              "Block size NB; several with commas between, or auto (32 to 1024): the one "
              "predicted fastest",
              {.shows_default = true});
  options.add("--grid", &grid_,
              "Process grid as PxQ, ranks along its rows; auto: the one predicted fastest",
              {.shows_default = true});
  add_list(options, "--bcast", bcast_, broadcast_names(),
           "How a panel travels along a process row: {}; several with commas between: the one "
           "predicted fastest");
  options.add_choice("--swap", swap_, row_swap_names(),
                     "How rows are swapped along a process column that spans nodes");
  options.add("--panel", &panel_,
              "Who factors panels of a matrix in a GPU's memory: host, or device on a grid "
              "of one row, 1xQ; without the option device there, if the machine was "
              "calibrated for it, else host. Nothing predicts cusolver",
              {.check = one_of(panel_names())});
}

void HplOptions::add_run_options(Options& options) {
  runs_ = true;
  options.begin_group("Problem");
  add_size(options);
  options.begin_group("Variant");
  options.add("--block", &block_,
              fmt::format("Block size NB, or several with commas between; auto: of 32 to "
                          "1024 the one predicted fastest, without a machine file {}",
                          block_without_machine),
              {.shows_default = true});
  options.add("--grid", &grid_,
              "Process grid as PxQ, ranks along its rows, those beyond idle, or several "
              "with commas between; auto: the one of all ranks predicted fastest, without "
              "a machine file the nearest to a square",
              {.shows_default = true});
  add_list(options, "--bcast", bcast_, broadcast_names(),
           "How a panel travels along a process row: {}; several with commas between");
  add_list(options, "--swap", swap_, row_swap_names(),
           "How rows are swapped along a process column: {} (the second up to 64 columns, then the "
           "first); several with commas between");
  overlap_.add_to(options);
  options.add("--input", &input_,
              "In place of all those above: netlib's HPL.dat, every case that it "
              "lists; what is not told apart is said",
              {.type = "FILE",
               .check = not_empty("a file"),
               .excludes = {"--size", "--block", "--grid", "--bcast", "--swap", "--overlap"}});
  options.add("--threads", &threads_,
              "Threads of a rank's BLAS; 0: the node's cores over its ranks",
              {.check = whole_number(0, most_threads), .shows_default = true});
  options.add("--device-share", &device_share_,
              "Keeps the matrix in the host's memory, and gives the device of --backend "
              "this part of the update's columns, which pass through it in blocks: 0 to "
              "1, or auto, by the rates of both that are measured first",
              {.type = "R", .check = or_auto(number_from(0, 1))});
  options.add("--panel", &panel_,
              "Who factors panels of a matrix in a GPU's memory: host; device, this "
              "program's kernels beside the update; cusolver, NVIDIA's library in their "
              "place, on a grid of one row, 1xQ; without the option device there, else "
              "host",
              {.check = one_of(panel_names())});
  options.begin_group("Output");
  options.add_flag("--details", details_,
                   "Print how the rate changed in the course of the factorization");
}

void HplOptions::add_size(Options& options) {
  options.add(
      "-N,--size", &size_, "Order of the matrix, N; auto: what fills 80 % of the ranks' memory",
      {.type = "N", .check = or_auto(whole_number(1, largest_hpl_size)), .required = !runs_});
}

void HplOptions::add_list(Options& options, const char* name, std::string& target,
                          const std::vector<std::string>& names, const char* help) {
  options.add(name, &target, fmt::format(fmt::runtime(help), fmt::join(names, ", ")),
              {.check = list_of(one_of(names)), .shows_default = true});
}

void HplOptions::check() const {
  if (!runs_ && panel_ == "cusolver")
    throw BadInput(
        "--panel: found cusolver, expected host or device: cuSOLVER's panels are measured, to be "
        "compared with, and not predicted");
  if (!input_.empty()) return (void)file();
  if (size_.empty())
    throw BadInput("--size: found none, expected --size N, --size auto or --input FILE");
  for (const std::optional<int>& block : blocks())
    if (block && size() && *block > *size())
      throw BadInput(
          fmt::format("--block: found {}, expected at most --size, {}", *block, *size()));
  (void)grids();
}

std::optional<long> HplOptions::size() const {
  if (size_ == "auto") return {};
  return parse_number<long>(size_);
}

std::vector<std::optional<int>> HplOptions::blocks() const {
  if (block_ == "auto") return {std::nullopt};
  const std::vector<int> given = parse_blocks(block_);
  return {given.begin(), given.end()};
}

std::vector<std::optional<ProcessGrid>> HplOptions::grids() const {
  if (grid_ == "auto") return {std::nullopt};
  if (!runs_) return {parse_process_grid(grid_)};
  std::vector<std::optional<ProcessGrid>> all;
  for (const std::string& part : split(grid_, ',')) all.emplace_back(parse_process_grid(part));
  return all;
}

std::vector<HplVariant> HplOptions::variants() const {
  std::vector<HplVariant> all;
  for (const std::string& bcast : split(bcast_, ','))
    for (const std::string& swap : split(swap_, ','))
      for (const bool look_ahead : overlap_.modes())
        all.push_back({.look_ahead = look_ahead,
                       .bcast = bcast,
                       .swap = swap,
                       .threads = threads_,
                       .device_share = device_share_,
                       .panel = panel_});
  return all;
}

HplStudy HplOptions::study() const {
  HplStudy study;
  study.size = size().value_or(0);
  study.blocks = block_ == "auto" ? usual_blocks() : parse_blocks(block_);
  study.grid = grids().front();
  study.bcasts = split(bcast_, ',');
  study.how.swap = swap_;
  study.how.panel = panel_;
  return study;
}

const HplDat& HplOptions::file() const {
  if (!file_) file_ = read_hpl_dat(input_);
  return *file_;
}

std::vector<std::string> HplOptions::remarks() const {
  return input_.empty() ? std::vector<std::string>() : file().remarks;
}

/// In HPL's order.
std::vector<HplAsked> HplOptions::runs_of_file() const {
  const std::string from = fmt::format("{}, {}", input_, hpl_dat_grid_lines);
  std::vector<HplAsked> all;
  for (const ProcessGrid& grid : file().grids)
    for (const long size : file().sizes)
      for (const int block : file().blocks_of(size))
        for (const bool look_ahead : file().look_aheads)
          for (const std::string& bcast : file().bcasts)
            all.push_back({size,
                           block,
                           grid,
                           {look_ahead, bcast, file().swap, file().swap_threshold, threads_,
                            device_share_, panel_},
                           from});
  return all;
}

std::vector<HplAsked> HplOptions::runs() const {
  if (!input_.empty()) return runs_of_file();
  std::vector<HplAsked> all;
  for (const std::optional<int>& block : blocks())
    for (const std::optional<ProcessGrid>& grid : grids())
      for (const HplVariant& variant : variants()) all.push_back({size(), block, grid, variant});
  return all;
}

}  // namespace bellwether
