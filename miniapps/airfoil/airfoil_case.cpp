// SPDX-License-Identifier: MIT
#include "miniapps/airfoil/airfoil_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "miniapps/airfoil/airfoil_checks.hpp"
#include "miniapps/airfoil/airfoil_flow.hpp"
#include "miniapps/airfoil/airfoil_iterations.hpp"
#include "miniapps/airfoil/airfoil_picture.hpp"
#include "miniapps/airfoil/files/airfoil_files.hpp"
#include "miniapps/airfoil/mesh/airfoil_blocks.hpp"
#include "miniapps/airfoil/mesh/airfoil_local.hpp"
#include "miniapps/airfoil/mesh/airfoil_mesh_checks.hpp"
#include "miniapps/comm/reduce.hpp"
#include "miniapps/driver/constant_arrays.hpp"
#include "miniapps/driver/options.hpp"
#include "models/airfoil/airfoil_paper.hpp"
#include "models/airfoil/airfoil_refined.hpp"

namespace bellwether {
namespace {

/// Collective. A hash of the places of the ranks' first nodes, in whatever order: x and y of each.
std::uint64_t hash_of_places(MPI_Comm comm, const std::vector<double>& x, std::int64_t nodes) {
  std::uint64_t sum = 0;
  for (std::size_t node = 0; node < static_cast<std::size_t>(nodes); ++node)
    sum += checksum(&x[2 * node], 2 * sizeof(double));
  return sum_of_hashes(comm, sum);
}

template <class T>
class AirfoilCase final : public Case,
                          public WatchedCase,
                          public PicturedCase,
                          public CommunicatingCase,
                          public ProbedCase {
 public:
  AirfoilCase(const CaseSite& site, AirfoilProblem problem, const AirfoilVariant& variant,
              Increments increments, std::shared_ptr<const AirfoilParts> parts, VtkTarget picture)
      : site_(site),
        problem_(std::move(problem)),
        variant_{variant.overlap, used_halo(variant.halo, !site.device.is_host())},
        increments_(increments),
        parts_(std::move(parts)),
        picture_(std::move(picture)),
        flow_(site.session, site.device, parts_->local,
              {problem_.is_fused(), variant_.overlap, variant_.halo == "staged", increments}) {
    site.build("first iteration", [this] { check_start(); });
  }

  [[nodiscard]] nlohmann::json problem() const override {
    nlohmann::json problem = to_json(problem_);
    for (const LocalSet& set : parts_->local.mesh.sets) problem["sets"][set.name] = set.total;
    return problem;
  }
  [[nodiscard]] nlohmann::json variant() const override {
    return {{"backend", site_.backend},
            {"overlap", on_or_off(variant_.overlap)},
            {"halo", variant_.halo},
            {"loops", problem_.loops},
            {"increments", name_of(increments_)}};
  }
  [[nodiscard]] nlohmann::json result() override {
    nlohmann::json result{{"iterations", flow_.iterations()}};
    if (const std::optional<double> rms = flow_.rms()) result["rms"] = *rms;
    return result;
  }
  [[nodiscard]] std::string title() const override {
    const int ranks = site_.session.size();
    const bool is_default = increments_ == default_increments(site_.device, problem_.is_fused());
    return fmt::format("airfoil {} {}, {} rank{} ({}), {}, {} loops{}, overlap {}",
                       problem_.mesh_name(), problem_.precision, ranks, ranks == 1 ? "" : "s",
                       problem_.partitioner, site_.device.description(), problem_.loops,
                       is_default ? "" : fmt::format(", {}", name_of(increments_)),
                       on_or_off(variant_.overlap));
  }
  [[nodiscard]] StepWork work() const override {
    return airfoil_step_work(counts(), problem_.precision, sequence());
  }
  /// What one pass over the mesh moves.
  [[nodiscard]] double held_bytes() const override {
    const int of_value = static_cast<int>(value_bytes(problem_.precision));
    return static_cast<double>(airfoil_tiled_bytes(counts(), of_value));
  }
  [[nodiscard]] std::unique_ptr<Probe> make_probe(const Machine* machine) override {
    double cells = 0;
    for (const AirfoilWorkload& rank : parts_->workloads) cells = std::max(cells, rank.cells);
    return make_airfoil_probe(
        site_.session, site_.device,
        {problem_.precision, problem_.is_fused(), increments_, cells, [this] { flow_.touch(); }},
        machine);
  }

  [[nodiscard]] Protocol protocol() const override {
    return {.repeats_to_the_bit = increments_ != Increments::atomics};
  }
  [[nodiscard]] std::uint64_t fingerprint() override { return flow_.fingerprint(); }
  void restart() override {
    flow_.restart();
    start_ = free_stream_preserved(flow_.residual(), unit());
    last_looked_at_ = 0;
    least_rms_.reset();
  }
  void step(PhaseClock& clock) override { flow_.iterate(clock); }
  void finish(PhaseClock& clock) override { flow_.finish(clock); }

  [[nodiscard]] std::optional<Verification> broken() override {
    // Iterations, of which a look costs about one; what one flipped bit does fades in some dozens.
    constexpr long between = 16;
    if (flow_.iterations() < last_looked_at_ + between) return {};
    last_looked_at_ = flow_.iterations();
    if (const Verification now = finite(); !now.passed) return where_it_broke(now);
    const double rms = flow_.rms().value();
    if (Verification now = smooth(rms); !now.passed) {
      now.what += fmt::format(": iteration {}", flow_.iterations());
      return now;
    }
    least_rms_ = std::min(rms, least_rms_.value_or(rms));
    return {};
  }
  [[nodiscard]] Verification verify() override {
    if (const Verification now = finite(); !now.passed) return where_it_broke(now);
    const std::int64_t cells = parts_->local.mesh.sets[airfoil_cells].total;
    std::vector<Verification> all{
        start_, free_stream_preserved(flow_.residual_of_free_stream(), unit()),
        conservation(flow_.residual(), cells, unit()), dealt_out_, flow_.constants()};
    if (const std::optional<double> rms = flow_.rms()) {
      // The first says nothing beside itself.
      if (flow_.iterations() > 1)
        all.push_back(rms_fallen(*rms, first_rms_, flow_.iterations(), unit()));
      if (const Verification now = smooth(*rms); !now.passed) all.push_back(now);
      if (const std::optional<int> stale = flow_.stale_ranks())
        all.push_back(judged("ranks with stale halos", *stale, 0));
      // The one figure that is known from elsewhere is what is said, unless something else failed.
      if (is_reference() && worst_of(all).passed) return rms_of_reference(*rms);
    }
    return worst_of(all);
  }
  void write_picture() override {
    if (problem_.picture.empty()) return;
    write_airfoil_picture(picture_, site_.session.world(), *parts_->blocks,
                          parts_->local.mesh.sets[airfoil_cells], flow_.values());
  }

  [[nodiscard]] std::optional<double> bare_communication() override {
    if (site_.session.size() == 1) return {};
    return flow_.bare_communication();
  }
  [[nodiscard]] std::vector<Prediction> predict(const Machine& machine) const override {
    AirfoilConditions conditions{problem_.precision,   variant_.overlap,
                                 site_.session.size(), site_.session.most_ranks_on_a_node(),
                                 sequence(),           variant_.halo == "staged",
                                 name_of(increments_)};
    for (const AirfoilWorkload& one : parts_->workloads)
      conditions.mean_cells += one.cells / site_.session.size();
    const AirfoilLoopCosts costs(machine, problem_.precision, conditions.on_node());
    return {
        predict_airfoil_paper(machine, costs, parts_->workloads, conditions),
        predict_airfoil_refined(machine, costs, parts_->workloads, conditions, NoiseWait(machine))};
  }

 private:
  void check_start() {
    PhaseClock clock(unwatched_);
    flow_.iterate(clock);
    flow_.finish(clock);
    first_rms_ = flow_.rms().value();
    const std::uint64_t places = hash_of_places(site_.session.world(), parts_->local.coordinates,
                                                parts_->local.mesh.sets[airfoil_nodes].owned());
    dealt_out_ =
        judged("the mesh changed as it was dealt out", places == parts_->places ? 0 : 1, 0);
    restart();
  }
  [[nodiscard]] AirfoilSequence sequence() const {
    return sequence_of(problem_.is_fused(), increments_);
  }
  [[nodiscard]] Verification finite() {
    return finite_flow(flow_.not_finite(), flow_.iterations());
  }
  [[nodiscard]] Verification smooth(double rms) const {
    return rms_without_jump(rms, least_rms_.value_or(rms), unit());
  }
  /// The same iterations once more, with a look after each: one value that is not finite takes the
  /// whole mesh with it within as many iterations as that is wide. What was found where it does not
  /// happen again.
  [[nodiscard]] Verification where_it_broke(const Verification& found) {
    const long known = flow_.iterations();
    PhaseClock clock(site_.heartbeat != nullptr ? *site_.heartbeat : unwatched_);
    flow_.restart();
    while (flow_.iterations() < known) {
      flow_.iterate(clock);
      flow_.finish(clock);
      clock.enter("looking for the first value that is not finite");
      if (const Verification now = finite(); !now.passed) return now;
    }
    return found;
  }
  [[nodiscard]] static double unit() {
    return static_cast<double>(std::numeric_limits<T>::epsilon()) / 2;
  }
  [[nodiscard]] AirfoilCounts counts() const {
    const auto& sets = parts_->local.mesh.sets;
    return {sets[airfoil_nodes].total, sets[airfoil_cells].total, sets[airfoil_edge_set].total,
            sets[airfoil_bedges].total};
  }
  /// Whether the rms of so many iterations on this mesh is known from OP2.
  [[nodiscard]] bool is_reference() const {
    return parts_->of_reference && problem_.precision == "f64" && flow_.iterations() == 1000;
  }

  CaseSite site_;
  AirfoilProblem problem_;
  AirfoilVariant variant_;
  Increments increments_;
  std::shared_ptr<const AirfoilParts> parts_;
  VtkTarget picture_;  ///< without a path where none is asked for
  AirfoilFlow<T> flow_;
  Verification dealt_out_;  ///< that no node is elsewhere than when the mesh was made
  Verification start_;      ///< of the free stream, when it was all there was
  double first_rms_ = 0;    ///< of the first iteration
  Heartbeat unwatched_;
  long last_looked_at_ = 0;
  std::optional<double> least_rms_;  ///< that was looked at since the restart
};

}  // namespace

std::shared_ptr<const AirfoilParts> deal_out_airfoil(const CaseSite& site,
                                                     const AirfoilProblem& problem, bool gathers) {
  const Session& session = site.session;
  AirfoilBlocks blocks;
  auto parts = std::make_shared<AirfoilParts>();
  site.build("mesh", [&] {
    if (problem.is_generated()) {
      const AirfoilMesh mesh = airfoil_mesh_of(problem.cells);
      require_mesh_memory(session, airfoil_mesh_bytes(airfoil_frame(mesh).mesh));
      blocks = generate_airfoil(mesh, session.size(), session.rank());
      check_airfoil(session.world(), blocks);
    } else {
      blocks = read_airfoil(session.world(), problem.file,
                            [&](double bytes) { require_mesh_memory(session, bytes); });
    }
    parts->places = hash_of_places(session.world(), blocks.coordinates.values,
                                   static_cast<std::int64_t>(blocks.coordinates.values.size()) / 2);
    if (problem.precision == "f32") check_airfoil_in_f32(session.world(), blocks);
    parts->of_reference = problem.is_generated()
                              ? problem.cells == std::array<std::int64_t, 2>{400, 600}
                              : is_reference_mesh(session.world(), blocks);
  });
  site.build("partition", [&] {
    parts->local =
        distribute_airfoil(session.world(), blocks, partitioner_named(problem.partitioner));
    if (gathers) add_surroundings(session.world(), blocks, parts->local);
  });
  const AirfoilWorkload own =
      workload_of(parts->local.mesh, session.rank(), session.node_of_rank());
  parts->workloads.resize(session.size());
  MPI_Allgather(&own, sizeof own, MPI_BYTE, parts->workloads.data(), sizeof own, MPI_BYTE,
                session.world());
  if (!problem.picture.empty()) parts->blocks = std::move(blocks);
  return parts;
}

std::unique_ptr<Case> make_airfoil_case(const CaseSite& site, const AirfoilProblem& problem,
                                        const AirfoilVariant& variant,
                                        std::shared_ptr<const AirfoilParts>& parts) {
  const Increments increments = increments_for(problem.increments, site.device, problem.is_fused());
  VtkTarget picture;
  if (!problem.picture.empty())
    picture = VtkFile::checked_target(site.session.world(), problem.picture);
  if (parts == nullptr) parts = deal_out_airfoil(site, problem, increments == Increments::gather);
  if (problem.precision == "f32")
    return std::make_unique<AirfoilCase<float>>(site, problem, variant, increments, parts,
                                                std::move(picture));
  return std::make_unique<AirfoilCase<double>>(site, problem, variant, increments, parts,
                                               std::move(picture));
}

}  // namespace bellwether
