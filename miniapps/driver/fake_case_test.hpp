// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <functional>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

#include "miniapps/comm/session/test_session.hpp"
#include "miniapps/driver/case.hpp"

namespace bellwether {

/// For tests: counts how often it is asked.
class FakeProbe final : public Probe {
 public:
  FakeProbe(long& count, double calibrated) : count_(count), calibrated_(calibrated) {}
  [[nodiscard]] const char* of() const override { return "memory"; }
  [[nodiscard]] const char* unit() const override { return "B/s"; }
  double measure() override { return 20.0 + static_cast<double>(++count_ % 2); }
  double measure_core() override { return 5.0 + static_cast<double>(count_ % 2); }
  [[nodiscard]] double calibrated_core() const override { return calibrated_ / 10; }
  [[nodiscard]] double calibrated() const override { return calibrated_; }

 private:
  long& count_;
  double calibrated_;
};

/// For tests: a factorization, which can be done once on the matrix that restart() makes. Its
/// communication takes `network_s` in two phases, where it overlaps.
class FakeFactorization final : public Case, public CommunicatingCase, public LongStepCase {
 public:
  std::chrono::milliseconds step_time{0};
  Protocol how{.fewest_samples = 1, .warm_ups = 0, .renew_each_step = true};
  int wrong_factorization = -1;    ///< which one is, from 0
  int flipped_factorization = -1;  ///< which one ends in other bits, from 1
  bool overlaps = false;
  double bare_s = 0;
  std::vector<double> shares;  ///< that a step says are done
  Report report;

  int setups = 0, restarts = 0, factorizations = 0, verifications = 0;
  bool fresh = false;
  int factored_again = 0;  ///< steps on what was factored already

  [[nodiscard]] nlohmann::json problem() const override { return {{"size", 100}}; }
  [[nodiscard]] nlohmann::json variant() const override {
    return {{"overlap", overlaps ? "on" : "off"}};
  }
  [[nodiscard]] nlohmann::json result() override { return nlohmann::json::object(); }
  [[nodiscard]] std::string title() const override { return "fake factorization"; }
  [[nodiscard]] StepWork work() const override {
    return {.units = 1000,
            .unit = "flop/s",
            .flops = 1000,
            .limit = WorkLimit::matrix_product,
            .precision = "f64"};
  }
  [[nodiscard]] Protocol protocol() const override { return how; }
  void setup(PhaseClock& clock) override {
    ++setups;
    clock.add("coarsening", 2e-3);
    clock.add("products", 1e-3);
  }
  void restart() override {
    ++restarts;
    fresh = true;
  }
  void step(PhaseClock& clock) override {
    if (!fresh) ++factored_again;
    fresh = false;
    ++factorizations;
    for (const double share : shares)
      if (report) report(share, "column 3 of 8");
    clock.time("panel", [this] { std::this_thread::sleep_for(step_time); });
    clock.add("network.swap", 1e-3);
    clock.add("network.broadcast", 2e-3);
  }
  void finish(PhaseClock&) override {}
  [[nodiscard]] std::uint64_t fingerprint() override {
    return factorizations == flipped_factorization ? 1 : 0;
  }
  [[nodiscard]] Verification verify() override {
    const bool wrong = verifications++ == wrong_factorization;
    return {!wrong, "residual", wrong ? 100.0 : 1.0, 16};
  }
  [[nodiscard]] std::vector<Prediction> predict(const Machine&) const override { return {}; }
  [[nodiscard]] std::optional<double> bare_communication() override { return bare_s; }
  void report_to(Report given) override { report = std::move(given); }
};

/// For tests: a case whose steps take as long as it is told, and whose result goes wrong in
/// the stretches between two restarts that it is told.
class FakeCase final : public Case, public WatchedCase, public PicturedCase, public ProbedCase {
 public:
  std::chrono::microseconds step_time{0};
  long longest = 0;
  std::vector<int> wrong_stretches;  ///< numbered from 0, the warm-up's
  double wrong_value = 9;
  long breaks_after = 0;  ///< steps in a stretch; 0: never
  long flipped_step = 0;  ///< of all steps the one that flips a bit of the state, from 1; 0: none
  long verify_takes = 0;  ///< steps
  std::function<void()> with_each_step = [] {};

  std::vector<long> verified_steps;  ///< steps in each stretch when it was verified
  std::vector<long> restarted_after;
  std::vector<long> written_after;
  long steps_in_stretch = 0;

  [[nodiscard]] nlohmann::json problem() const override { return {{"size", 3}}; }
  [[nodiscard]] nlohmann::json variant() const override { return {{"overlap", "off"}}; }
  [[nodiscard]] nlohmann::json result() override { return {{"steps", steps_in_stretch}}; }
  [[nodiscard]] std::string title() const override { return "fake"; }
  [[nodiscard]] StepWork work() const override {
    return {.units = 1000,
            .unit = "units/s",
            .bytes = 8000,
            .flops = 5000,
            .term_bytes = {{"compute.interior", 6000}, {"not measured", 2000}}};
  }
  [[nodiscard]] Protocol protocol() const override { return {.longest_run = longest}; }
  void restart() override {
    restarted_after.push_back(steps_in_stretch);
    steps_in_stretch = 0;
    flipped = 0;
  }
  void step(PhaseClock& clock) override {
    clock.time("compute.interior", [this] {
      if (step_time.count() > 0) std::this_thread::sleep_for(step_time);
    });
    with_each_step();
    ++steps_in_stretch;
    unfinished = true;
    if (++all_steps == flipped_step) flipped = 1 << 20;
  }
  void finish(PhaseClock&) override { unfinished = false; }
  [[nodiscard]] std::uint64_t fingerprint() override {
    return static_cast<std::uint64_t>(unfinished ? -1 : steps_in_stretch) + flipped;
  }
  [[nodiscard]] Verification verify() override {
    verified_steps.push_back(steps_in_stretch);
    steps_in_stretch += verify_takes;
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
  void write_picture() override {
    written_after.push_back(steps_in_stretch);
    agree_on_errors(test_session().world(), [this] {
      if (!write_error.empty()) throw BadInput(write_error);
    });
  }
  [[nodiscard]] std::vector<Prediction> predict(const Machine&) const override {
    Prediction expected;
    expected.form = "refined";
    expected.total_s = 0.5;
    return {expected};
  }
  [[nodiscard]] std::unique_ptr<Probe> make_probe(const Machine* machine) override {
    return std::make_unique<FakeProbe>(probes, machine == nullptr ? 0 : 50);
  }

  bool unfinished = false;
  long probes = 0, all_steps = 0;
  std::uint64_t flipped = 0;
  long other_kind_from = 0;  ///< steps after which another check is what is said
  std::string write_error;
};

}  // namespace bellwether
