// SPDX-License-Identifier: MIT
#include "models/machine/added_link.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <span>

#include "models/errors.hpp"
#include "models/machine/machine_json.hpp"
#include "models/text_lines.hpp"

namespace bellwether {
namespace {

using nlohmann::json;

struct Unit {
  const char* name;
  double size;
};
constexpr Unit times[] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}};
constexpr Unit rates[] = {{"GB/s", 1e9}, {"MB/s", 1e6}, {"TB/s", 1e12}, {"Gbit/s", 1.25e8}};

/// A number with one of the units, in SI units.
std::optional<double> in_units(const std::string& word, std::span<const Unit> units) {
  for (const Unit& unit : units)
    if (word.ends_with(unit.name))
      if (const auto number = parse_number<double>(
              std::string_view(word).substr(0, word.size() - std::string(unit.name).size())))
        return *number * unit.size;
  return {};
}

}  // namespace

Machine add_link(const Machine& machine, const std::string& text) {
  const std::size_t equals = text.find('='), comma = text.find(',');
  std::optional<double> latency, bandwidth;
  if (equals != text.npos && comma != text.npos && equals < comma) {
    latency = in_units(text.substr(equals + 1, comma - equals - 1), times);
    bandwidth = in_units(text.substr(comma + 1), rates);
  }
  if (!latency || !bandwidth)
    throw BadInput(
        fmt::format("--add-link: found \"{}\", expected NAME=LATENCY,BANDWIDTH as in "
                    "network=1.5us,12GB/s (ns, us, ms or s; MB/s, GB/s, TB/s or Gbit/s)",
                    text));
  const std::string name = text.substr(0, equals);
  if (machine.links.contains(name))
    throw BadInput(
        fmt::format("--add-link {}: found a link that machine {} has, expected another "
                    "(--what-if changes it)",
                    name, machine.name));
  json document = to_json(machine);
  document["links"][name] = {{"source", "assumed: --add-link " + text},
                             {"latency_s", *latency},
                             {"bandwidth_bytes_per_s", *bandwidth}};
  return parse_machine(document, "--add-link " + text);
}

}  // namespace bellwether
