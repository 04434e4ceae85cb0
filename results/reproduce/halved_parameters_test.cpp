// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "models/errors.hpp"
#include "models/machine/machine_json.hpp"
#include "models/machine/what_if.hpp"
#include "results/reproduce/papers.hpp"

namespace bellwether {
namespace {

/// Parameters whose halves fail nothing, machine and key as regular expressions, and why.
struct Unjudged {
  const char* machine;
  const char* key;
  const char* why;
};
constexpr Unjudged unjudged[] = {
    {".*", R"(layout\.ranks(_per_node)?)",
     "published rows name their own ranks; figures print no numbers"},
    {"(?!grotius).*", R"(layout\.cores_per_node)", "no paper's form asks"},
    {".*", R"(device\.memory_bytes)", "no form's"},
    {"(?!tsubame|mi50).*", R"(device\.memory_efficiency)", "the refined form's alone"},
    {"(?!tsubame|cray|mi50).*", R"(device\.memory_bandwidth_bytes_per_s)",
     "the paper's form has costs of its own"},
    {"(?!tsubame|cray).*", R"(device\.peak_flops_per_s\.f32)", "the same"},
    {"grotius|hector|cx1|c2070-cluster", R"(device\.peak_flops_per_s\.f64)", "the same"},
    {"(?!mi50).*", R"(device\.gemm_flops_per_s\..*)", "their class's share of the peak"},
    {"tsubame2.0|cray-xk6m", R"(links\..*)",
     "Figures 4, 5, 7, 8 and 11 print no number that rests on a link"},
    {"mi50-cluster", R"(links\.network\..*)", "the paper's form has hpl.simulation.network"},
    {"mi50-cluster", R"(links\.device_to_host\..*)", "the matrix stays on the device"},
    {"grotius", R"(amg\.threads\.(?!7|9).*\.fork_join_s)", "the refined form's, within 10 %"},
    {"grotius", R"(topology\.dimensions\..*)", "the torus is cut or grown to the nodes in use"},
    {"hector|cx1|c2070-cluster", R"(airfoil\.loops\..*\.elements)",
     "one point: the cost of an element at any size"},
    {"hector|cx1|c2070-cluster", R"(airfoil\.(loops\.f64\.bres_calc\..*|bres_calc_colours))",
     "0.1 % of the time"},
    {"hector|cx1|c2070-cluster", R"(links\..*|airfoil\.ranks_per_nic)",
     "assumed, or PCIe's: hidden but for less than the tolerances of Table 3 and Section 4"},
    {"paragon|vpp500", R"(links\..*|start_up\.(adding|transfer|parallel_update)\..*)",
     "speed-ups alone, of figures that print no numbers"},
    {"paragon|vpp500", R"(start_up\.(peak_.*|fitted_.*))",
     "P is a ratio of times, from which rates cancel; what was fitted where is not computed with"},
    {"paragon", R"(start_up\.(update|scaling)\.start_up_s)", "2 % of do 20, nothing of do 30"},
    {"vpp500", R"(start_up\.(update|scaling)\..*)", "P prints as 100 % for any halved one"},
};

/// Each number of the machine's document halved, whole ones rounded down; those of intervals go
/// with their value.
std::vector<WhatIf> halves(const Machine& machine) {
  std::vector<WhatIf> all;
  const nlohmann::json numbers = to_json(machine).flatten();
  for (const auto& [pointer, value] : numbers.items()) {
    if (!value.is_number() || value == 0) continue;
    std::string key = pointer.substr(1);
    std::replace(key.begin(), key.end(), '/', '.');
    if (key.ends_with(".low") || key.ends_with(".high")) continue;
    if (key.ends_with(".value")) key.resize(key.rfind('.'));
    if (value.is_number_integer())
      all.push_back({.key = key, .number = std::floor(value.get<double>() / 2)});
    else
      all.push_back({.key = key, .number = 0.5, .is_factor = true});
  }
  return all;
}

/// Whether a number fails, a known miss no longer misses, or the model refuses the machine.
bool fails(const KnownPaper& paper, const PaperMachines& machines) {
  try {
    const Reproduction reproduction = paper.reproduce(machines);
    return std::any_of(reproduction.numbers.begin(), reproduction.numbers.end(),
                       [](const auto& one) { return one.failed(); });
  } catch (const BadInput&) {
    return true;
  }
}

const Unjudged* unjudged_of(const std::string& machine, const std::string& key) {
  for (const Unjudged& one : unjudged)
    if (std::regex_match(machine, std::regex(one.machine)) &&
        std::regex_match(key, std::regex(one.key)))
      return &one;
  return nullptr;
}

TEST(HalvedParameters, EachFailsUnlessNoPublishedNumberRestsOnIt) {
  std::set<const Unjudged*> used;
  int failing = 0;
  for (const KnownPaper& paper : known_papers()) {
    ASSERT_FALSE(fails(paper, {})) << paper.key;
    for (const std::string& name : paper.machines) {
      const Machine shipped = PaperMachines().at(name);
      for (const WhatIf& half : halves(shipped)) {
        Machine halved = shipped;
        try {
          change(halved, half);
        } catch (const BadInput&) {
          continue;  // no machine may have it
        }
        PaperMachines machines;
        machines.put(std::move(halved));
        const bool failed = fails(paper, machines);
        const Unjudged* listed = unjudged_of(name, half.key);
        EXPECT_EQ(failed, listed == nullptr)
            << name << ", " << half.key
            << (failed ? ": listed as judged by nothing, and fails"
                       : ": halved, and nothing fails: add a check, or list it with the reason");
        failing += failed;
        if (listed != nullptr) used.insert(listed);
      }
    }
  }
  for (const Unjudged& one : unjudged)
    EXPECT_TRUE(used.contains(&one)) << one.machine << " " << one.key << " names no parameter";
  EXPECT_GT(failing, 50);
}

}  // namespace
}  // namespace bellwether
