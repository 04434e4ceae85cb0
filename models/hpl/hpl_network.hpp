// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace bellwether {

/// What each Ethernet frame carries beside data (Hu and Lu, Section 4.3): 8 bytes of the physical
/// layer, 18 of the MAC frame (two addresses of 6, type 2, check sequence 4), the gap of 12 and the
/// TCP header of 20.
inline constexpr int ethernet_frame_overhead_bytes = 8 + (6 + 6 + 2 + 4) + 12 + 20;

/// Bits of a slot, which Ethernet waits before each frame (Eq. 11).
inline constexpr int ethernet_slot_bits = 512;

/// Frames that `bytes` of data take (Eq. 10): ceil(bytes / (mtu_bytes - 58)).
double ethernet_frames(double bytes, int mtu_bytes);

/// Seconds of `bytes` over Ethernet (Eq. 9): frames slots, and the frames' overheads and the data
/// at the bandwidth. Everything in bits; the paper's Eq. 15 forgets 64 bits of each double.
double ethernet_time(double bytes, double bandwidth_bits_per_s, int mtu_bytes);

/// SDR, DDR, QDR, FDR, EDR, HDR, NDR.
std::vector<std::string> infiniband_generations();

/// Bytes per second of `links` lanes, encoding taken off (Eq. 12 to 14): 2.5, 5, 10, 14, 25, 50 and
/// 100 Gbit/s a lane, of which the paper gives EDR's (Section 5.2: 100 Gbit/s with 4 links); 8/10
/// of it for SDR, DDR and QDR, 64/66 from FDR on. Throws BadInput for an unknown generation.
double infiniband_bandwidth(const std::string& generation, int links);

}  // namespace bellwether
