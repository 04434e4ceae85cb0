// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/launch/device.hpp"
#include "kernels/launch/grid.hpp"
#include "miniapps/comm/session/session.hpp"
#include "miniapps/driver/app.hpp"
#include "miniapps/stencil/stencil_problem.hpp"
#include "miniapps/stencil/stencil_step.hpp"

namespace bellwether {

/// What a case of a stencil application is built from.
struct StencilSetting {
  CaseSite site;  ///< its machine chooses the decomposition that the user leaves open
  StencilProblem problem;
  nlohmann::json request;  ///< the whole problem as records have it
  StencilKernel kernel;    ///< as the models see it
  StencilRunVariant variant;
};

/// What cases of explicit stencils on a decomposed box of cells have in common: how they step and
/// exchange, are named, predicted and probed. Of an application itself are its state and its
/// kernels, the initial state and what verifies.
class StencilCase : public Case, public CommunicatingCase, public ProbedCase {
 public:
  [[nodiscard]] nlohmann::json problem() const override;
  [[nodiscard]] nlohmann::json variant() const override;
  [[nodiscard]] std::string title() const override;
  [[nodiscard]] std::unique_ptr<Probe> make_probe(const Machine* machine) override;
  void step(PhaseClock& clock) override;
  void finish(PhaseClock& clock) override { step_->finish(clock); }
  [[nodiscard]] std::optional<double> bare_communication() override;
  [[nodiscard]] std::vector<Prediction> predict(const Machine& machine) const override;

 protected:
  /// Throws BadInput where the decomposition does not fit, and BadEnvironment where direct halos
  /// would hand a GPU's memory to an MPI that cannot take it. `stores`: those that the models
  /// reckon with, until use_stores().
  StencilCase(const StencilSetting& given, std::string stores);

  /// Collective: makes what steps and exchanges, once it is known that its memory is there.
  void make_step(const std::vector<HaloMessage>& messages, const GridLayout& layout, Cut cut,
                 const std::vector<void*>& storages = {});
  [[nodiscard]] const std::string& asked_stores() const { return variant_.stores; }
  void use_stores(std::string stores) { stores_ = std::move(stores); }
  /// Back to step 0 of the state, whose halo is exchanged.
  void restart_from(const HaloState& state);

  /// What the next step will have updated.
  [[nodiscard]] virtual HaloState updated() = 0;
  /// Solid cells of each rank; nothing where all are fluid.
  [[nodiscard]] virtual std::vector<SolidWork> solids() const { return {}; }
  /// Puts the next step's update of the boxes' cells on the stream.
  virtual void update(const Boxes& boxes, Stream& stream) = 0;
  /// Before the first cells of a step are updated.
  virtual void before_update(Stream&) {}
  /// After all cells of a step are updated and exchanged: the updated state is the state.
  virtual void after_step() {}
  /// Puts a copy of the state to scratch memory and back, or in place, on the stream, with the
  /// stores named in the record; halo and all are then as they were.
  virtual void copy_there_and_back() = 0;
  /// What copies can ask for ahead, of which a probe takes the fastest, as a calibration; none: as
  /// the updates do.
  [[nodiscard]] virtual std::span<const Prefetch> copy_prefetches() const { return {}; }
  /// Collective. Makes the fastest of these the way of updates, by updates of the cells, after
  /// which the state is any.
  void choose_way(const std::vector<SweepWay>& ways, const Box& cells);
  /// By which update() and copy_there_and_back() go.
  [[nodiscard]] const SweepWay& way() const { return way_; }
  [[nodiscard]] const SweepWay& copy_way() const { return copy_way_; }
  /// The application's update of the cube in a host's caches that is probed (core_box.hpp).
  struct CoreBox {
    std::function<void()> update;
    double cells;
  };
  [[nodiscard]] virtual CoreBox core_box() = 0;

  [[nodiscard]] const Session& session() const { return site_.session; }
  [[nodiscard]] Device& device() const { return site_.device; }
  [[nodiscard]] const Decomposition& decomposition() const { return decomposition_; }
  [[nodiscard]] std::array<int, 3> first_cell() const {
    return decomposition_.offset(session().rank());
  }
  [[nodiscard]] double local_cells() const;
  [[nodiscard]] bool staged() const { return variant_.halo == "staged"; }
  [[nodiscard]] bool measures_rate() const { return variant_.rate == "measured"; }
  [[nodiscard]] Stream& stream() { return step_->stream(); }
  /// Done since restart_from().
  [[nodiscard]] long steps() const { return steps_; }
  /// Tells the watchdog that the rank is at work; `doing`: a string literal.
  void beat(const char* doing = "build") const;

 private:
  void choose_copy(std::span<const Prefetch> all);
  [[nodiscard]] StencilStep::Update updater();

  /// Of the rank that updates most: cells, without solid ones.
  [[nodiscard]] double most_updated_cells() const;
  /// Bytes that an update touches on this rank.
  [[nodiscard]] double working_set_bytes() const;

  CaseSite site_;
  StencilProblem problem_;
  nlohmann::json request_;
  StencilKernel kernel_;
  StencilRunVariant variant_;
  std::string stores_;
  SweepWay way_, copy_way_;
  Decomposition decomposition_;
  bool predicted_;  ///< the decomposition was the models' choice, if it was not the user's
  std::optional<StencilStep> step_;
  long steps_ = 0;
  std::optional<double> sweep_s_;  ///< measured, of the slowest rank
};

/// The case in the precision that is asked for.
template <template <class T> class AppCase, class Problem>
std::unique_ptr<Case> make_stencil_case(const StencilSetting& given, const Problem& problem) {
  if (problem.precision == "f32") return std::make_unique<AppCase<float>>(given, problem);
  return std::make_unique<AppCase<double>>(given, problem);
}

}  // namespace bellwether
