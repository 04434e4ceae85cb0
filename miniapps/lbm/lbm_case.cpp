// SPDX-License-Identifier: MIT
#include "miniapps/lbm/lbm_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "kernels/launch/device.hpp"
#include "kernels/stream/stream.hpp"
#include "miniapps/comm/reduce.hpp"
#include "miniapps/driver/vtk_file.hpp"
#include "miniapps/lbm/lbm_checks.hpp"
#include "miniapps/lbm/lbm_domain.hpp"
#include "miniapps/lbm/lbm_halo.hpp"
#include "miniapps/lbm/lbm_picture.hpp"
#include "miniapps/lbm/lbm_start.hpp"
#include "miniapps/lbm/vortex_decay.hpp"
#include "miniapps/stencil/core_box.hpp"
#include "miniapps/stencil/stencil_case.hpp"

namespace bellwether {
namespace {

void warn_of_fast_flow(const Session& session, const LbmProblem& problem) {
  constexpr double low = 0.1;
  if (session.rank() == 0 && problem.mach() > low)
    fmt::print(stderr,
               "bellwether: --speed: a Mach number of {:.3f}, errors grow as its square; below "
               "{:g} is better\n",
               problem.mach(), low);
}

template <class T>
class LbmCase final : public StencilCase, public WatchedCase, public PicturedCase {
 public:
  LbmCase(const StencilSetting& given, const LbmProblem& problem)
      : StencilCase(given, "in_place"),
        problem_(problem),
        collision_(lbm_collision<T>(problem)),
        decay_(problem, unit()),
        kernels_(make_kernels<LbmKernels<T>>(device())),
        updates_(make_kernels<StreamKernels<T>>(device())) {
    warn_of_fast_flow(session(), problem);
    if (!problem.picture.empty())
      picture_ = VtkFile::checked_target(session().world(), problem.picture);
    const LbmLayout layout = lbm_layout(decomposition(), session().rank(), sizeof(T));
    const auto messages = lbm_messages(decomposition(), session().rank(), layout, sizeof(T));
    const std::size_t bytes = layout.elements() * sizeof(T) +
                              LbmStart::table_bytes(layout.cells()) + lbm_sums_bytes(layout) +
                              FieldHalo::buffer_bytes(messages, staged());
    given.site.build("domain", [&] {
      domain_.emplace(session(), device(), problem, decomposition(), layout, bytes,
                      [this] { beat("domain"); });
    });
    lattice_ = Buffer<T>(device(), layout.elements());
    make_step(messages, layout.field(), Cut::planes);
    start_.emplace(device(), problem, decomposition(), session().rank());
    constants_.emplace(device(), stream());
    domain_->add_to(*constants_);
    given.site.build("first touch", [this] { set_flow(); });
  }

  [[nodiscard]] nlohmann::json result() override {
    const GlobalLbmSums now = verified_ && verified_after_ == steps() ? *verified_ : measure();
    const double mass = now.cells + now.excess_mass;
    nlohmann::json result{
        {"steps", steps()},
        {"fluid_cells", now.cells},
        {"bulk_velocity", {now.momentum[0] / mass, now.momentum[1] / mass, now.momentum[2] / mass}},
        {"viscosity", problem_.viscosity()},
        {"reynolds", problem_.reynolds()}};
    if (device().is_host()) result["prefetch"] = name_of(way().prefetch);
    if (decay_.shows_after(steps()))
      result["measured_viscosity"] = decay_.viscosity(*initial_, now, steps()).measured;
    return result;
  }
  [[nodiscard]] StepWork work() const override {
    return lbm_work(problem_, domain_->fluid_cells());
  }
  [[nodiscard]] double held_bytes() const override {
    return problem_.volume() * problem_.value_bytes() * lbm_stencil(problem_).read_values;
  }

  /// While vortices show, and while a force that nothing resists has not made the flow too fast for
  /// the scheme.
  [[nodiscard]] Protocol protocol() const override {
    double longest = decay_.longest();
    const auto force = problem_.driving_force();
    if (const double push = std::hypot(force[0], force[1], force[2]);
        push > 0 && !domain_->has_solid())
      longest = std::min(longest, 0.1 / push);
    if (longest >= static_cast<double>(std::numeric_limits<int>::max())) return {};
    return {.longest_run = std::max(4L, static_cast<long>(longest))};
  }
  void setup(PhaseClock& clock) override {
    clock.time("choice of kernel", [this] { choose_prefetch(); });
    clock.time("initial state", [this] { restart(); });
  }
  void restart() override {
    set_flow();
    restart_from({lattice_.data(), 1});
    if (!initial_) initial_ = measure();
    last_looked_at_ = 0;
    verified_.reset();
  }

  [[nodiscard]] std::optional<Verification> broken() override {
    constexpr long between = 64;  // steps, of which one look costs less than one
    if (steps() < last_looked_at_ + between) return {};
    last_looked_at_ = steps();
    const Verification finite = finite_values(measure(), steps());
    return finite.passed ? std::nullopt : std::optional(where_it_began(finite));
  }

  /// Where cells are solid, one step more is taken, whose momentum balance is drawn up.
  [[nodiscard]] Verification verify() override {
    GlobalLbmSums now = measure();
    if (const Verification finite = finite_values(now, steps()); !finite.passed)
      return where_it_began(finite);
    std::vector<Verification> all;
    const double speed = std::max(initial_->largest_speed, now.largest_speed);
    if (const Verification slow = subsonic(speed); !slow.passed) return slow;
    if (domain_->has_solid()) {
      const GlobalLbmSums before = now;
      PhaseClock clock(unwatched_);
      step(clock);
      finish(clock);
      std::array<double, 3> gained = pushed(now.cells);
      const std::array<double, 3> lost = force_on_solid();
      for (int d = 0; d < 3; ++d) gained[d] -= lost[d];
      now = measure();
      all.push_back(momentum_balance(before, now, gained, rounding(speed, 1)));
    } else {
      all.push_back(momentum_balance(*initial_, now,
                                     pushed(now.cells * static_cast<double>(steps())),
                                     rounding(speed, steps())));
    }
    verified_ = now;
    verified_after_ = steps();
    all.push_back(mass_balance(*initial_, now, rounding(speed, steps())));
    if (decay_.shows_after(steps())) all.push_back(decay_.check(*initial_, now, steps()));
    all.push_back(constants_->unchanged(session().world()));
    return worst_of(all);
  }
  [[nodiscard]] std::uint64_t fingerprint() override {
    turn_round();
    return sum_of_hashes(session().world(),
                         kernels_->fingerprint(grid(), lattice_.data(), parity(), first_cell(),
                                               problem_.grid(), stream()));
  }
  void write_picture() override {
    if (problem_.picture.empty()) return;
    turn_round();
    write_lbm_picture(picture_, session().world(), device(), *kernels_, grid(), lattice_.data(),
                      parity(), collision_, decomposition(), stream());
  }

 private:
  void set_flow() {
    kernels_->set_flow(grid(), lattice_.data(), start_->after(-1, stream()), collision_, stream());
  }
  /// The faster by measurement; a GPU has none.
  void choose_prefetch() {
    if (!device().is_host() && !measures_rate()) return;
    std::vector<SweepWay> ways;
    for (const Prefetch prefetch : lbm_prefetches)
      if (device().is_host() || prefetch == Prefetch::none)
        ways.emplace_back(Stores::cached, prefetch);
    choose_way(ways, grid().layout.field().interior());
  }
  [[nodiscard]] std::span<const Prefetch> copy_prefetches() const override {
    if (!device().is_host()) return {};
    return many_array_prefetches;
  }
  [[nodiscard]] std::vector<SolidWork> solids() const override { return domain_->solids(); }
  [[nodiscard]] HaloState updated() override { return {lattice_.data(), parity()}; }
  void update(const Boxes& boxes, Stream& stream) override {
    kernels_->update(grid(), boxes, lattice_.data(), parity(), collision_, way().prefetch, stream);
  }
  /// Before the first cells of a step are updated all links are turned round.
  void before_update(Stream& stream) override { bounce(stream); }
  /// As many places as cells have, in as many arrays, read, multiplied by one and written.
  void copy_there_and_back() override {
    updates_->update(lattice_.data(), T(1), values(), d3q19::populations, copy_way().prefetch,
                     stream());
  }
  [[nodiscard]] CoreBox core_box() override {
    constexpr int edge = LbmBox<T>::probed_edge;
    const LbmBox<T> cube(edge, edge);
    if (core_.size() == 0) core_ = filled_box(device(), cube.bytes(), T(0));  // at rest
    return {[this, cube, step = 0]() mutable {
              cube.update(*kernels_, core_.data(), step++, Prefetch::none, stream());
            },
            cube.cells()};
  }
  /// Kept of all cells.
  [[nodiscard]] std::size_t values() const {
    return grid().layout.field().interior().cells() * d3q19::populations;
  }

  /// The same steps once more, with a look after each: within as many steps as the domain is wide
  /// all of it follows the first value that is not finite.
  [[nodiscard]] Verification where_it_began(Verification found) {
    const long known = steps();
    PhaseClock clock(unwatched_);
    restart();
    while (steps() < known) {
      beat("looking for the first value that is not finite");
      step(clock);
      finish(clock);
      if (const Verification now = finite_values(measure(), steps()); !now.passed) return now;
    }
    found.what += "; the same steps again gave none: a fault of the machine or a race";
    return found;
  }
  [[nodiscard]] const LbmGrid& grid() const { return domain_->grid(); }
  /// Of the next step, and of the one before.
  [[nodiscard]] int parity() const { return static_cast<int>(steps() % 2); }
  [[nodiscard]] int last_parity() const { return 1 - parity(); }
  [[nodiscard]] static double unit() {
    return static_cast<double>(std::numeric_limits<T>::epsilon()) / 2;
  }
  [[nodiscard]] double rounding(double speed, long steps) const {
    const bool stays = problem_.is_driven() || !problem_.starts_as_taylor_green();
    const auto& [x, y, z] = problem_.drift;
    return rounding_bound(speed, stays ? speed : std::hypot(x, y, z), steps, unit());
  }
  /// Momentum that the force gives so many cells in a step.
  [[nodiscard]] std::array<double, 3> pushed(double cells) const {
    std::array<double, 3> momentum{};
    for (int d = 0; d < 3; ++d) momentum[d] = static_cast<double>(collision_.force[d]) * cells;
    return momentum;
  }
  [[nodiscard]] std::array<double, 3> force_on_solid() {
    std::array<double, 3> sum =
        kernels_->link_force(grid().layout, domain_->links(), domain_->link_count(),
                             lattice_.data(), last_parity(), stream());
    MPI_Allreduce(MPI_IN_PLACE, sum.data(), 3, MPI_DOUBLE, MPI_SUM, session().world());
    return sum;
  }
  /// Collective.
  [[nodiscard]] GlobalLbmSums measure() {
    turn_round();
    const LbmFlow flow = start_->after(steps(), stream());
    return sum_over_ranks(
        session().world(),
        kernels_->sums(grid(), lattice_.data(), parity(), flow, collision_, stream()),
        decomposition());
  }
  /// What went through links comes back; may be done again.
  void turn_round() { bounce(stream()); }
  void bounce(Stream& stream) {
    if (domain_->link_count() > 0)
      kernels_->bounce(grid().layout, domain_->links(), domain_->link_count(), lattice_.data(),
                       last_parity(), stream);
  }

  LbmProblem problem_;
  VtkTarget picture_;
  LbmCollision<T> collision_;
  VortexDecay decay_;
  std::unique_ptr<LbmKernels<T>> kernels_;
  std::unique_ptr<StreamKernels<T>> updates_;
  std::optional<LbmDomain> domain_;
  Buffer<T> lattice_;
  Buffer<std::byte> core_;  ///< the probe's
  std::optional<LbmStart> start_;
  std::optional<ConstantArrays> constants_;
  std::optional<GlobalLbmSums> initial_;   ///< the same after each restart
  std::optional<GlobalLbmSums> verified_;  ///< of verify(), since the restart
  long verified_after_ = 0;                ///< so many steps
  long last_looked_at_ = 0;
  Heartbeat unwatched_;
};

}  // namespace

std::unique_ptr<Case> make_lbm_case(const CaseSite& site, const LbmProblem& problem,
                                    const StencilRunVariant& variant) {
  return make_stencil_case<LbmCase>(
      {site, problem, to_json(problem), lbm_stencil(problem), variant}, problem);
}

}  // namespace bellwether
