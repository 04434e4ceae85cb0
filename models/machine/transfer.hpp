// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "models/machine/machine.hpp"

namespace bellwether {

/// A calibrated machine, the reference, as it would be with the device and links of a data sheet.
struct Transfer {
  Machine machine;
  std::vector<std::string> ratios;  ///< "memory bandwidth: 1.67 (1.19 to 2.16)", once each
  std::vector<std::string> stayed;  ///< keys of what is as calibrated
  std::vector<std::string> added;   ///< keys of links that only the new data sheet has
};

/// The shipped data sheet whose name is a word of the calibrated GPU's. Throws BadInput without.
Machine sheet_of(const Machine& reference);

/// Moves each number by the ratio of what two data sheets, of the new machine and the reference's,
/// make of its limit, each with its class's share and interval (assume_class):
/// - memory's rates and loops' times from memory: memory bandwidth (memory_rate());
/// - a core's times, and what caches hold: peak flop rate;
/// - matrix products: their rate;
/// - a link: its latency and bandwidth.
/// Launches and waits stay, and what both sheets have alike. With a reference's interval [l, h]
/// about v and the sheets' about their values, half-widths are sqrt(sum of log^2). Throws BadInput
/// for a reference that is not calibrated, for sheets that are, and for a kind, a layout or a peak
/// that does not fit.
Transfer transfer(const Machine& reference, const Machine& reference_sheet, const Machine& sheet);

}  // namespace bellwether
