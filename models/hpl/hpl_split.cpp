// SPDX-License-Identifier: MIT
#include "models/hpl/hpl_split.hpp"

#include <algorithm>
#include <cmath>

namespace bellwether {

PanelSums panel_sums(double size, double block, double panels) {
  const double pairs = panels * (panels + 1);  // 2 sum k
  return {panels * size - block * pairs / 2, panels * size * size - size * block * pairs +
                                                 block * block * pairs * (2 * panels + 1) / 6};
}

double HplSize::panels() const { return std::floor(size / block); }

double gemm_flops(const HplSize& size) {
  return 2 * size.block * panel_sums(size.size, size.block, size.panels()).square;
}

double trsm_flops(const HplSize& size) {
  return 2 * size.block * size.block * panel_sums(size.size, size.block, size.panels()).order;
}

TransferTime transfer_time(const HplSize& size, const HplRates& rates) {
  if (rates.device_flops_per_s <= 0 || rates.down_bytes_per_s <= 0) return {};
  const PanelSums sums = panel_sums(size.size, size.block, size.panels());
  const double panels_s = 8 * size.block * sums.order / rates.down_bytes_per_s;
  const double matrix_s = rates.matrix_on_device ? 0 : 8 * sums.square / rates.up_bytes_per_s;
  return {panels_s, panels_s + matrix_s};
}

double device_share(double work_flops, const HplRates& rates, const TransferTime& transfer) {
  const double host = rates.host_flops_per_s;
  const double device = rates.device_flops_per_s;
  if (work_flops <= 0 || device <= 0) return 0;
  const double share = device * (work_flops - host * transfer.fixed_s) /
                       (work_flops * (host + device) + device * host * transfer.per_share_s);
  return std::clamp(share, 0., 1.);
}

}  // namespace bellwether
