// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <vector>

#include "kernels/launch/device.hpp"
#include "miniapps/comm/session.hpp"
#include "miniapps/miniapp.hpp"
#include "miniapps/prediction_entry.hpp"
#include "miniapps/variant.hpp"

namespace bellwether {

/// What the command knows of a mini-app: how to predict it, and how to build it.
class MiniAppEntry : public PredictionEntry {
 public:
  /// Adds what only `run` asks beside what it asks for every mini-app.
  virtual void add_run_options(CLI::App&) {}
  /// The problem as it was asked for: what tells a finished case when a run is resumed.
  [[nodiscard]] virtual nlohmann::json request() const = 0;
  /// Collective. The device outlives the app; `machine` may be null.
  [[nodiscard]] virtual std::unique_ptr<MiniApp> build(const Session& session, Device& device,
                                                       const Variant& variant,
                                                       const Machine* machine,
                                                       Heartbeat& heartbeat) const = 0;
};

/// All mini-apps. A new one is one line here.
std::vector<std::unique_ptr<MiniAppEntry>> mini_apps();

}  // namespace bellwether
