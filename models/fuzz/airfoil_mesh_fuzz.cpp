// SPDX-License-Identifier: MIT
// libFuzzer: a text is read as an Airfoil mesh, or refused with BadInput that names file and line;
// nothing else. Read in two pieces, as two ranks would, it gives the same.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

#include "models/airfoil/airfoil_mesh_text.hpp"
#include "models/errors.hpp"
#include "models/text_lines.hpp"

namespace {

using bellwether::AirfoilMeshCounts;
using bellwether::AirfoilMeshRecords;

const std::string file = "fuzzed.dat";

[[noreturn]] void fail(const char* what, const std::string& detail) {
  std::fprintf(stderr, "%s: %s\n", what, detail.c_str());
  std::abort();
}

void check_sizes(const AirfoilMeshRecords& records, std::string_view text) {
  // The shortest record is a node's, two digits, a blank and the line's end.
  const std::size_t numbers = records.coordinates.size() + records.cells.size() +
                              records.edges.size() + records.bedges.size();
  if (numbers > text.size()) fail("more numbers than bytes", std::to_string(numbers));
}

/// The refusal of the whole text, or what was read.
std::optional<AirfoilMeshRecords> read(std::string_view text, std::int64_t first_line,
                                       const AirfoilMeshCounts& counts) {
  try {
    AirfoilMeshRecords records = bellwether::parse_mesh_lines(text, first_line, counts, file);
    check_sizes(records, text);
    return records;
  } catch (const bellwether::BadInput& refusal) {
    const std::string message = refusal.what();
    if (message.find(file + ", line ") != 0) fail("a refusal without the line", message);
    return {};
  }
}

void check_pieces(std::string_view text, const AirfoilMeshCounts& counts) {
  const auto whole = read(text, 2, counts);
  const std::size_t cut = text.find('\n', text.size() / 2);
  if (cut == std::string_view::npos) return;
  const std::string_view first = text.substr(0, cut + 1), rest = text.substr(cut + 1);
  const auto a = read(first, 2, counts);
  const auto b = read(rest, 2 + bellwether::count_lines(first).lines, counts);
  if (whole.has_value() != (a && b)) fail("refused in one way alone", std::string(text));
  if (!whole) return;
  const auto joined = [](auto left, const auto& right) {
    left.insert(left.end(), right.begin(), right.end());
    return left;
  };
  if (joined(a->coordinates, b->coordinates) != whole->coordinates ||
      joined(a->cells, b->cells) != whole->cells || joined(a->edges, b->edges) != whole->edges ||
      joined(a->bedges, b->bedges) != whole->bedges)
    fail("the pieces differ from the whole", std::string(text));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t end = text.find('\n');
  AirfoilMeshCounts counts;
  try {
    counts = bellwether::parse_mesh_counts(text.substr(0, end), file);
  } catch (const bellwether::BadInput& refusal) {
    const std::string message = refusal.what();
    if (message.find(file + ", line 1: ") != 0) fail("a refusal without the line", message);
    return 0;
  }
  if (end != std::string_view::npos) check_pieces(text.substr(end + 1), counts);
  return 0;
}
