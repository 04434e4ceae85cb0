// SPDX-License-Identifier: MIT
#include "miniapps/driver/stepper.hpp"

#include <atomic>
#include <chrono>

namespace bellwether {

Stepper::Stepper(const Session& session, Case& subject, Heartbeat& heartbeat, bool verify_twice)
    : session_(session),
      case_(subject),
      watched_(dynamic_cast<WatchedCase*>(&subject)),
      heartbeat_(heartbeat),
      protocol_(subject.protocol()),
      twice_(verify_twice && protocol_.repeats_to_the_bit),
      clock_(heartbeat) {}

StepSample Stepper::sample(long steps, bool may_restart) {
  const long longest = protocol_.longest_run;
  const bool leaves_it = longest > 0 && since_restart_ + steps > longest;
  if (protocol_.renew_each_step || (leaves_it && may_restart))
    restart();
  else if (leaves_it && since_restart_ > 0 && since_restart_ <= longest) {
    verify(false);
    verified_amid_ = since_restart_;
  }
  clock_.clear();
  heartbeat_.enter("barrier");
  MPI_Barrier(session_.world());
  if (energy_ != nullptr) {
    energy_->start();
    MPI_Barrier(session_.world());
  }
  const auto begin = std::chrono::steady_clock::now();
  for (long s = 0; s < steps; ++s) {
    heartbeat_.step.fetch_add(1, std::memory_order_relaxed);
    case_.step(clock_);
  }
  case_.finish(clock_);
  const double total = seconds_since(begin);
  if (energy_ != nullptr) energy_->stop();
  heartbeat_.enter("between samples");
  since_restart_ += steps;
  if (watched_ != nullptr) {
    if (const std::optional<Verification> found = watched_->broken()) {
      verdict_ = *found;
      broken_ = true;
    }
  }
  const StepSample sample = own_sample(total, clock_.phases(), steps);
  if (protocol_.renew_each_step) verify(false);
  return sample;
}

void Stepper::inject(const NoiseLaw& law) {
  noise_.emplace(law, session_.rank());
  clock_.after_work(
      [this](double work_s) { clock_.time("injected", [&] { noise_->spin(work_s); }); });
}

void Stepper::count(EnergyMeter& energy) {
  if (energy.counts()) energy_ = &energy;
}

void Stepper::verify(bool is_last) {
  heartbeat_.enter("verify");
  if (is_verified_) return;
  if (is_last || twice_ || protocol_.renew_each_step)
    fingerprint_ = case_.fingerprint();  // before a step that verify() may take
  if (broken_) return;
  is_verified_ = protocol_.renew_each_step;  // nothing follows on this state
  const Verification now = case_.verify();
  // Of one kind the worst, of several that passed the last: a state after few steps can be held
  // against less than the final one.
  const bool worse = now.value * verdict_.tolerance > verdict_.value * now.tolerance;
  const bool counts = now.passed ? verdict_.passed && (worse || now.what != verdict_.what)
                                 : verdict_.passed || worse;
  if (counts || verdict_.what.empty()) verdict_ = now;
}

void Stepper::restart() {
  if (since_restart_ > 0) {
    verify(false);
    repeat();
  }
  heartbeat_.enter("restart");
  case_.restart();
  since_restart_ = verified_amid_ = 0;
  is_verified_ = false;
}

void Stepper::repeat() {
  if (!twice_ || broken_ || since_restart_ == 0) return;
  const auto [known, is_new] = bits_after_.try_emplace(since_restart_, fingerprint_);
  if (is_new) {
    PhaseClock untimed(heartbeat_);
    heartbeat_.enter("restart");
    case_.restart();
    for (long step = 0; step < since_restart_; ++step) {
      if (step > 0 && step == verified_amid_) {  // which may take a step
        case_.finish(untimed);
        (void)case_.verify();
      }
      heartbeat_.step.fetch_add(1, std::memory_order_relaxed);
      case_.step(untimed);
    }
    case_.finish(untimed);
    fingerprint_ = case_.fingerprint();
  }
  if (fingerprint_ != known->second) ++differing_;
}

std::vector<std::pair<std::string, double>> Stepper::set_up() {
  clock_.clear();
  heartbeat_.enter("setup");
  MPI_Barrier(session_.world());
  const auto begin = std::chrono::steady_clock::now();
  case_.setup(clock_);
  if (clock_.phases().empty()) return {};
  const StepSample sample =
      slowest_sample(session_.world(), own_sample(seconds_since(begin), clock_.phases(), 1));
  return sample.terms;
}

Verification Stepper::verdict() const {
  if (!twice_ || broken_ || !verdict_.passed) return verdict_;
  if (differing_ > 0)
    return {false, "runs of as many steps that ended in other bits", 1. * differing_, 0};
  Verification both = verdict_;
  both.what += ", and twice the same bits";
  return both;
}

}  // namespace bellwether
