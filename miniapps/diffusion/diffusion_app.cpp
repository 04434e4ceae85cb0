// SPDX-License-Identifier: MIT
#include "miniapps/diffusion/diffusion_app.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/diffusion/diffusion.hpp"
#include "kernels/launch/dispatch.hpp"
#include "kernels/stream/stream.hpp"
#include "miniapps/bandwidth_probe.hpp"
#include "miniapps/comm/gpu_aware.hpp"
#include "miniapps/device_memory.hpp"
#include "miniapps/stencil_step.hpp"
#include "miniapps/store_choice.hpp"

namespace bellwether {
namespace {

template <class T>
class DiffusionApp final : public MiniApp {
 public:
  DiffusionApp(const Session& session, Device& device, const DiffusionProblem& problem,
               const Variant& variant, const Decomposition& decomposition, bool predicted,
               Heartbeat* heartbeat)
      : session_(session),
        device_(device),
        problem_(problem),
        variant_(variant),
        decomposition_(decomposition),
        predicted_(predicted),
        grid_(grid_of(problem, decomposition, session.rank())),
        kernels_(make_kernels<DiffusionKernels<T>>(device)),
        copies_(make_kernels<StreamKernels<T>>(device)) {
    const auto messages = face_messages(decomposition, session.rank(), sizeof(T));
    const bool staged = variant.halo == "staged";
    if (!staged && !device.is_host() && session.size() > 1)
      require_gpu_aware_mpi(session, device.description());
    require_device_memory(
        session, device,
        2 * grid_.layout.elements() * sizeof(T) + FieldHalo::buffer_bytes(messages, staged),
        "two fields and the halo buffers");
    now_ = Buffer<T>(device, grid_.layout.elements());
    next_ = Buffer<T>(device, grid_.layout.elements());
    step_.emplace(session, device, decomposition, messages, grid_.layout, sizeof(T), staged,
                  Cut::rows);
    make_mode();
    const auto beat = [heartbeat] {
      if (heartbeat != nullptr) heartbeat->enter("build");
    };
    kernels_->set_mode(grid_.layout, next_.data(), mode(), step_->stream());
    beat();
    restart();
    const StoreChoice choice =
        choose_stores(session, device, variant.stores, step_->stream(), [&, this](Stores stores) {
          beat();
          update(grid_.layout.interior(), stores, step_->stream());
          now_.swap(next_);
        });
    stores_ = choice.stores;
    if (variant.rate == "measured")
      cells_per_s_ = static_cast<double>(grid_.layout.interior().cells()) / choice.sweep_s;
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
            {"stores", name_of(stores_)},
            {"rate", variant_.rate}};
  }
  [[nodiscard]] nlohmann::json result() override {
    unsigned long long all =
        kernels_->fingerprint(grid_.layout, now_.data(), decomposition_.offset(session_.rank()),
                              problem_.grid(), step_->stream());
    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, session_.world());
    return {{"fingerprint", fmt::format("{:016x}", all)},
            {"steps", steps_},
            {"amplitude", std::pow(factor_, static_cast<double>(steps_))}};
  }
  [[nodiscard]] std::string title() const override {
    return stencil_title("diffusion", problem_, decomposition_, predicted_, device_.description(),
                         variant_.overlap);
  }
  [[nodiscard]] StepWork work() const override { return diffusion_work(problem_); }
  [[nodiscard]] double working_set_bytes() const override {
    return static_cast<double>(grid_.layout.interior().cells()) * 2 * sizeof(T);
  }

  [[nodiscard]] std::unique_ptr<SpeedProbe> make_probe(const Machine* machine) override {
    return std::make_unique<BandwidthProbe>(
        session_,
        StateCopy{problem_.precision, name_of(stores_), working_set_bytes(),
                  [this] { copy_there_and_back(); }},
        machine);
  }

  /// Until the mode has lost nine tenths of its amplitude.
  [[nodiscard]] long longest_run() const override {
    const double size = std::abs(factor_);
    if (size >= 1) return 0;
    return std::max(4L, static_cast<long>(std::log(0.1) / std::log(size)));
  }
  void restart() override {
    kernels_->set_mode(grid_.layout, now_.data(), mode(), step_->stream());
    device_.fence(step_->stream());
    step_->exchange({now_.data()});
    steps_ = 0;
  }
  void step(PhaseClock& clock) override {
    if (variant_.overlap)
      step_->overlapped(clock, {next_.data()}, updater());
    else
      step_->in_sequence(clock, {next_.data()}, updater());
    now_.swap(next_);
    ++steps_;
  }
  void finish(PhaseClock& clock) override { step_->finish(clock); }

  /// The largest error over the domain against a bound that grows as rounding does. A step's
  /// weights sum to 1, so it amplifies no error; it adds at most 8 units of rounding of the field's
  /// largest value, |factor|^k: 7 products summed. The initial state is rounded once.
  [[nodiscard]] Verification verify() override {
    const double amplitude = std::pow(factor_, static_cast<double>(steps_));
    double error =
        kernels_->largest_error(grid_.layout, now_.data(), mode(), amplitude, step_->stream());
    MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, session_.world());
    const double size = std::abs(factor_);
    const double sum_of_sizes =
        size == 1 ? static_cast<double>(steps_)
                  : (1 - std::pow(size, static_cast<double>(steps_))) / (1 - size);
    const double unit = std::numeric_limits<T>::epsilon() / 2;
    constexpr double reference_error = 1e-14;  // of the mode itself, evaluated in double
    const double tolerance = unit * (1 + 8 * sum_of_sizes) + reference_error;
    return {std::isfinite(error) && error <= tolerance, "mode decay", error, tolerance};
  }

  [[nodiscard]] std::optional<double> bare_communication() override {
    if (decomposition_.size() == 1) return {};
    return step_->bare_communication({next_.data()}, updater());
  }
  [[nodiscard]] std::vector<Prediction> predict(const Machine& machine) const override {
    const StencilVariant how = stencil_variant(problem_, variant_, name_of(stores_));
    const RankPlacement placement{session_.most_ranks_on_a_node()};
    return {predict_stencil_paper(machine, diffusion_stencil(), decomposition_, how, placement,
                                  cells_per_s_),
            predict_stencil_refined(machine, diffusion_stencil(), decomposition_, how, placement,
                                    cells_per_s_)};
  }

 private:
  void copy_there_and_back() {
    for (int way = 0; way < 2; ++way) {
      copies_->neighbours(0, now_.data(), next_.data(), grid_.layout, grid_.layout.interior(),
                          stores_, step_->stream());
      now_.swap(next_);
    }
    device_.fence(step_->stream());
  }

  static DiffusionGrid grid_of(const DiffusionProblem& problem, const Decomposition& decomposition,
                               int rank) {
    DiffusionGrid grid{GridLayout(decomposition.local_cells(rank), sizeof(T)), {}};
    for (int d = 0; d < 3; ++d) grid.wraps[d] = problem.periodic() && decomposition.ranks()[d] == 1;
    return grid;
  }
  [[nodiscard]] SeparableMode mode() const {
    const auto& cells = grid_.layout.cells();
    return {table_.data(), table_.data() + cells[0], table_.data() + cells[0] + cells[1]};
  }
  /// Fills the mode's tables and the factor by which one step multiplies it.
  void make_mode() {
    const auto c = diffusion_coefficients<T>();
    const std::array<T, 3> along{c.x, c.y, c.z};
    const std::array<int, 3> first = decomposition_.offset(session_.rank());
    std::vector<double> values;
    factor_ = static_cast<double>(c.centre);
    for (int d = 0; d < 3; ++d) {
      const ModeDirection wave = mode_direction(decomposition_.cells()[d], problem_.periodic(), d);
      factor_ += 2 * static_cast<double>(along[d]) * std::cos(wave.angle);
      for (int i = 0; i < grid_.layout.cells()[d]; ++i)
        values.push_back(std::sin(wave.phase + wave.angle * (first[d] + i)));
    }
    table_ = Buffer<double>(device_, values.size());
    device_.copy(table_.data(), values.data(), values.size() * sizeof(double), step_->stream());
    device_.fence(step_->stream());
  }
  [[nodiscard]] StencilStep::Update updater() {
    return [this](const Box& box, Stream& stream) { update(box, stores_, stream); };
  }
  void update(const Box& box, Stores stores, Stream& stream) {
    kernels_->update(grid_, box, now_.data(), next_.data(), diffusion_coefficients<T>(), stores,
                     stream);
  }

  const Session& session_;
  Device& device_;
  DiffusionProblem problem_;
  Variant variant_;
  Decomposition decomposition_;
  bool predicted_;  ///< the decomposition was the models' choice, if it was not the user's
  DiffusionGrid grid_;
  std::unique_ptr<DiffusionKernels<T>> kernels_;
  std::unique_ptr<StreamKernels<T>> copies_;
  Buffer<T> now_, next_;
  Buffer<double> table_;
  std::optional<StencilStep> step_;
  double factor_ = 1;
  long steps_ = 0;
  Stores stores_ = Stores::streaming;
  std::optional<double> cells_per_s_;
};

}  // namespace

std::unique_ptr<MiniApp> make_diffusion_app(const Session& session, Device& device,
                                            const DiffusionProblem& problem, const Variant& variant,
                                            const Machine* machine, Heartbeat* heartbeat) {
  const Decomposition decomposition = decompose(
      problem, diffusion_stencil(), session.size(), machine,
      stencil_variant(problem, variant, variant.stores), {session.most_ranks_on_a_node()});
  const bool predicted = machine != nullptr;
  if (problem.precision == "f32")
    return std::make_unique<DiffusionApp<float>>(session, device, problem, variant, decomposition,
                                                 predicted, heartbeat);
  return std::make_unique<DiffusionApp<double>>(session, device, problem, variant, decomposition,
                                                predicted, heartbeat);
}

}  // namespace bellwether
