// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <limits>
#include <thread>
#include <vector>

#include "miniapps/comm/test_session.hpp"
#include "miniapps/driver/miniapp.hpp"
#include "miniapps/stencil/bandwidth_probe.hpp"

namespace bellwether {

/// For tests: a mini-app whose steps take as long as it is told, and whose result goes wrong in
/// the stretches between two restarts that it is told.
class FakeApp final : public MiniApp {
 public:
  std::chrono::microseconds step_time{0};
  long longest = 0;
  std::vector<int> wrong_stretches;  ///< numbered from 0, the warm-up's
  double wrong_value = 9;
  long breaks_after = 0;  ///< steps in a stretch; 0: never

  std::vector<long> verified_steps;  ///< steps in each stretch when it was verified
  std::vector<long> restarted_after;
  std::vector<long> written_after;
  long steps_in_stretch = 0;

  [[nodiscard]] nlohmann::json problem() const override { return {{"size", 3}}; }
  [[nodiscard]] nlohmann::json variant() const override { return {{"overlap", "off"}}; }
  [[nodiscard]] nlohmann::json result() override { return {{"steps", steps_in_stretch}}; }
  [[nodiscard]] std::string title() const override { return "fake"; }
  [[nodiscard]] StepWork work() const override { return {1000, "units/s", 8000, 5000}; }
  [[nodiscard]] std::vector<std::pair<std::string, double>> term_bytes() const override {
    return {{"compute.interior", 6000}, {"not measured", 2000}};
  }
  [[nodiscard]] long longest_run() const override { return longest; }
  void restart() override {
    restarted_after.push_back(steps_in_stretch);
    steps_in_stretch = 0;
  }
  void step(PhaseClock& clock) override {
    clock.time("compute.interior", [this] {
      if (step_time.count() > 0) std::this_thread::sleep_for(step_time);
    });
    ++steps_in_stretch;
    unfinished = true;
  }
  void finish(PhaseClock&) override { unfinished = false; }
  [[nodiscard]] Verification verify() override {
    verified_steps.push_back(steps_in_stretch);
    const int stretch = static_cast<int>(restarted_after.size());
    for (const int wrong : wrong_stretches)
      if (wrong == stretch) return {false, "fake", wrong_value, 2};
    if (other_kind_from > 0 && steps_in_stretch >= other_kind_from)
      return {!unfinished, "other", 0.1, 2};
    return {!unfinished, "fake", 1, 2};
  }
  [[nodiscard]] std::optional<Verification> broken() override {
    if (breaks_after == 0 || steps_in_stretch < breaks_after) return {};
    return Verification{false, "broken", wrong_value, 0};
  }
  void write_fields() override {
    written_after.push_back(steps_in_stretch);
    agree_on_errors(test_session().world(), [this] {
      if (!write_error.empty()) throw BadInput(write_error);
    });
  }
  [[nodiscard]] std::optional<double> bare_communication() override { return {}; }
  [[nodiscard]] std::vector<Prediction> predict(const Machine&) const override {
    Prediction expected;
    expected.form = "refined";
    expected.total_s = 0.5;
    return {expected};
  }
  [[nodiscard]] double working_set_bytes() const override { return 4096; }
  [[nodiscard]] std::unique_ptr<SpeedProbe> make_probe(const Machine* machine) override {
    return std::make_unique<BandwidthProbe>(
        test_session(), StateCopy{"f64", "cached", 1, working_set_bytes(), [this] { ++copies; }},
        machine);
  }

  bool unfinished = false;
  long copies = 0;
  long other_kind_from = 0;  ///< steps after which another check is what is said
  std::string write_error;
};

}  // namespace bellwether
