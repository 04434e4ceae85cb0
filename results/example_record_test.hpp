// SPDX-License-Identifier: MIT
#pragma once

#include "results/record.hpp"

namespace bellwether {

inline Summary milliseconds(double low, double median, double high) {
  return {.median = median / 1e3,
          .low = low / 1e3,
          .high = high / 1e3,
          .min = low / 2e3,
          .max = high / 0.5e3,
          .count = 31};
}

inline Term expected_milliseconds(const char* name, double time) {
  return {.name = name, .seconds = time / 1e3, .low = 0.9 * time / 1e3, .high = 1.1 * time / 1e3};
}

/// A case with everything: the refined prediction 0.9 ms below the measured 10.3 ms, 0.6 ms of that
/// in the network, and memory at 0.9 of the calibrated bandwidth.
inline Record example_record() {
  Record record;
  record.app = "diffusion";
  record.ranks = 2;
  record.problem = {{"cells", {64, 64, 64}}, {"precision", "f32"}};
  record.variant = {{"backend", "kokkos"}, {"overlap", "on"}, {"halo", "staged"}};
  record.measured.total_s = milliseconds(10.1, 10.3, 10.5);
  record.measured.terms = {{"compute.boundary", milliseconds(0.9, 1.0, 1.1)},
                           {"pack", milliseconds(0.19, 0.2, 0.21)},
                           {"compute.interior", milliseconds(7.8, 8.0, 8.2)},
                           {"network", milliseconds(0.7, 0.9, 1.3)},
                           {"unpack", milliseconds(0.19, 0.2, 0.21)}};
  record.measured.hidden_fraction = 0.88;
  Prediction paper;
  paper.form = "paper";
  paper.terms = {expected_milliseconds("compute.interior", 7.0),
                 expected_milliseconds("network", 0.2), expected_milliseconds("copy", 0.6)};
  paper.total_s = 7.8e-3;
  paper.low_s = 7.7e-3;
  paper.high_s = 7.9e-3;
  paper.outside_range = {"2 ranks on one node, calibrated with 1"};
  Prediction refined;
  refined.form = "refined";
  refined.terms = {expected_milliseconds("compute.boundary", 1.1),
                   expected_milliseconds("pack", 0.2),
                   expected_milliseconds("compute.interior", 7.6),
                   expected_milliseconds("network", 0.3), expected_milliseconds("unpack", 0.2)};
  refined.total_s = 9.4e-3;
  refined.low_s = 9.1e-3;
  refined.high_s = 9.7e-3;
  refined.hidden_fraction = 0.9;
  refined.outside_range = {"messages of 16384 B, calibrated to 8192 B",
                           "2 ranks on one node, calibrated with 1"};
  record.predicted = {paper, refined};
  record.probe = ProbeResult{
      .of = "memory",
      .unit = "B/s",
      .rate = {.median = 27e9, .low = 26e9, .high = 28e9, .min = 25e9, .max = 29e9, .count = 7},
      .calibrated_rate = 30e9,
      .samples = {}};
  record.rate = {.value = 1.98e9,
                 .unit = "cells/s",
                 .limit = "memory bandwidth",
                 .fraction_of_limit = 0.93,
                 .flops_per_s = 25.7e9,
                 .bytes_per_s = 15.8e9,
                 .terms = {}};
  record.verification = {
      .passed = true, .what = "mode decay", .value = 3.1e-7, .tolerance = 8.0e-7};
  record.result = {{"steps", 620}};
  record.machine = "machine.json";
  record.provenance = {{"host", "node1"}};
  return record;
}

}  // namespace bellwether
