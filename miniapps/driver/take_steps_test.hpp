// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "kernels/launch/device.hpp"
#include "miniapps/comm/session/test_session.hpp"
#include "miniapps/driver/app.hpp"

namespace bellwether {

/// For tests: where a case is built when no machine is known.
inline CaseSite site_on(Device& device, const std::string& backend) {
  return {test_session(), device, backend, nullptr, nullptr};
}

/// For tests: as the run loop has it before the first step.
inline std::unique_ptr<Case> set_up(std::unique_ptr<Case> subject) {
  Heartbeat heartbeat;
  PhaseClock clock(heartbeat);
  subject->setup(clock);
  return subject;
}

/// For tests: so many steps, finished.
inline void take_steps(Case& subject, int count) {
  Heartbeat heartbeat;
  PhaseClock clock(heartbeat);
  for (int step = 0; step < count; ++step) subject.step(clock);
  subject.finish(clock);
}

/// For tests: what a case says that can say it.
inline std::optional<Verification> broken(Case& subject) {
  return dynamic_cast<WatchedCase&>(subject).broken();
}
inline std::optional<double> bare_communication(Case& subject) {
  return dynamic_cast<CommunicatingCase&>(subject).bare_communication();
}
inline std::unique_ptr<Probe> make_probe(Case& subject, const Machine* machine) {
  return dynamic_cast<ProbedCase&>(subject).make_probe(machine);
}
inline void write_picture(Case& subject) { dynamic_cast<PicturedCase&>(subject).write_picture(); }

}  // namespace bellwether
