// SPDX-License-Identifier: MIT
#include "miniapps/driver/injected_noise.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "models/errors.hpp"
#include "models/noise/noise_delay.hpp"
#include "models/text_lines.hpp"

namespace bellwether {
namespace {

constexpr std::uint64_t seed = 20101113;

template <class T>
bool read(const std::string& word, T& value) {
  const auto number = parse_number<T>(word);
  value = number.value_or(value);
  return number.has_value();
}

}  // namespace

NoiseLaw read_noise_law(const std::string& option, const std::string& text) {
  const std::vector<std::string> words = split(text, ':');
  NoiseLaw law;
  const bool right = (words.size() == 3 || words.size() == 4) &&
                     (words[0] == "exponential" || words[0] == "constant") &&
                     read(words[1], law.per_s) && read(words[2], law.mean_s) &&
                     std::isfinite(law.per_s) && std::isfinite(law.mean_s) && law.per_s >= 0 &&
                     law.mean_s > 0 &&
                     (words.size() == 3 || (read(words[3], law.rank) && law.rank >= 0));
  if (!right)
    throw BadInput(
        fmt::format("{}: found '{}', expected exponential or constant, detours a second, "
                    "seconds of one, and a rank if not all have them: "
                    "exponential:100:1e-3 or constant:100:1e-3:0",
                    option, text));
  law.kind = words[0];
  return law;
}

NoiseParameters noise_of(const NoiseLaw& law) {
  constexpr double grain = 1e-6;
  NoiseParameters noise;
  noise.detours_per_s = Quantity::exact(law.per_s);
  if (law.kind == "exponential") {
    noise.lengths = {{0, law.mean_s * grain}};
    noise.tail = DetourTail{Quantity::exact(law.mean_s), Quantity::exact(0)};
  } else {
    noise.lengths = {{0, law.mean_s * (1 - grain)}, {1, law.mean_s * (1 + grain)}};
  }
  return noise;
}

InjectedNoise::InjectedNoise(const NoiseLaw& law, int rank)
    : has_any_(law.per_s > 0 && (law.rank < 0 || law.rank == rank)),
      law_(law),
      random_(seed + static_cast<std::uint64_t>(rank)) {}

void InjectedNoise::spin(double work_s) {
  using Clock = std::chrono::steady_clock;
  if (!has_any_ || !(work_s > 0)) return;
  double seconds = 0;
  for (int left = std::poisson_distribution<int>(law_.per_s * work_s)(random_); left > 0; --left)
    seconds += law_.kind == "exponential"
                   ? std::exponential_distribution<double>(1 / law_.mean_s)(random_)
                   : law_.mean_s;
  const auto begin = Clock::now();
  while (std::chrono::duration<double>(Clock::now() - begin).count() < seconds) {
  }
}

nlohmann::json describe_noise(const NoiseLaw& law, int ranks, double work_s) {
  const NoiseDelay delay(noise_of(law), work_s, Bound::value);
  const bool all = law.rank < 0;
  const double own_s = all ? delay.mean() : delay.mean() / ranks;
  return {{"law", law.kind},
          {"detours_per_s", law.per_s},
          {"mean_s", law.mean_s},
          {"rank", all ? nlohmann::json("all") : nlohmann::json(law.rank)},
          {"work_s", work_s},
          {"expected_own_s", own_s},
          {"expected_largest_s", delay.expected_maximum(all ? ranks : 1)},
          {"expected_wait_s", delay.expected_maximum(all ? ranks : 1) - own_s}};
}

std::string noise_line_of(const nlohmann::json& described) {
  const nlohmann::json& rank = described.at("rank");
  return fmt::format(
      "noise injected, {} {:g} times a second for {:g} us on {}: in a step of {:.3f} ms a rank's "
      "own {:.3f} ms, and {:.3f} ms waiting for the latest where they wait once, by its law\n",
      described.at("law").get<std::string>(), described.at("detours_per_s").get<double>(),
      described.at("mean_s").get<double>() * 1e6,
      rank.is_string() ? "all ranks" : fmt::format("rank {}", rank.get<int>()),
      described.at("work_s").get<double>() * 1e3,
      described.at("expected_own_s").get<double>() * 1e3,
      described.at("expected_wait_s").get<double>() * 1e3);
}

}  // namespace bellwether
