// SPDX-License-Identifier: MIT
#include "models/cholesky/start_up_parameters.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "models/errors.hpp"
#include "models/machine/json_type.hpp"
#include "models/machine/machine_json.hpp"
#include "models/machine/test_full_machine.hpp"

namespace bellwether {
namespace {

using nlohmann::json;

/// Reads the full machine's section after a change at a place; null removes it.
StartUpParameters read(const std::string& pointer, const json& value) {
  json document = start_up_parameters_type().write(*section<StartUpParameters>(full_machine()));
  const json::json_pointer place(pointer);
  if (value.is_null())
    document.at(place.parent_pointer()).erase(place.back());
  else
    document[place] = value;
  return start_up_parameters_type().read(JsonNode(document, "case"));
}

TEST(StartUpParameters, ReadsBackWhatItWrites) {
  const json document =
      start_up_parameters_type().write(*section<StartUpParameters>(full_machine()));
  const StartUpParameters parsed = start_up_parameters_type().read(JsonNode(document, "case"));
  EXPECT_EQ(start_up_parameters_type().write(parsed), document);
  EXPECT_DOUBLE_EQ(parsed.update.efficiency.value, 0.3);
  EXPECT_DOUBLE_EQ(parsed.parallel_update.start_up_s.high, 2.2e-6);
  EXPECT_DOUBLE_EQ(parsed.adding->start_up_s.value, 5e-7);
  EXPECT_EQ(parsed.fitted_sizes->at(1), 2000);
}

TEST(StartUpParameters, MayLackWhatIsOptional) {
  EXPECT_FALSE(read("/adding", nullptr).adding);
  EXPECT_FALSE(read("/fitted_sizes", nullptr).fitted_sizes);
  EXPECT_FALSE(read("/fitted_ranks", nullptr).fitted_ranks);
  EXPECT_EQ(read("/transfer/start_up_s/value", 4e-6).summation, "tree");
}

TEST(StartUpParameters, RefusesWhatIsMissingWrongOrUnknown) {
  for (const char* pointer :
       {"/precision", "/peak_flops_per_s", "/peak_bytes_per_s", "/update", "/parallel_update",
        "/scaling", "/summation", "/transfer", "/update/efficiency", "/adding/start_up_s"})
    EXPECT_THROW(read(pointer, nullptr), BadInput) << pointer;
  const std::vector<std::pair<const char*, json>> wrong = {{"/extra", 1},
                                                           {"/update/extra", 1},
                                                           {"/precision", "f16"},
                                                           {"/summation", "ring"},
                                                           {"/update/efficiency", "0.5"},
                                                           {"/update/efficiency/value", 0},
                                                           {"/transfer/efficiency/value", -0.5},
                                                           {"/scaling/start_up_s/low", -1e-9},
                                                           {"/fitted_sizes", {500}},
                                                           {"/fitted_sizes", {1, 2, 3}},
                                                           {"/fitted_sizes", {5000, 500}},
                                                           {"/fitted_ranks", {0, 5}},
                                                           {"/fitted_ranks", 16}};
  for (const auto& [pointer, value] : wrong)
    EXPECT_THROW(read(pointer, value), BadInput) << pointer << " = " << value;
}

}  // namespace
}  // namespace bellwether
