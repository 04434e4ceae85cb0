// SPDX-License-Identifier: MIT
#include "miniapps/lbm/lbm_app.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/launch/dispatch.hpp"
#include "kernels/stream/stream.hpp"
#include "miniapps/bandwidth_probe.hpp"
#include "miniapps/comm/gpu_aware.hpp"
#include "miniapps/device_memory.hpp"
#include "miniapps/lbm/lbm_checks.hpp"
#include "miniapps/lbm/lbm_domain.hpp"
#include "miniapps/lbm/lbm_halo.hpp"
#include "miniapps/lbm/lbm_picture.hpp"
#include "miniapps/lbm/lbm_start.hpp"
#include "miniapps/lbm/vortex_decay.hpp"
#include "miniapps/stencil_step.hpp"
#include "miniapps/store_choice.hpp"
#include "miniapps/vtk_image.hpp"

namespace bellwether {
namespace {

template <class T>
class LbmApp final : public MiniApp {
 public:
  LbmApp(const Session& session, Device& device, const LbmProblem& problem, const Variant& variant,
         const Decomposition& decomposition, bool predicted, Heartbeat* heartbeat)
      : session_(session),
        device_(device),
        problem_(problem),
        variant_(variant),
        decomposition_(decomposition),
        predicted_(predicted),
        collision_(lbm_collision<T>(problem)),
        decay_(problem, unit()),
        kernels_(make_kernels<LbmKernels<T>>(device)),
        copies_(make_kernels<StreamKernels<T>>(device)) {
    const auto beat = [heartbeat] {
      if (heartbeat != nullptr) heartbeat->enter("build");
    };
    const LbmLayout layout = lbm_layout(decomposition, session.rank(), sizeof(T));
    auto messages = lbm_messages(decomposition, session.rank(), layout, sizeof(T));
    const bool staged = variant.halo == "staged";
    if (!staged && !device.is_host() && session.size() > 1)
      require_gpu_aware_mpi(session, device.description());
    const std::size_t bytes = layout.elements() * sizeof(T) +
                              LbmStart::table_bytes(layout.cells()) +
                              FieldHalo::buffer_bytes(messages, staged);
    domain_.emplace(session, device, problem, decomposition, layout, bytes, beat);
    lattice_ = Buffer<T>(device, layout.elements());
    step_.emplace(session, device, decomposition, std::move(messages), layout.field(), sizeof(T),
                  staged, Cut::planes);
    start_.emplace(device, problem, decomposition, session.rank());
    beat();
    restart();
    beat();
    if (variant.rate != "measured") return;
    const double sweep_s = fastest_sweep(session, device, step_->stream(), [this, beat] {
      beat();
      update(grid().layout.field().interior(), step_->stream());
      ++steps_;
    });
    cells_per_s_ = static_cast<double>(grid().layout.field().interior().cells()) / sweep_s;
    restart();
  }

  [[nodiscard]] nlohmann::json problem() const override {
    nlohmann::json problem = to_json(problem_);
    problem["decomposition"] = decomposition_.ranks();
    return problem;
  }
  [[nodiscard]] nlohmann::json variant() const override {
    return {{"backend", variant_.backend},
            {"overlap", variant_.overlap ? "on" : "off"},
            {"halo", variant_.halo},
            {"stores", "in_place"},
            {"rate", variant_.rate}};
  }
  [[nodiscard]] nlohmann::json result() override {
    const GlobalLbmSums now = measure();
    unsigned long long all = kernels_->fingerprint(grid(), lattice_.data(), parity(),
                                                   decomposition_.offset(session_.rank()),
                                                   problem_.grid(), step_->stream());
    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, session_.world());
    const double mass = now.cells + now.excess_mass;
    nlohmann::json result{
        {"fingerprint", fmt::format("{:016x}", all)},
        {"steps", steps_},
        {"fluid_cells", now.cells},
        {"bulk_velocity", {now.momentum[0] / mass, now.momentum[1] / mass, now.momentum[2] / mass}},
        {"viscosity", problem_.viscosity()},
        {"reynolds", problem_.reynolds()}};
    if (decay_.shows_after(steps_))
      result["measured_viscosity"] = decay_.viscosity(initial_, now, steps_).measured;
    return result;
  }
  [[nodiscard]] std::string title() const override {
    return stencil_title("lbm", problem_, decomposition_, predicted_, device_.description(),
                         variant_.overlap);
  }
  [[nodiscard]] StepWork work() const override {
    return lbm_work(problem_, domain_->fluid_cells());
  }
  [[nodiscard]] double working_set_bytes() const override {
    return static_cast<double>(grid().layout.field().interior().cells()) * d3q19::populations *
           sizeof(T);
  }

  [[nodiscard]] std::unique_ptr<SpeedProbe> make_probe(const Machine* machine) override {
    return std::make_unique<BandwidthProbe>(
        session_,
        StateCopy{problem_.precision, "in_place", working_set_bytes(),
                  [this] { copy_there_and_back(); }},
        machine);
  }

  /// While vortices show, and while a force that nothing resists has not made the flow too fast for
  /// the scheme.
  [[nodiscard]] long longest_run() const override {
    double longest = decay_.longest();
    const auto force = problem_.driving_force();
    if (const double push = std::hypot(force[0], force[1], force[2]);
        push > 0 && !domain_->has_solid())
      longest = std::min(longest, 0.1 / push);
    if (longest >= static_cast<double>(std::numeric_limits<int>::max())) return 0;
    return std::max(4L, static_cast<long>(longest));
  }
  void restart() override {
    kernels_->set_flow(grid(), lattice_.data(), start_->after(-1, step_->stream()), collision_,
                       step_->stream());
    device_.fence(step_->stream());
    steps_ = 0;
    step_->exchange({lattice_.data(), last_parity()});
    initial_ = measure();
    last_looked_at_ = 0;
  }
  void step(PhaseClock& clock) override {
    const HaloState updated{lattice_.data(), parity()};
    if (variant_.overlap)
      step_->overlapped(clock, updated, updater());
    else
      step_->in_sequence(clock, updated, updater());
    ++steps_;
  }
  void finish(PhaseClock& clock) override { step_->finish(clock); }

  [[nodiscard]] std::optional<Verification> broken() override {
    constexpr long between = 64;  // steps, of which one look costs less than one
    if (steps_ < last_looked_at_ + between) return {};
    last_looked_at_ = steps_;
    const Verification finite = finite_values(measure(), steps_);
    return finite.passed ? std::nullopt : std::optional(finite);
  }

  /// Where cells are solid, one step more is taken, whose momentum balance is drawn up.
  [[nodiscard]] Verification verify() override {
    GlobalLbmSums now = measure();
    if (const Verification finite = finite_values(now, steps_); !finite.passed) return finite;
    std::vector<Verification> all;
    const double speed = std::max(initial_.largest_speed, now.largest_speed);
    if (domain_->has_solid()) {
      const GlobalLbmSums before = now;
      PhaseClock clock(unwatched_);
      step(clock);
      finish(clock);
      std::array<double, 3> gained = pushed(now.cells);
      const std::array<double, 3> lost = force_on_solid();
      for (int d = 0; d < 3; ++d) gained[d] -= lost[d];
      now = measure();
      all.push_back(momentum_balance(before, now, gained, rounding_bound(speed, 1, unit())));
    } else {
      all.push_back(momentum_balance(initial_, now, pushed(now.cells * static_cast<double>(steps_)),
                                     rounding_bound(speed, steps_, unit())));
    }
    all.push_back(mass_balance(initial_, now, rounding_bound(speed, steps_, unit())));
    if (decay_.shows_after(steps_)) all.push_back(decay_.check(initial_, now, steps_));
    return worst_of(all);
  }
  void write_fields() override {
    if (problem_.picture.empty()) return;
    turn_round();
    write_picture(problem_.picture, session_.world(), device_, *kernels_, grid(), lattice_.data(),
                  parity(), collision_, decomposition_, step_->stream());
  }

  [[nodiscard]] std::optional<double> bare_communication() override {
    if (decomposition_.size() == 1) return {};
    return step_->bare_communication({lattice_.data(), parity()}, updater());
  }
  [[nodiscard]] std::vector<Prediction> predict(const Machine& machine) const override {
    const StencilKernel kernel = lbm_stencil(problem_);
    const StencilVariant how = stencil_variant(problem_, variant_, "in_place");
    const RankPlacement placement{session_.most_ranks_on_a_node()};
    return {predict_stencil_paper(machine, kernel, decomposition_, how, placement, cells_per_s_),
            predict_stencil_refined(machine, kernel, decomposition_, how, placement, cells_per_s_)};
  }

 private:
  void copy_there_and_back() {
    // As many places as cells have, read, multiplied by one and written.
    copies_->update(lattice_.data(), T(1),
                    grid().layout.field().interior().cells() * d3q19::populations, step_->stream());
    device_.fence(step_->stream());
  }

  [[nodiscard]] const LbmGrid& grid() const { return domain_->grid(); }
  /// Of the next step, and of the one before.
  [[nodiscard]] int parity() const { return static_cast<int>(steps_ % 2); }
  [[nodiscard]] int last_parity() const { return 1 - parity(); }
  [[nodiscard]] static double unit() {
    return static_cast<double>(std::numeric_limits<T>::epsilon()) / 2;
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
                             lattice_.data(), last_parity(), step_->stream());
    MPI_Allreduce(MPI_IN_PLACE, sum.data(), 3, MPI_DOUBLE, MPI_SUM, session_.world());
    return sum;
  }
  /// Collective.
  [[nodiscard]] GlobalLbmSums measure() {
    turn_round();
    const LbmFlow flow = start_->after(steps_, step_->stream());
    return sum_over_ranks(
        session_.world(),
        kernels_->sums(grid(), lattice_.data(), parity(), flow, collision_, step_->stream()),
        decomposition_);
  }
  /// What went through links comes back; may be done again.
  void turn_round() { bounce(step_->stream()); }
  void bounce(Stream& stream) {
    if (domain_->link_count() > 0)
      kernels_->bounce(grid().layout, domain_->links(), domain_->link_count(), lattice_.data(),
                       last_parity(), stream);
  }
  /// Before the first cells of a step are updated all links are turned round.
  [[nodiscard]] StencilStep::Update updater() {
    return [this, first = true](const Box& box, Stream& stream) mutable {
      if (first) bounce(stream);
      first = false;
      update(box, stream);
    };
  }
  void update(const Box& box, Stream& stream) {
    kernels_->update(grid(), box, lattice_.data(), parity(), collision_, stream);
  }

  const Session& session_;
  Device& device_;
  LbmProblem problem_;
  Variant variant_;
  Decomposition decomposition_;
  bool predicted_;  ///< the decomposition was the models' choice, if it was not the user's
  LbmCollision<T> collision_;
  VortexDecay decay_;
  std::unique_ptr<LbmKernels<T>> kernels_;
  std::unique_ptr<StreamKernels<T>> copies_;
  std::optional<LbmDomain> domain_;
  Buffer<T> lattice_;
  std::optional<StencilStep> step_;
  std::optional<LbmStart> start_;
  GlobalLbmSums initial_;
  long steps_ = 0;
  long last_looked_at_ = 0;
  std::optional<double> cells_per_s_;
  Heartbeat unwatched_;
};

void warn_of_fast_flow(const Session& session, const LbmProblem& problem) {
  constexpr double low = 0.1;
  if (session.rank() == 0 && problem.mach() > low)
    fmt::print(stderr,
               "bellwether: --speed: a Mach number of {:.3f}, errors grow as its square; below "
               "{:g} is better\n",
               problem.mach(), low);
}

}  // namespace

std::unique_ptr<MiniApp> make_lbm_app(const Session& session, Device& device,
                                      const LbmProblem& problem, const Variant& variant,
                                      const Machine* machine, Heartbeat* heartbeat) {
  if (variant.stores != "auto")
    throw BadInput(
        fmt::format("--stores: found '{}', expected auto: lbm has one lattice, updated in place",
                    variant.stores));
  const Decomposition decomposition =
      decompose(problem, lbm_stencil(problem), session.size(), machine,
                stencil_variant(problem, variant, "in_place"), {session.most_ranks_on_a_node()});
  warn_of_fast_flow(session, problem);
  if (!problem.picture.empty()) VtkFile::check_writable(session.world(), problem.picture);
  const bool predicted = machine != nullptr;
  if (problem.precision == "f32")
    return std::make_unique<LbmApp<float>>(session, device, problem, variant, decomposition,
                                           predicted, heartbeat);
  return std::make_unique<LbmApp<double>>(session, device, problem, variant, decomposition,
                                          predicted, heartbeat);
}

}  // namespace bellwether
