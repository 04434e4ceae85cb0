// SPDX-License-Identifier: MIT
#include "miniapps/diffusion/diffusion_problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "kernels/diffusion/diffusion.hpp"
#include "kernels/launch/device.hpp"
#include "kernels/stream/stream.hpp"
#include "miniapps/comm/device_checks.hpp"
#include "miniapps/comm/reduce.hpp"
#include "miniapps/driver/constant_arrays.hpp"
#include "miniapps/stencil/core_box.hpp"
#include "miniapps/stencil/stencil_case.hpp"
#include "miniapps/stencil/store_choice.hpp"

namespace bellwether {
namespace {

template <class T>
class DiffusionCase final : public StencilCase {
 public:
  DiffusionCase(const StencilSetting& given, const DiffusionProblem& problem)
      : StencilCase(given, given.variant.stores),
        problem_(problem),
        grid_(grid_of(problem, decomposition(), session().rank())),
        kernels_(make_kernels<DiffusionKernels<T>>(device())),
        copies_(make_kernels<StreamKernels<T>>(device())) {
    require_stores(session(), device(), given.variant.stores);
    const auto messages =
        face_messages(decomposition(), session().rank(), grid_.layout, sizeof(T), staged());
    require_device_memory(
        session(), device(),
        2 * grid_.layout.elements() * sizeof(T) + FieldHalo::buffer_bytes(messages, staged()),
        "two fields and the halo buffers");
    for (Buffer<T>& field : fields_) field = Buffer<T>(device(), grid_.layout.elements());
    make_step(messages, grid_.layout, Cut::rows, {fields_[0].data(), fields_[1].data()});
    make_mode();
    given.site.build("first touch", [this] {
      for (int field = 0; field < 2; ++field) {
        kernels_->set_mode(grid_.layout, next(), mode(), stream());
        advance();
      }
    });
  }

  [[nodiscard]] nlohmann::json result() override {
    nlohmann::json result{{"steps", steps()},
                          {"amplitude", std::pow(factor_, static_cast<double>(steps()))}};
    if (device().is_host()) result["prefetch"] = name_of(way().prefetch);
    return result;
  }
  [[nodiscard]] StepWork work() const override { return diffusion_work(problem_); }
  [[nodiscard]] double held_bytes() const override {
    return 2 * problem_.volume() * problem_.value_bytes();
  }

  /// Until the mode has lost nine tenths of its amplitude.
  [[nodiscard]] Protocol protocol() const override {
    const double size = std::abs(factor_);
    if (size >= 1) return {};
    return {.longest_run = std::max(4L, static_cast<long>(std::log(0.1) / std::log(size)))};
  }
  void setup(PhaseClock& clock) override {
    clock.time("choice of kernel", [this] { choose_kernels(); });
    clock.time("initial state", [this] { restart(); });
  }
  void restart() override {
    now_ = 0;
    kernels_->set_mode(grid_.layout, now(), mode(), stream());
    restart_from({now()});
  }

  [[nodiscard]] std::uint64_t fingerprint() override {
    return sum_of_hashes(session().world(), kernels_->fingerprint(grid_.layout, now(), first_cell(),
                                                                  problem_.grid(), stream()));
  }
  /// The largest error over the domain against a bound that grows as rounding does: a step adds
  /// errors in proportion to the field's largest value, |factor|^k, of either sign, which makes a
  /// random walk; its weights sum to 1, so it amplifies none. What is usual on grids of 1 to 64^3
  /// cells is 1 + 1 walk at the most, in units of rounding. Of one sign are the errors of a field
  /// that does not change.
  [[nodiscard]] Verification verify() override {
    const double amplitude = std::pow(factor_, static_cast<double>(steps()));
    double error = kernels_->largest_error(grid_.layout, now(), mode(), amplitude, stream());
    MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, session().world());
    const double size = std::abs(factor_), taken = static_cast<double>(steps());
    const double unit = std::numeric_limits<T>::epsilon() / 2;
    const double walk = 1 - size < 8 * unit
                            ? taken
                            : std::sqrt((1 - std::pow(size, 2 * taken)) / (1 - size * size));
    constexpr double reference_error = 1e-14;  // of the mode itself, evaluated in double
    const double tolerance = unit * (3 + 2 * walk) + reference_error;
    return worst_of(
        {judged("mode decay", error, tolerance), constants_->unchanged(session().world())});
  }

 private:
  [[nodiscard]] T* now() const { return fields_[now_].data(); }
  [[nodiscard]] T* next() const { return fields_[1 - now_].data(); }
  void advance() { now_ = 1 - now_; }

  [[nodiscard]] HaloState updated() override { return {next()}; }
  void update(const Boxes& boxes, Stream& stream) override {
    kernels_->update(grid_, boxes, now(), next(), diffusion_coefficients<T>(), way(), stream);
  }
  void after_step() override { advance(); }
  void copy_there_and_back() override {
    for (int way = 0; way < 2; ++way) {
      copies_->neighbours(0, now(), next(), grid_.layout, grid_.layout.interior(), copy_way(),
                          stream());
      advance();
    }
  }
  [[nodiscard]] CoreBox core_box() override {
    constexpr int edge = DiffusionBox<T>::probed_edge;
    const DiffusionBox<T> cube(edge, edge);
    if (core_.size() == 0) core_ = filled_box(device(), cube.bytes(), T(1));
    return {[this, cube, step = 0]() mutable {
              cube.update(*kernels_, core_.data(), step++, Stores::cached, stream());
            },
            cube.cells()};
  }

  /// Which of the stores asked for, and what they ask for ahead: the fastest by measurement.
  void choose_kernels() {
    const std::string& asked = asked_stores();
    std::vector<SweepWay> ways;
    for (const Stores stores : device().store_kinds())
      if (asked == "auto" || asked == name_of(stores))
        for (const Prefetch prefetch : prefetches_of(stores)) ways.emplace_back(stores, prefetch);
    choose_way(ways, grid_.layout.interior());
    use_stores(name_of(way().stores));
  }
  [[nodiscard]] std::span<const Prefetch> copy_prefetches() const override {
    if (!device().is_host() || way().stores != Stores::streaming) return {};
    return streaming_prefetches;
  }
  [[nodiscard]] std::vector<Prefetch> prefetches_of(Stores stores) const {
    if (device().is_host() && stores == Stores::streaming)
      return {streaming_prefetches.begin(), streaming_prefetches.end()};
    return {prefetch_of(stores)};
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
    const std::array<int, 3> first = first_cell();
    std::vector<double> values;
    factor_ = static_cast<double>(c.centre);
    for (int d = 0; d < 3; ++d) {
      const ModeDirection wave = mode_direction(decomposition().cells()[d], problem_.periodic(), d);
      factor_ += 2 * static_cast<double>(along[d]) * std::cos(wave.angle);
      for (int i = 0; i < grid_.layout.cells()[d]; ++i)
        values.push_back(std::sin(wave.phase + wave.angle * (first[d] + i)));
    }
    table_ = uploaded(device(), values, stream());
    constants_.emplace(device(), stream());
    constants_->add("the mode's tables", table_);
  }

  DiffusionProblem problem_;
  DiffusionGrid grid_;
  std::unique_ptr<DiffusionKernels<T>> kernels_;
  std::unique_ptr<StreamKernels<T>> copies_;
  std::array<Buffer<T>, 2> fields_;
  int now_ = 0;             ///< which of them the state is
  Buffer<std::byte> core_;  ///< the probe's
  Buffer<double> table_;
  std::optional<ConstantArrays> constants_;
  double factor_ = 1;
};

}  // namespace

std::unique_ptr<Case> make_diffusion_case(const CaseSite& site, const DiffusionProblem& problem,
                                          const StencilRunVariant& variant) {
  return make_stencil_case<DiffusionCase>(
      {site, problem, to_json(problem), diffusion_stencil(), variant}, problem);
}

}  // namespace bellwether
