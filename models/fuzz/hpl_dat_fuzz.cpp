// SPDX-License-Identifier: MIT
// libFuzzer: a text is read as HPL's input file, or refused with BadInput that names file and line;
// nothing else. What was read keeps what its lines allow, and cases are bounded.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "models/errors.hpp"
#include "models/hpl/hpl_dat.hpp"
#include "models/network/trees.hpp"

namespace {

const std::string file = "fuzzed.dat";

void require(bool right, const char* what) {
  if (right) return;
  std::fprintf(stderr, "not kept: %s\n", what);
  std::abort();
}

template <class Values>
void require_each(const Values& values, std::size_t most, auto lowest, auto highest,
                  const char* what) {
  require(!values.empty() && values.size() <= most, what);
  for (const auto value : values) require(value >= lowest && value <= highest, what);
}

void check(const bellwether::HplDat& dat) {
  require_each(dat.sizes, 20, 1, bellwether::largest_hpl_size, "sizes");
  for (const long size : dat.sizes)
    require_each(dat.blocks_of(size), 20, 1, std::min<long>(size, bellwether::largest_hpl_block),
                 "blocks");
  require(!dat.grids.empty() && dat.grids.size() <= 20, "grids");
  for (const auto& grid : dat.grids) require(grid.rows > 0 && grid.columns > 0, "a grid");
  require(!dat.bcasts.empty() && dat.bcasts.size() <= 5, "broadcasts");
  const auto names = bellwether::broadcast_names();
  for (const std::string& name : dat.bcasts)
    require(std::find(names.begin(), names.end(), name) != names.end(), "a broadcast");
  require(!dat.look_aheads.empty() && dat.look_aheads.size() <= 2, "look-ahead");
  require(!dat.swap.empty() && dat.swap_threshold >= 0, "swap");
  for (const std::string& remark : dat.remarks)
    require(remark.starts_with(file + ", line"), remark.c_str());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    check(bellwether::parse_hpl_dat({reinterpret_cast<const char*>(data), size}, file));
  } catch (const bellwether::BadInput& refusal) {
    const std::string message = refusal.what();
    require(message.starts_with(file + ", line ") && message.find(", expected ") != message.npos,
            message.c_str());
  }
  return 0;
}
