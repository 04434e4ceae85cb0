// SPDX-License-Identifier: MIT
// Mutations that keep a document JSON, so that the reader's checks behind the parser are reached.
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t longest);

namespace {

using nlohmann::json;

void collect(json& value, std::vector<json*>& places) {
  places.push_back(&value);
  if (value.is_structured())
    for (json& child : value) collect(child, places);
}

std::size_t below(std::mt19937& random, std::size_t count) { return random() % count; }

json interesting(std::mt19937& random) {
  static const std::vector<json> values = {nullptr,
                                           true,
                                           -1,
                                           0,
                                           0.0,
                                           1,
                                           1.5,
                                           -0.0,
                                           1e-300,
                                           1e300,
                                           2147483647,
                                           2147483648u,
                                           1e18,
                                           "f32",
                                           "",
                                           "cpu",
                                           "gpu",
                                           "a",
                                           "assumed: no reason",
                                           json::array(),
                                           json::object(),
                                           {1, 2},
                                           {{"value", 1}},
                                           {{"value", 1}, {"low", 2}},
                                           {{"value", -1}},
                                           {{"value", 1e308}}};
  return values[below(random, values.size())];
}

/// Changes one place of the document, or one key or element below it.
void change(json& document, std::mt19937& random) {
  std::vector<json*> places;
  collect(document, places);
  json& place = *places[below(random, places.size())];
  const std::size_t choice = below(random, 5);
  if (choice == 0) {
    place = json(*places[below(random, places.size())]);
  } else if (choice == 1 && place.is_structured() && !place.empty()) {
    auto child = place.begin();
    std::advance(child, static_cast<std::ptrdiff_t>(below(random, place.size())));
    place.erase(child);
  } else if (choice == 2 && place.is_array() && !place.empty()) {
    place.push_back(json(place[below(random, place.size())]));
  } else if (choice == 3 && place.is_number()) {
    place = place.get<double>() * (below(random, 2) == 0 ? -1 : 1e3);
  } else {
    place = interesting(random);
  }
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t longest, unsigned int seed) {
  std::mt19937 random(seed);
  json document = json::parse(data, data + size, nullptr, false);
  if (document.is_discarded() || below(random, 4) == 0)
    return LLVMFuzzerMutate(data, size, longest);
  for (std::size_t left = 1 + below(random, 3); left > 0; --left) change(document, random);
  const std::string text = document.dump(-1, ' ', false, json::error_handler_t::replace);
  if (text.size() > longest) return LLVMFuzzerMutate(data, size, longest);
  std::copy(text.begin(), text.end(), data);
  return text.size();
}
