// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels/launch/device.hpp"
#include "miniapps/comm/session.hpp"
#include "miniapps/driver/miniapp.hpp"
#include "miniapps/driver/prediction_entry.hpp"
#include "miniapps/driver/variant.hpp"

namespace bellwether {

/// What the command knows of a mini-app: how to predict it, and how to build it.
class MiniAppEntry : public PredictionEntry {
 public:
  /// Adds what only `run` asks of the problem.
  virtual void add_run_options(CLI::App&) {}
  /// How the names of the pictures end that it writes of its last state (".vti"); empty: it writes
  /// none.
  [[nodiscard]] virtual const char* picture_ending() const { return ""; }
  /// To write one, the last case's, to the file.
  virtual void ask_for_picture(std::string /*file*/) {}
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
