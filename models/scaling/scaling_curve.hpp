// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/machine/machine.hpp"
#include "models/scaling/scaling_point.hpp"

namespace bellwether {

/// What the machine has not of `ranks` ranks that need `bytes_per_rank` of device memory each (0:
/// not known), one line for each: more ranks than a published machine has devices, and more memory
/// than a rank has, where the machine says how much. A calibrated machine, whose device names the
/// backend that measured it, is taken to grow by nodes like those it was calibrated on.
std::vector<std::string> outside_machine(const Machine& machine, int ranks, double bytes_per_rank);

/// What a curve asks of an application's model. It is asked for rank count after rank count by one
/// thread, so that it may keep what several of them share.
class CurveModel {
 public:
  virtual ~CurveModel() = default;
  /// Divides the problem among the ranks as it is best done in this overlap mode, as the form,
  /// which is one of the request's, has it; what follows is asked of that. Throws BadInput where it
  /// cannot be divided.
  virtual void divide(int ranks, bool overlap, const std::string& form) = 0;
  /// As in ScalingPoint.
  [[nodiscard]] virtual std::string layout() const = 0;
  [[nodiscard]] virtual nlohmann::json choice() const = 0;
  /// As in ScalingPoint.
  [[nodiscard]] virtual double units() const { return 0; }
  /// Device memory that the problem takes of the fullest rank.
  [[nodiscard]] virtual double bytes_per_rank() const = 0;
  /// By form, "paper" or "refined".
  [[nodiscard]] virtual Prediction predict(const std::string& form) const = 0;
};

/// Every rank count, overlap mode and form of the request, in this nesting, computed on several
/// threads, with what is outside the machine; `make` gives each thread models of its own. Throws
/// BadInput if a rank count cannot divide the problem, for an unknown form, or for nodes without
/// ranks.
std::vector<ScalingPoint> scaling_curve(const Machine& machine, const PredictionRequest& request,
                                        const std::function<std::unique_ptr<CurveModel>()>& make);

}  // namespace bellwether
