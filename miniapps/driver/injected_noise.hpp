// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <random>
#include <string>

#include "models/noise/noise_parameters.hpp"

namespace bellwether {

/// Detours of a known law, for what it shows of the models of noise: on average so many in a second
/// of work, of lengths that are distributed exponentially or all the same.
struct NoiseLaw {
  std::string kind;  ///< "exponential" or "constant"
  double per_s = 0;
  double mean_s = 0;
  int rank = -1;  ///< that alone has them; -1: every rank, each its own
};

/// From KIND:RATE:MEAN or KIND:RATE:MEAN:RANK, in Hz and seconds. Throws BadInput that names the
/// option.
NoiseLaw read_noise_law(const std::string& option, const std::string& text);

/// What a calibration would say of it.
NoiseParameters noise_of(const NoiseLaw& law);

/// One rank's detours. Each rank and law has its own sequence, the same in every run.
class InjectedNoise {
 public:
  InjectedNoise(const NoiseLaw& law, int rank);

  /// Computes nothing for as long as the detours of `work_s` seconds of work take.
  void spin(double work_s);

 private:
  bool has_any_;
  NoiseLaw law_;
  std::mt19937_64 random_;
};

/// For the record: the law, and per step of `work_s` what it adds to a rank on average and to the
/// latest of ranks that wait for one another.
nlohmann::json describe_noise(const NoiseLaw& law, int ranks, double work_s);

/// The same in a line for people, with its end.
std::string noise_line_of(const nlohmann::json& described);

}  // namespace bellwether
