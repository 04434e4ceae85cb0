// SPDX-License-Identifier: MIT
#include "miniapps/airfoil/airfoil_iterations.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "miniapps/airfoil/airfoil_calls.hpp"
#include "miniapps/airfoil/mesh/airfoil_blocks.hpp"
#include "miniapps/airfoil/mesh/airfoil_local.hpp"
#include "miniapps/comm/reduce.hpp"
#include "models/airfoil/airfoil_loops.hpp"
#include "models/airfoil/airfoil_parameters.hpp"

namespace bellwether {
namespace {

constexpr std::string_view of_loops = "compute.";

template <class T>
class Iterations final : public AirfoilIterations {
 public:
  Iterations(const Session& session, Device& device, const AirfoilLocal& local, bool fused,
             Increments increments)
      : session_(session),
        device_(device),
        calls_(session, device, local, sequence_of(fused, increments), true, increments) {
    calls_.start();
  }

  double iterate(int iterations) override {
    clock_.clear();
    const auto meet = [this] {
      if (device_.is_host()) MPI_Barrier(session_.world());
    };
    for (int n = 0; n < iterations; ++n) calls_.iterate(clock_, false, meet);
    calls_.halo().finish(clock_);
    double sum = 0;
    for (const PhaseClock::Phase& phase : clock_.phases())
      if (std::string_view(phase.name).starts_with(of_loops)) sum += phase.seconds;
    return sum;
  }

  [[nodiscard]] double seconds(AirfoilLoop loop) const override {
    const AirfoilLoop timed = loop == AirfoilLoop::tiled_stage ? AirfoilLoop::stage : loop;
    const std::string name =
        std::string(of_loops) + airfoil_loop_names[static_cast<std::size_t>(timed)];
    for (const PhaseClock::Phase& phase : clock_.phases())
      if (phase.name == name) return phase.seconds;
    return 0;
  }

 private:
  const Session& session_;
  Device& device_;
  AirfoilCalls<T> calls_;
  Heartbeat heartbeat_;
  PhaseClock clock_{heartbeat_};
};

}  // namespace

AirfoilLocal airfoil_mesh_alone(const AirfoilMesh& mesh) {
  const AirfoilBlocks blocks = generate_airfoil(mesh, 1, 0);
  AirfoilLocal local = distribute_airfoil(MPI_COMM_SELF, blocks, Partitioner::block);
  add_surroundings(MPI_COMM_SELF, blocks, local);
  return local;
}

std::unique_ptr<AirfoilIterations> make_airfoil_iterations(const Session& session, Device& device,
                                                           const AirfoilLocal& local,
                                                           const std::string& precision, bool fused,
                                                           Increments increments) {
  if (precision == "f32")
    return std::make_unique<Iterations<float>>(session, device, local, fused, increments);
  return std::make_unique<Iterations<double>>(session, device, local, fused, increments);
}

namespace {

double calibrated_rate(const Machine* machine, const AirfoilProbed& run, const AirfoilMesh& mesh) {
  const auto* known = machine == nullptr ? nullptr : section<AirfoilParameters>(*machine);
  if (known == nullptr || !known->loops.contains(run.precision)) return 0;
  const AirfoilLoopCosts costs(*machine, run.precision);
  if (run.increments == Increments::gather && !costs.has_stage()) return 0;
  double seconds = 0;
  for (const AirfoilLoop loop : airfoil_loops(sequence_of(run.fused, run.increments)))
    seconds +=
        airfoil_calls(loop) * (costs.seconds(loop, airfoil_elements(mesh, loop), Bound::value) +
                               costs.launch(Bound::value));
  return static_cast<double>(mesh.cells()) / seconds;
}

class AirfoilProbe final : public Probe {
 public:
  AirfoilProbe(const Session& session, Device& device, AirfoilProbed run, const AirfoilMesh& mesh,
               const Machine* machine)
      : session_(session),
        run_(std::move(run)),
        mesh_(mesh),
        calibrated_(calibrated_rate(machine, run_, mesh)),
        local_(airfoil_mesh_alone(mesh)),
        iterations_(make_airfoil_iterations(session, device, local_, run_.precision, run_.fused,
                                            run_.increments)) {
    iterations_->iterate(1);
    const double one = slowest(1);
    batch_ = static_cast<int>(std::clamp(std::ceil(0.01 / one), 1.0, 1000.0));
    warming_ = static_cast<int>(std::clamp(std::ceil(0.005 / one), 1.0, 4.0));
  }
  [[nodiscard]] const char* of() const override { return "loops"; }
  [[nodiscard]] const char* unit() const override { return "cells/s"; }
  double measure() override {
    iterations_->iterate(warming_);
    const double seconds = slowest(batch_);
    run_.back_to_caches();
    return static_cast<double>(mesh_.cells()) * batch_ / seconds;
  }
  [[nodiscard]] double calibrated() const override { return calibrated_; }

 private:
  /// Seconds of the slowest rank.
  double slowest(int iterations) {
    return largest(session_.world(), iterations_->iterate(iterations));
  }

  const Session& session_;
  AirfoilProbed run_;
  AirfoilMesh mesh_;
  double calibrated_;
  AirfoilLocal local_;
  std::unique_ptr<AirfoilIterations> iterations_;
  int batch_ = 1;
  /// Iterations after which what fits the caches is there, as in the calibration: a cache that the
  /// run has filled gives its places away by and by.
  int warming_ = 1;
};

}  // namespace

std::unique_ptr<Probe> make_airfoil_probe(const Session& session, Device& device, AirfoilProbed run,
                                          const Machine* machine) {
  // A C-mesh of so many cells has about twice as many edges.
  const AirfoilMesh mesh = mesh_with_edges(std::llround(2 * run.cells));
  require_mesh_memory(session, airfoil_mesh_bytes(airfoil_frame(mesh).mesh) * session.size());
  return std::make_unique<AirfoilProbe>(session, device, std::move(run), mesh, machine);
}

}  // namespace bellwether
