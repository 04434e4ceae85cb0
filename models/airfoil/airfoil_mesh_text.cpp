// SPDX-License-Identifier: MIT
#include "models/airfoil/airfoil_mesh_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "models/errors.hpp"
#include "models/text_lines.hpp"

namespace bellwether {
namespace {

constexpr std::int64_t most_elements = std::numeric_limits<std::int32_t>::max();

template <class Number, std::size_t count>
std::array<Number, count> numbers(const TextLine& line, const char* expected) {
  std::array<Number, count> found{};
  std::string_view rest = line.text;
  for (Number& number : found)
    if (!take_number(rest, number)) line.refuse(expected);
  if (!is_blank(rest)) line.refuse(expected);
  return found;
}

template <class Values>
void append(std::vector<typename Values::value_type>& to, const Values& values) {
  to.insert(to.end(), values.begin(), values.end());
}

void parse_record(const TextLine& line, int set, AirfoilMeshRecords& records) {
  if (set == 0) {
    const auto node = numbers<double, 2>(line, "a node: x and y");
    if (!std::isfinite(node[0]) || !std::isfinite(node[1])) line.refuse("finite coordinates");
    append(records.coordinates, node);
    return;
  }
  if (set == 1)
    append(records.cells, numbers<std::int64_t, 4>(line, "a cell: four nodes"));
  else if (set == 2)
    append(records.edges, numbers<std::int64_t, 4>(line, "an edge: two nodes and two cells"));
  else
    append(records.bedges,
           numbers<std::int64_t, 4>(line, "a boundary edge: two nodes, a cell and a flag"));
}

}  // namespace

AirfoilMeshCounts parse_mesh_counts(std::string_view text, const std::string& file) {
  const TextLine line{text, 1, file};
  constexpr const char* expected =
      "the numbers of nodes, cells, edges and boundary edges, each from 0 to 2147483647";
  AirfoilMeshCounts counts{numbers<std::int64_t, 4>(line, expected)};
  for (const std::int64_t count : counts.of)
    if (count < 0 || count > most_elements) line.refuse(expected);
  return counts;
}

AirfoilMeshRecords parse_mesh_lines(std::string_view text, std::int64_t first_line,
                                    const AirfoilMeshCounts& counts, const std::string& file) {
  AirfoilMeshRecords records;
  std::int64_t record = first_line - 2;
  for (int set = 0; set < airfoil_mesh_sets; ++set)
    records.first[set] = std::clamp<std::int64_t>(record - counts.before(set), 0, counts.of[set]);
  for_each_line(text, [&](std::string_view of_text) {
    const TextLine line{of_text, record + 2, file};
    int set = 0;
    while (set < airfoil_mesh_sets && record >= counts.before(set) + counts.of[set]) ++set;
    if (set < airfoil_mesh_sets)
      parse_record(line, set, records);
    else if (!is_blank(of_text))
      line.refuse(
          fmt::format("the file's end after the {} elements that line 1 counts", counts.records()));
    ++record;
  });
  return records;
}

}  // namespace bellwether
