// SPDX-License-Identifier: MIT
#include "models/cholesky/cholesky_parameters.hpp"

#include "models/machine/json_type.hpp"

namespace bellwether {
namespace {

JsonType<std::vector<ColumnUpdateRate>> update_type() {
  using Rate = ColumnUpdateRate;
  return named(
      "cholesky_update",
      "Updates of columns by one column: bytes read plus bytes written a second, by the bytes of "
      "the columns.",
      json_ascending(
          "bytes", &Rate::bytes, "bytes",
          json_object<Rate>({required("bytes", &Rate::bytes, json_positive()),
                             required("bandwidth_bytes_per_s", &Rate::bandwidth_bytes_per_s,
                                      json_quantity(Range::positive))}),
          1));
}

JsonType<std::vector<CholeskyBlock>> blocks_type() {
  using Block = CholeskyBlock;
  const JsonType<Quantity> positive = json_quantity(Range::positive);
  const JsonType<Quantity> nonnegative = json_quantity(Range::nonnegative);
  return named(
      "cholesky_blocks",
      "Blocks of columns: the factor of the diagonal one, block^2 flops for each row that is "
      "solved "
      "with it, and products of m x block x n: 2 m n block / product_flops_per_s (1 + half_m/m + "
      "half_n/n) seconds.",
      json_ascending("block", &Block::block, "blocks",
                     json_object<Block>(
                         {required("block", &Block::block, json_positive()),
                          required("factor_s", &Block::factor_s, positive),
                          required("solve_flops_per_s", &Block::solve_flops_per_s, positive),
                          required("product_flops_per_s", &Block::product_flops_per_s, positive),
                          required("half_m", &Block::half_m, nonnegative),
                          required("half_n", &Block::half_n, nonnegative)})));
}

JsonType<CholeskyKernelRates> rates_type() {
  using Rates = CholeskyKernelRates;
  const JsonType<Quantity> positive = json_quantity(Range::positive);
  const JsonType<Quantity> nonnegative = json_quantity(Range::nonnegative);
  return named(
      "cholesky_kernels", "The mini-app's kernels on one rank, all at work.",
      json_object<Rates>(
          {required("update_start_up_s", &Rates::update_start_up_s, nonnegative),
           required("column_start_up_s", &Rates::column_start_up_s, nonnegative),
           required("update", &Rates::update, update_type()),
           required("scale_start_up_s", &Rates::scale_start_up_s, nonnegative),
           required("scale_bandwidth_bytes_per_s", &Rates::scale_bandwidth_bytes_per_s, positive),
           optional("blocks", &Rates::blocks, blocks_type())}));
}

}  // namespace

JsonType<CholeskyParameters> cholesky_parameters_type() {
  using Parameters = CholeskyParameters;
  const JsonType<Parameters> all = json_object<Parameters>(
      {required("kernels", &Parameters::kernels,
                json_keyed({"f32", "f64"}, rates_type(), 1, "kernels of f32 or f64")),
       optional("broadcast_latency_s", &Parameters::broadcast_latency_s,
                json_quantity(Range::nonnegative)),
       optional("broadcast_bandwidth_bytes_per_s", &Parameters::broadcast_bandwidth_bytes_per_s,
                json_quantity(Range::positive)),
       optional("broadcast_overhead_s", &Parameters::broadcast_overhead_s,
                json_quantity(Range::nonnegative)),
       retired<Parameters>("message_added_s")});
  return named("cholesky",
               "The mini-app's kernels, and a column's way from one rank of a node to another.",
               restricted(
                   all,
                   {{"dependencies",
                     {{"broadcast_latency_s", {"broadcast_bandwidth_bytes_per_s"}},
                      {"broadcast_bandwidth_bytes_per_s", {"broadcast_latency_s"}},
                      {"broadcast_overhead_s", {"broadcast_latency_s"}}}}},
                   [](const Parameters& found) {
                     const bool has_latency = found.broadcast_latency_s.has_value();
                     return has_latency == found.broadcast_bandwidth_bytes_per_s.has_value() &&
                            (has_latency || !found.broadcast_overhead_s);
                   },
                   "both of broadcast_latency_s and broadcast_bandwidth_bytes_per_s or "
                   "neither, and broadcast_overhead_s only with them"));
}

}  // namespace bellwether
