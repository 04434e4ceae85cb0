// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "models/machine/machine.hpp"

namespace bellwether {

/// A change of one of a machine's numbers: KEY=2x multiplies it, KEY=1e-6 replaces it (in the unit
/// at the end of the key).
struct WhatIf {
  std::string key;  ///< keys and list indices of the machine's document between dots
  double number = 0;
  bool is_factor = false;
};

/// Reads KEY=VALUE. Throws BadInput on anything else.
WhatIf parse_what_if(const std::string& text);

/// What a change did.
struct WhatIfChange {
  std::string key;
  double before = 0;
  double after = 0;
  /// Keys of what was multiplied by after / before as well; * stands for every index of a list.
  std::vector<std::string> scaled_along;
};

/// Changes any number of the machine's document (models/machine/machine.schema.json). The ends of
/// its interval scale with it. What describes the same thing more finely scales along:
/// - a link's latency_s or bandwidth_bytes_per_s: the same key of its segments, of its
///   unaligned, exchange and concurrent timings;
/// - device.memory_bandwidth_bytes_per_s: the memory curves and STREAM results.
/// Throws BadInput naming the key, what was found and the keys that there are, or for a value that
/// no machine may have.
WhatIfChange change(Machine& machine, const WhatIf& what_if);

/// A number of a machine on which values depend.
struct Sensitivity {
  std::string key;  ///< as in WhatIf
  double number = 0;
  std::string source;  ///< its own, or of the nearest object around it that has one
  double spread = 0;   ///< half the logarithm of its interval's upper end over the lower one
  std::vector<double> slopes;  ///< of each value: d value / d ln number
};

/// The quantities of the machine's document on which the values that `values_of` gives for a
/// machine (always equally many) depend, each with slopes of at least `least`, in the document's
/// order. Each is changed alone, by 3 % both ways (one way where no machine may be the other), and
/// nothing scales along. Found by bisection: a
/// part of the document that moves no value is not looked into.
std::vector<Sensitivity> sensitivities(
    const Machine& machine, const std::function<std::vector<double>(const Machine&)>& values_of,
    double least);

/// {"key", "before", "after", "scaled_along"}
nlohmann::json to_json(const WhatIfChange& change);

}  // namespace bellwether
