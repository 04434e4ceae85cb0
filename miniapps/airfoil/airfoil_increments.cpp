// SPDX-License-Identifier: MIT
#include "miniapps/airfoil/airfoil_increments.hpp"

#include <fmt/format.h>

#include <utility>

#include "models/errors.hpp"

namespace bellwether {
namespace {

constexpr std::pair<Increments, const char*> names[] = {{Increments::plain, "plain"},
                                                        {Increments::colours, "colours"},
                                                        {Increments::atomics, "atomics"},
                                                        {Increments::gather, "gather"}};

}  // namespace

const char* name_of(Increments increments) { return names[static_cast<int>(increments)].second; }

Increments default_increments(const Device& device, bool fused) {
  constexpr int wide = 64;  // bytes; narrower ones take longer for a gather's arithmetic
  if (fused && (!device.is_host() || device.register_bytes() >= wide)) return Increments::gather;
  if (!device.is_host()) return Increments::atomics;
  return device.is_sequential() ? Increments::plain : Increments::colours;
}

Increments increments_for(const std::string& asked, const Device& device, bool fused) {
  Increments increments = default_increments(device, fused);
  for (const auto& [value, name] : names)
    if (asked == name) increments = value;
  const auto refuse = [&](const char* why, const char* expected) {
    throw BadInput(
        fmt::format("--increments: found {}, but {}: expected {}", asked, why, expected));
  };
  const std::string where = device.description();
  if (increments == Increments::plain && !device.is_sequential())
    refuse(fmt::format("{} has several threads", where).c_str(), "gather, colours or atomics");
  if (increments == Increments::atomics && device.is_sequential())
    refuse(fmt::format("one thread of {} runs the edges in their order", where).c_str(),
           "plain, gather or colours");
  return increments;
}

AirfoilSequence sequence_of(bool fused, Increments increments) {
  if (increments == Increments::gather) return AirfoilSequence::gather;
  if (!fused) return AirfoilSequence::five;
  return increments == Increments::plain ? AirfoilSequence::tiled : AirfoilSequence::fused;
}

}  // namespace bellwether
