// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "models/roofline/roofline.hpp"
#include "models/stencil/stencil_paper.hpp"
#include "models/stencil/stencil_refined.hpp"
#include "results/reproduce/papers.hpp"

namespace bellwether {
namespace {

using nlohmann::json;

constexpr double giga = 1e9;
constexpr double f32_bytes = 4;
constexpr double roofline_tolerance = 0.002;

StencilKernel kernel_of(const json& paper, const std::string& name) {
  if (name == "lbm") return lattice_boltzmann();
  const json& application = paper.at("applications").at(name);
  StencilKernel kernel;
  kernel.name = name;
  kernel.flops = kernel.paper_flops = application.at("flops_per_cell");
  kernel.accessed_values = application.at("accessed_bytes_per_cell").get<double>() / f32_bytes;
  kernel.paper_halo_values = application.at("values_sent_per_boundary_cell");
  kernel.paper_aligned_buffers = application.at("aligned_buffers");
  return kernel;
}

/// One device's rate by Eq. 1, flop/s.
double one_device(const Machine& machine, const StencilKernel& kernel) {
  need(machine, machine.device.peak_flops_per_s.contains("f32"), "device.peak_flops_per_s.f32");
  const Roofline device{machine.device.peak_flops_per_s.at("f32").value,
                        machine.device.memory_bandwidth_bytes_per_s.value};
  return roofline_flops_per_s(device, kernel.paper_flops, kernel.accessed_values * f32_bytes);
}

void add_rooflines(const json& paper, const PaperMachines& machines,
                   std::vector<ReproducedNumber>& numbers) {
  for (const json& one : paper.at("roofline"))
    numbers.push_back(
        {Evidence::restatement, one.at("item"), one.at("gflop_per_s"),
         one_device(machines.at(one.at("machine")), kernel_of(paper, one.at("application"))) / giga,
         "Gflop/s", roofline_tolerance, ""});
}

void add_lattice_boltzmann(const json& paper, const Machine& tsubame,
                           std::vector<ReproducedNumber>& numbers) {
  const json& published = paper.at("lattice_boltzmann");
  const double estimate = one_device(tsubame, lattice_boltzmann());
  const double flops = lattice_boltzmann().paper_flops;
  const double measured = published.at("measured_gflop_per_s");
  numbers.push_back({Evidence::measurement, "Section 6.2.2, measured rate on one M2050", measured,
                     estimate / giga, "Gflop/s", measured_tolerance, "by Eq. 1"});
  const std::array<int, 3> cells = paper.at("scaling").back().at("cells");
  const Decomposition one_rank({cells[0], cells[0], cells[0]}, {1, 1, 1}, true);
  const Prediction refined =
      predict_stencil_refined(tsubame, lattice_boltzmann(), one_rank, {}, {1});
  const double rate = flops * std::pow(cells[0], 3) / giga;
  numbers.push_back(
      {Evidence::fitted, "Section 6.2.2, measured rate on one M2050, refined form", measured,
       rate / refined.total_s, "Gflop/s", roofline_tolerance,
       fmt::format("{:.0f} to {:.0f} by its interval; the machine's memory_efficiency is "
                   "derived from this measurement, so no check of it",
                   rate / refined.high_s, rate / refined.low_s)});
  numbers.push_back({Evidence::restatement, "Section 6.2.2, cell updates, of the estimate",
                     published.at("mlups"), estimate / flops / 1e6, "MLUPS", roofline_tolerance,
                     ""});
  numbers.push_back({Evidence::restatement, "Section 6.2.2, cell updates, of the measurement",
                     published.at("mlups"), measured * giga / flops / 1e6, "MLUPS", std::nullopt,
                     "the paper's slip: it prints the estimate's for the measurement"});
}

/// A mesh of a scaling figure on q x q devices of the machine.
struct Mesh {
  const Machine& machine;
  StencilKernel kernel;
  std::array<int, 3> cells;

  [[nodiscard]] Prediction predict(int q, bool overlap) const {
    const RankPlacement placement{machine.layout.ranks_per_node};
    return predict_stencil_paper(machine, kernel, Decomposition(cells, {1, q, q}, true),
                                 {.overlap = overlap}, placement);
  }
  [[nodiscard]] double tera_flops(int q, bool overlap) const {
    const double all = kernel.flops * cells[0] * cells[1] * cells[2];
    return all / predict(q, overlap).total_s / 1e12;
  }
  /// The largest square of devices that the machine and the mesh have.
  [[nodiscard]] int most() const {
    int q = 1;
    while ((q + 1) * (q + 1) <= machine.layout.ranks && q < cells[1]) ++q;
    return q;
  }
  /// The last q, beyond which the communication of so many messages in place of a subdomain's four
  /// is never hidden whole again. 0: none is.
  [[nodiscard]] int last_hidden(double messages) const {
    for (int q = most(); q > 1; --q) {
      const Prediction prediction = predict(q, true);
      if (messages / faces * prediction.communication_s <= prediction.hiding_s) return q;
    }
    return 0;
  }
  static constexpr double faces = 4;  ///< of a subdomain that is cut in y and z
};

Mesh mesh_of(const json& paper, const json& one, const PaperMachines& machines) {
  return {machines.at(one.at("machine")), kernel_of(paper, one.at("application")), one.at("cells")};
}

std::string up_to(int last, int most) {
  if (last == 0) return "nowhere";
  return fmt::format("{} {} devices", last == most ? "on all" : "up to", last * last);
}

/// What the models give for a curve; the figures have no numbers to compare with.
std::string curve_statement(const Mesh& mesh, const json& figure, const std::vector<double>& all) {
  const int most = mesh.most(), hidden = mesh.last_hidden(Mesh::faces);
  std::string text = fmt::format(
      "{}, {} of {}x{}x{} on {} (computed, 1xQxQ devices): overlap hides the whole communication "
      "{} (j = 4",
      figure.get<std::string>(), mesh.kernel.name, mesh.cells[0], mesh.cells[1], mesh.cells[2],
      mesh.machine.name, up_to(hidden, most));
  for (const double messages : all)
    if (messages != Mesh::faces)
      text += fmt::format("; j = {}: {}", messages, up_to(mesh.last_hidden(messages), most));
  text += ")";
  for (const int q : std::set{hidden, most})
    if (q > 0)
      text += fmt::format("; on {} devices {:.2f} TFLOP/s with overlap and {:.2f} without", q * q,
                          mesh.tera_flops(q, true), mesh.tera_flops(q, false));
  return text;
}

/// What Sections 6.1.2, 6.1.3 and 6.2.2 see in Figures 7, 8 and 11.
void add_trends(const json& paper, const PaperMachines& machines, Reproduction& result) {
  struct Hidden {
    int devices, of;
  };
  const auto add = [&](const char* figure, const char* seen, const auto& holds) {
    std::vector<Hidden> last;
    std::string text;
    for (const json& one : paper.at("scaling")) {
      if (one.at("figure") != figure) continue;
      const Mesh mesh = mesh_of(paper, one, machines);
      const int q = mesh.last_hidden(Mesh::faces);
      last.push_back({q * q, mesh.most() * mesh.most()});
      text += fmt::format("{}{}", text.empty() ? "up to " : ", ", last.back().devices);
    }
    result.trends.push_back(
        {fmt::format("{}, {}", figure, seen), holds(last), text + " devices, smallest mesh first"});
  };
  const auto ends = [](const Hidden& one) { return one.devices < one.of; };
  add("Figure 7", "many GPUs: communication can no longer be hidden",
      [&](const auto& last) { return std::all_of(last.begin(), last.end(), ends); });
  add("Figure 8", "as on TSUBAME2.0: hidden on few GPUs, on all no longer for 512^3",
      [&](const auto& last) { return last.at(0).devices > 1 && ends(last.at(0)); });
  add("Figure 11", "192x512x512 is the first to slow down", [](const auto& last) {
    return std::all_of(last.begin() + 1, last.end(),
                       [&](const Hidden& one) { return last.at(0).devices < one.devices; });
  });
}

}  // namespace

Reproduction reproduce_shimokawabe(const PaperMachines& machines) {
  const json& paper = published("shimokawabe");
  Reproduction result = reproduction_of(paper);
  for (const json& one : paper.at("scaling"))
    result.statements.push_back(curve_statement(mesh_of(paper, one, machines), one.at("figure"),
                                                paper.at("messages").at("numbers")));
  add_rooflines(paper, machines, result.numbers);
  add_lattice_boltzmann(paper, machines.at("tsubame2.0"), result.numbers);
  add_trends(paper, machines, result);
  return result;
}

}  // namespace bellwether
