// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "models/cholesky/cholesky_paper.hpp"
#include "models/cholesky/start_up_parameters.hpp"
#include "models/errors.hpp"
#include "models/machine/machine_file.hpp"
#include "models/machine/test_full_machine.hpp"
#include "models/test_prediction.hpp"

namespace bellwether {
namespace {

bool noted(const Prediction& prediction, const std::string& what) {
  for (const std::string& note : prediction.outside_range)
    if (note.find(what) != std::string::npos) return true;
  return false;
}

TEST(CholeskyPaper, ParagonOn32Processors) {
  const Prediction p = predict_cholesky_paper(find_machine("paragon"), {.size = 2500, .ranks = 32});
  // Eq. 7 to 9 and 13 with Table 2.
  const double parallel = 2500 * (6.25e6 - 1) / 3 / 33.8e6 / 32 / 0.983;
  const double serial = 6.2525e6 / 0.38e6;
  const double start_up =
      2500 * 0.4e-6 + 2500 * 2499 / 2. * 0.94e-6 / 32 / 0.983 + 2500 * 0.0017e-6;
  const double network = 2500 * (2 * 2500 * 5 * 4 / 22.6e6 + 2500 * 5 / 6.84e6);
  EXPECT_NEAR(term(p, "compute.update"), parallel, 1e-9);
  EXPECT_NEAR(term(p, "compute.scale"), serial, 1e-9);
  EXPECT_NEAR(term(p, "startup"), start_up, 1e-12);
  EXPECT_NEAR(term(p, "network.broadcast"), network, 1e-9);
  EXPECT_NEAR(p.total_s, parallel + serial + start_up + network, 1e-9);
  EXPECT_NEAR(p.communication_s, network, 1e-9);
  EXPECT_NEAR(p.hiding_s, parallel, 1e-9);
  EXPECT_EQ(p.form, "paper");
  EXPECT_TRUE(p.outside_range.empty());
}

TEST(CholeskyPaper, Vpp500UsesItsCrossbar) {
  const Prediction p = predict_cholesky_paper(find_machine("vpp500"), {.size = 5000, .ranks = 16});
  EXPECT_NEAR(term(p, "network.broadcast"),
              2 * (1.1e-6 + 15. / 16 * 4 * 5000 / 16 / 197.2e6) * 16 * 5000, 1e-9);
}

TEST(CholeskyPaper, OneProcessorRunsTheSerialProgram) {
  // Eq. 11: no t_p0, no E_p, no summation.
  const Prediction p = predict_cholesky_paper(find_machine("vpp500"), {.size = 5000, .ranks = 1});
  EXPECT_NEAR(p.total_s, 5000 * (25e6 - 1) / 3 / 0.968e9 + 5000 * 1.7e-6 + 25.005e6 / 0.736e9,
              1e-9);
  EXPECT_EQ(term(p, "network.broadcast"), 0);
}

TEST(CholeskyPaper, DoesNotOverlapAndSaysSo) {
  const Machine machine = find_machine("paragon");
  const Prediction off = predict_cholesky_paper(machine, {.size = 2500, .ranks = 8});
  const Prediction on =
      predict_cholesky_paper(machine, {.size = 2500, .ranks = 8, .overlap = true});
  EXPECT_EQ(on.total_s, off.total_s);
  EXPECT_EQ(on.hidden_fraction, 0);
  EXPECT_FALSE(on.overlaps);
}

TEST(CholeskyPaper, NotesWhatLeavesTheFit) {
  const Machine machine = find_machine("vpp500");
  const Prediction inside = predict_cholesky_paper(machine, {.size = 500, .ranks = 16});
  EXPECT_TRUE(inside.outside_range.empty());
  const Prediction p =
      predict_cholesky_paper(machine, {.size = 499, .precision = "f64", .ranks = 17});
  EXPECT_TRUE(noted(p, "size 499 asked, fitted from 500 to 5000"));
  EXPECT_TRUE(noted(p, "rank count 17 asked, fitted from 1 to 16"));
  EXPECT_TRUE(noted(p, "fitted in f32"));
  // Values of eight bytes.
  EXPECT_NEAR(term(p, "network.broadcast"),
              2 * (1.1e-6 + 16. / 17 * 8 * 499 / 17 / 197.2e6) * 17 * 499, 1e-9);
}

TEST(CholeskyPaper, DerivesConstantsWhereTheMachineHasNone) {
  Machine machine = full_machine();
  machine.sections.erase("start_up");
  const Prediction p = predict_cholesky_paper(
      machine, {.size = 1000, .precision = "f64", .ranks = 4, .ranks_per_node = 4});
  EXPECT_TRUE(noted(p, "not calibrated: full has no start_up section"));
  // 1e10 B/s: two flops for 8 bytes read (do 20), for 16 moved (do 30), one for 24 (additions);
  // shared memory 0.5 us and 4e9 B/s, launches 1 us; two stages.
  const double n = 1000;
  EXPECT_NEAR(term(p, "compute.update"), n * (n * n - 1) / 3 / 2.5e9 / 4, 1e-9);
  EXPECT_NEAR(term(p, "compute.scale"), (n * n + n) / 1.25e9, 1e-9);
  EXPECT_NEAR(term(p, "startup"), 2 * n * 1e-6, 1e-12);
  EXPECT_NEAR(term(p, "network.broadcast"),
              n * (2 * (5e-7 + n * 2 * 8 / 4e9) + n * 2 / (1e10 / 24)), 1e-9);
  EXPECT_LT(p.low_s, p.total_s);
  EXPECT_GT(p.high_s, p.total_s);
  // Two nodes: the network's 2 us and 1e9 B/s.
  const Prediction far = predict_cholesky_paper(
      machine, {.size = 1000, .precision = "f64", .ranks = 4, .ranks_per_node = 2});
  EXPECT_NEAR(term(far, "network.broadcast"),
              n * (2 * (2e-6 + n * 2 * 8 / 1e9) + n * 2 / (1e10 / 24)), 1e-9);
}

TEST(CholeskyPaper, IntervalsComeFromEveryConstant) {
  const Machine machine = full_machine();  // everything +- 10 %
  const Prediction p = predict_cholesky_paper(machine, {.size = 1000, .ranks = 4});
  const double n = 1000;
  const double parallel = n * (n * n - 1) / 3 / (1e11 * 0.3) / 4 / 0.9;
  for (const Term& one : p.terms) {
    if (one.name != "compute.update") continue;
    EXPECT_NEAR(one.seconds, parallel, 1e-12);
    EXPECT_NEAR(one.low, parallel / 1.1 / 1.1 / 1.1, 1e-12);
    EXPECT_NEAR(one.high, parallel / 0.9 / 0.9 / 0.9, 1e-12);
  }
}

TEST(CholeskyPaper, OneRankNeedsNoLink) {
  Machine machine = full_machine();
  machine.sections.erase("start_up");
  machine.links.clear();
  EXPECT_GT(predict_cholesky_paper(machine, {.size = 10, .ranks = 1}).total_s, 0);
  EXPECT_THROW(predict_cholesky_paper(machine, {.size = 10, .ranks = 2}), BadInput);
}

}  // namespace
}  // namespace bellwether
