// SPDX-License-Identifier: MIT
#include "miniapps/diffusion/diffusion_case.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "kernels/diffusion/diffusion.hpp"
#include "kernels/launch/device.hpp"
#include "kernels/stream/stream.hpp"
#include "miniapps/comm/device_checks.hpp"
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
    const auto messages = face_messages(decomposition(), session().rank(), sizeof(T));
    require_device_memory(
        session(), device(),
        2 * grid_.layout.elements() * sizeof(T) + FieldHalo::buffer_bytes(messages, staged()),
        "two fields and the halo buffers");
    now_ = Buffer<T>(device(), grid_.layout.elements());
    next_ = Buffer<T>(device(), grid_.layout.elements());
    make_step(messages, grid_.layout, Cut::rows);
    make_mode();
    kernels_->set_mode(grid_.layout, next_.data(), mode(), stream());
    beat();
    restart();
    const StoreChoice choice =
        choose_stores(session(), device(), given.variant.stores, stream(), [this](Stores stores) {
          beat();
          stores_ = stores;
          update(grid_.layout.interior(), stream());
          now_.swap(next_);
        });
    stores_ = choice.stores;
    use_stores(name_of(stores_));
    if (measures_rate()) use_rate(choice.sweep_s);
    restart();
  }

  [[nodiscard]] nlohmann::json result() override {
    return {
        {"fingerprint", fingerprint(kernels_->fingerprint(grid_.layout, now_.data(), first_cell(),
                                                          problem_.grid(), stream()))},
        {"steps", steps()},
        {"amplitude", std::pow(factor_, static_cast<double>(steps()))}};
  }
  [[nodiscard]] StepWork work() const override { return diffusion_work(problem_); }

  /// Until the mode has lost nine tenths of its amplitude.
  [[nodiscard]] Protocol protocol() const override {
    const double size = std::abs(factor_);
    if (size >= 1) return {};
    return {.longest_run = std::max(4L, static_cast<long>(std::log(0.1) / std::log(size)))};
  }
  void restart() override {
    kernels_->set_mode(grid_.layout, now_.data(), mode(), stream());
    restart_from({now_.data()});
  }

  /// The largest error over the domain against a bound that grows as rounding does. A step's
  /// weights sum to 1, so it amplifies no error; it adds at most 8 units of rounding of the field's
  /// largest value, |factor|^k: 7 products summed. The initial state is rounded once.
  [[nodiscard]] Verification verify() override {
    const double amplitude = std::pow(factor_, static_cast<double>(steps()));
    double error = kernels_->largest_error(grid_.layout, now_.data(), mode(), amplitude, stream());
    MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, session().world());
    const double size = std::abs(factor_);
    const double sum_of_sizes =
        size == 1 ? static_cast<double>(steps())
                  : (1 - std::pow(size, static_cast<double>(steps()))) / (1 - size);
    const double unit = std::numeric_limits<T>::epsilon() / 2;
    constexpr double reference_error = 1e-14;  // of the mode itself, evaluated in double
    const double tolerance = unit * (1 + 8 * sum_of_sizes) + reference_error;
    return {std::isfinite(error) && error <= tolerance, "mode decay", error, tolerance};
  }

 private:
  [[nodiscard]] HaloState updated() override { return {next_.data()}; }
  void update(const Boxes& boxes, Stream& stream) override {
    kernels_->update(grid_, boxes, now_.data(), next_.data(), diffusion_coefficients<T>(), stores_,
                     stream);
  }
  void after_step() override { now_.swap(next_); }
  void copy_there_and_back() override {
    for (int way = 0; way < 2; ++way) {
      copies_->neighbours(0, now_.data(), next_.data(), grid_.layout, grid_.layout.interior(),
                          stores_, stream());
      now_.swap(next_);
    }
  }

  void copy_plainly() override {
    for (int way = 0; way < 2; ++way) {
      copies_->run(StreamKernel::copy, now_.data(), nullptr, next_.data(), T(0),
                   grid_.layout.elements(), stores_, stream());
      now_.swap(next_);
    }
  }
  [[nodiscard]] double plain_bytes() const override {
    return 2. * static_cast<double>(grid_.layout.elements() * sizeof(T));
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
    table_ = Buffer<double>(device(), values.size());
    device().copy(table_.data(), values.data(), values.size() * sizeof(double), stream());
    device().fence(stream());
  }

  DiffusionProblem problem_;
  DiffusionGrid grid_;
  std::unique_ptr<DiffusionKernels<T>> kernels_;
  std::unique_ptr<StreamKernels<T>> copies_;
  Buffer<T> now_, next_;
  Buffer<double> table_;
  double factor_ = 1;
  Stores stores_ = Stores::streaming;
};

}  // namespace

std::unique_ptr<Case> make_diffusion_case(const CaseSite& site, const DiffusionProblem& problem,
                                          const StencilRunVariant& variant) {
  return make_stencil_case<DiffusionCase>(
      {site, problem, to_json(problem), diffusion_stencil(), variant}, problem);
}

}  // namespace bellwether
