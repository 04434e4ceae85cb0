// SPDX-License-Identifier: MIT
#include "miniapps/airfoil/airfoil_iterations.hpp"

#include <string_view>

#include "miniapps/airfoil/airfoil_calls.hpp"
#include "miniapps/airfoil/mesh/airfoil_local.hpp"

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
        iteration_(airfoil_iteration(local.mesh, sequence_of(fused, increments))),
        calls_(session, device, local, iteration_, true, increments) {
    calls_.start();
  }

  double iterate(int iterations) override {
    clock_.clear();
    for (int n = 0; n < iterations; ++n) {
      for (const AirfoilCall& call : iteration_) {
        if (call.plan.blocks() && device_.is_host()) MPI_Barrier(session_.world());
        calls_.run(call, clock_, false);
      }
    }
    calls_.halo().finish(clock_);
    double sum = 0;
    for (const PhaseClock::Phase& phase : clock_.phases())
      if (std::string_view(phase.name).starts_with(of_loops)) sum += phase.seconds;
    return sum;
  }

  [[nodiscard]] double seconds(AirfoilLoop loop) const override {
    const std::string name =
        std::string(of_loops) + airfoil_loop_names[static_cast<std::size_t>(loop)];
    for (const PhaseClock::Phase& phase : clock_.phases())
      if (phase.name == name) return phase.seconds;
    return 0;
  }

 private:
  const Session& session_;
  Device& device_;
  std::vector<AirfoilCall> iteration_;
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

}  // namespace bellwether
