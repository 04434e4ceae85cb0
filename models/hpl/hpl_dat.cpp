// SPDX-License-Identifier: MIT
#include "models/hpl/hpl_dat.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "models/errors.hpp"
#include "models/text_lines.hpp"

namespace bellwether {
namespace {

constexpr int most_values = 20;        // HPL's own limit of a list
constexpr int unlimited = 1000000000;  // of what has no limit of its own
constexpr int lines_in_all = 31;

/// One broadcast for each of HPL's, by HPL's numbers.
constexpr std::array<const char*, 6> broadcasts{
    "ring", "ring-modified", "two-rings", "two-rings-modified", "pipeline", "pipeline"};
constexpr std::array<const char*, 3> swaps{"binary-exchange", "spread-roll", "mix"};

template <class Value>
std::vector<Value> one_of_each(const std::vector<Value>& values) {
  std::vector<Value> kept;
  for (const Value& value : values)
    if (std::find(kept.begin(), kept.end(), value) == kept.end()) kept.push_back(value);
  return kept;
}

/// The file's lines by their numbers, and the numbers in front of them: what follows is comment.
class Lines {
 public:
  Lines(std::string_view text, const std::string& file) : file_(file) {
    for_each_line(text, [this](std::string_view line) { lines_.push_back(line); });
  }

  [[nodiscard]] TextLine at(int number, const char* expected) const {
    const auto index = static_cast<std::size_t>(number) - 1;
    if (index < lines_.size()) return {lines_[index], number, file_};
    throw BadInput(
        fmt::format("{}, line {}: found the file's end, expected {}", file_, number, expected));
  }

  template <class Number>
  [[nodiscard]] Number one(int number, const char* what, Number lowest, Number highest) const {
    const TextLine line = at(number, what);
    std::string_view rest = line.text;
    Number value{};
    if (!take_number(rest, value) || value < lowest || value > highest)
      line.refuse(fmt::format("{}: a whole number from {} to {}", what, lowest, highest));
    return value;
  }

  /// As many as the line `counted` says.
  template <class Number>
  std::vector<Number> list(int number, int counted, const char* what, Number lowest,
                           Number highest) {
    const std::string counts = fmt::format("the number of {}", what);
    const int count = one(counted, counts.c_str(), 1, most_values);
    const TextLine line = at(number, what);
    std::string_view rest = line.text;
    std::vector<Number> values(static_cast<std::size_t>(count));
    for (Number& value : values)
      if (!take_number(rest, value) || value < lowest || value > highest)
        line.refuse(fmt::format("{}: {} whole number{} from {} to {}, as many as line {} says",
                                what, count, count == 1 ? "" : "s", lowest, highest, counted));
    int in_all = count;
    for (double beyond = 0; take_number(rest, beyond);) ++in_all;
    if (in_all > count)
      say(fmt::format("line {}: the first {} of {} {}, as line {} says", number, count, in_all,
                      what, counted));
    return values;
  }

  void say(const std::string& remark) { remarks_.push_back(fmt::format("{}, {}", file_, remark)); }
  [[nodiscard]] bool goes_on_behind(int number) const {
    const auto from = lines_.begin() + std::min<std::ptrdiff_t>(number, std::ssize(lines_));
    return std::any_of(from, lines_.end(), [](std::string_view line) { return !is_blank(line); });
  }
  [[nodiscard]] const std::vector<std::string>& remarks() const { return remarks_; }

 private:
  const std::string& file_;
  std::vector<std::string_view> lines_;
  std::vector<std::string> remarks_;
};

void read_problems(Lines& lines, HplDat& dat) {
  dat.sizes = lines.list(6, 5, "Ns", 1L, largest_hpl_size);
  dat.blocks = lines.list(8, 7, "NBs", 1, largest_hpl_block);
  const long least = *std::min_element(dat.sizes.begin(), dat.sizes.end());
  if (const int most = *std::max_element(dat.blocks.begin(), dat.blocks.end()); most > least)
    lines.say(fmt::format("line 8: of an N below {} all is one block", most));
  const bool column_major = lines.one(9, "PMAP", 0, 1) == 1;
  if (column_major) lines.say("line 9: ranks lie along the columns of the grids");
  const std::vector<int> rows = lines.list(11, 10, "Ps", 1, unlimited);
  const std::vector<int> columns = lines.list(12, 10, "Qs", 1, unlimited);
  for (std::size_t i = 0; i < rows.size(); ++i)
    dat.grids.push_back({rows[i], columns[i], column_major});
}

/// Results are held against a tighter one; what is said where the file has another than HPL's own.
void read_threshold(Lines& lines) {
  constexpr double threshold = 16;
  constexpr const char* what = "the threshold of the residual";
  const TextLine line = lines.at(13, what);
  std::string_view rest = line.text;
  double value = 0;
  if (!take_number(rest, value) || !std::isfinite(value))
    line.refuse(fmt::format("{}: a number", what));
  if (value != threshold)
    lines.say(fmt::format("line 13: the residual is held against 2 / sqrt(N), not {:g}", value));
}

/// Lists that make no cases; returns how many combinations they are.
std::size_t read_panel_forms(Lines& lines) {
  std::size_t combinations = 1;
  const auto pass = [&](int number, const char* what, int lowest, int highest) {
    const std::vector<int> values = lines.list(number, number - 1, what, lowest, highest);
    combinations *= one_of_each(values).size();
  };
  pass(15, "PFACTs", 0, 2);
  pass(17, "NBMINs", 1, unlimited);
  pass(19, "NDIVs", 2, unlimited);
  pass(21, "RFACTs", 0, 2);
  return combinations;
}

void read_variants(Lines& lines, HplDat& dat) {
  constexpr int most_of_hpl = 5, of_any_other = 1;  // as HPL_pdinfo.c reads them
  std::vector<int> numbers = lines.list(23, 22, "BCASTs", 0, unlimited);
  for (int& number : numbers) {
    if (number > most_of_hpl) {
      lines.say(fmt::format("line 23: BCAST {} is taken as 1, {}, as HPL takes what is beyond 5",
                            number, broadcasts[of_any_other]));
      number = of_any_other;
    }
    dat.bcasts.emplace_back(broadcasts[static_cast<std::size_t>(number)]);
  }
  if (*std::max_element(numbers.begin(), numbers.end()) >= 4)
    lines.say("line 23: pipeline in the place of the long broadcasts, 4 and 5");
  dat.bcasts = one_of_each(dat.bcasts);
  const std::vector<int> depths = lines.list(25, 24, "DEPTHs", 0, unlimited);
  for (const int depth : depths) dat.look_aheads.push_back(depth > 0);
  if (const int deepest = *std::max_element(depths.begin(), depths.end()); deepest > 1)
    lines.say(fmt::format("line 25: look-ahead by one panel, not by {}", deepest));
  dat.look_aheads = one_of_each(dat.look_aheads);
  dat.swap = swaps[static_cast<std::size_t>(lines.one(26, "SWAP", 0, 2))];
  dat.swap_threshold = lines.one(27, "the swapping threshold", 0, unlimited);
}

}  // namespace

std::vector<int> HplDat::blocks_of(long size) const {
  std::vector<int> all;
  for (const int block : blocks) all.push_back(static_cast<int>(std::min<long>(block, size)));
  return one_of_each(all);
}

HplDat parse_hpl_dat(std::string_view text, const std::string& file) {
  Lines lines(text, file);
  HplDat dat;
  (void)lines.at(3, "the name of an output file");
  constexpr int standard_output = 6;
  if (lines.one(4, "the output device", 0, unlimited) != standard_output)
    lines.say("lines 3 and 4: results go to standard output");
  read_problems(lines, dat);
  read_threshold(lines);
  const std::size_t combinations = read_panel_forms(lines);
  read_variants(lines, dat);
  (void)lines.one(28, "L1", 0, 1);
  (void)lines.one(29, "U", 0, 1);
  (void)lines.one(30, "Equilibration", 0, 1);
  (void)lines.one(lines_in_all, "memory alignment", 1, unlimited);
  lines.say(
      "lines 14 to 21, 28 to 31: PFACT, NBMIN, NDIV, RFACT, L1, U, Equilibration and alignment are "
      "this program's own" +
      (combinations > 1 ? fmt::format(", one for the {} combinations", combinations) : ""));
  if (lines.goes_on_behind(lines_in_all))
    lines.say("lines from 32 on: not read, nor are they by HPL");
  dat.remarks = lines.remarks();
  return dat;
}

HplDat read_hpl_dat(const std::string& file) {
  constexpr std::size_t longest = 1 << 20;
  return parse_hpl_dat(read_text(file, longest), file);
}

int hpl_broadcast_digit(const std::string& name) {
  constexpr int beyond_hpls = 6;
  const auto found = std::find(broadcasts.begin(), broadcasts.end(), name);
  return found == broadcasts.end() ? beyond_hpls : static_cast<int>(found - broadcasts.begin());
}

}  // namespace bellwether
