// SPDX-License-Identifier: MIT
#include "run/command/predict/explanation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "models/machine/what_if.hpp"
#include "models/trace/trace.hpp"
#include "run/command/predict/prediction_text.hpp"

namespace bellwether {
namespace {

using nlohmann::json;

constexpr double least_share = 1e-3;  // of a number's change that the total follows
constexpr double least_shown = 1e-2;  // the same, for people

/// The first operations of a rank, what it computes and what it sends.
class Program final : public TraceSink {
 public:
  void compute(double seconds) override {
    if (seconds == 0) return;
    computed_s += seconds;
    add([=] { return json{{"do", "compute"}, {"seconds", seconds}}; });
  }
  void start_receive(int from, double bytes, int) override {
    add([=] { return json{{"do", "receive"}, {"from", from}, {"bytes", bytes}}; });
  }
  void start_send(int to, double bytes, int) override {
    sent_bytes += bytes;
    add([=] { return json{{"do", "send"}, {"to", to}, {"bytes", bytes}}; });
  }
  void wait_received(int from, int) override {
    add([=] { return json{{"do", "wait for a message"}, {"from", from}}; });
  }
  void wait_sent(int to, int) override {
    add([=] { return json{{"do", "wait for the message"}, {"to", to}}; });
  }
  void wait_all() override {
    add([] { return json{{"do", "wait for all messages"}}; });
  }
  void allreduce(double bytes) override {
    add([=] { return json{{"do", "sum over all ranks"}, {"bytes", bytes}}; });
  }

  [[nodiscard]] bool is_longer_than(const Program& other) const {
    return std::pair(computed_s, sent_bytes) > std::pair(other.computed_s, other.sent_bytes);
  }

  double computed_s = 0, sent_bytes = 0;
  json operations = json::array();
  long left_out = 0;

 private:
  /// A long factorization has millions.
  template <class Make>
  void add(const Make& make) {
    constexpr std::size_t most = 40;
    if (operations.size() < most)
      operations.push_back(make());
    else
      ++left_out;
  }
};

/// Of some ranks of all, spread over every direction of a decomposition, the one that computes
/// longest, and of equals sends most.
json program_of(const Trace& trace, double total_s) {
  constexpr int most_asked = 64;
  const int ranks = trace.ranks(), asked = std::min(ranks, most_asked);
  int stride = 1;
  if (asked < ranks)
    for (stride = static_cast<int>(0.618 * ranks); std::gcd(stride, ranks) > 1;) ++stride;
  std::optional<Program> longest;
  int rank = 0;
  for (int n = 0; n < asked; ++n) {
    const int one = static_cast<int>(1L * n * stride % ranks);
    Program program;
    trace.step(one, program);
    if (longest && !program.is_longer_than(*longest)) continue;
    longest = std::move(program);
    rank = one;
  }
  std::vector<std::string> notes = trace.notes();
  const double traced_s = trace.point().prediction.total_s;
  if (std::abs(traced_s - total_s) > 1e-3 * total_s)
    notes.push_back(
        fmt::format("these operations are those of a prediction of {}, not of the total above",
                    time_text(traced_s)));
  return {{"rank", rank},
          {"asked", asked},
          {"of", ranks},
          {"operations", std::move(longest->operations)},
          {"left_out", longest->left_out},
          {"notes", std::move(notes)}};
}

double square(double number) { return number * number; }

/// What twice a rate, or half a latency, makes of the total, with what describes the same thing:
/// {"key", "factor", "total"}, a ratio, where it is at least `least_shown`. The largest first.
json changes_of(const Machine& machine, const std::function<double(const Machine&)>& total_on) {
  std::vector<std::pair<std::string, double>> factors{{"device.memory_bandwidth_bytes_per_s", 2}};
  for (const auto& [precision, rate] : machine.device.peak_flops_per_s)
    factors.emplace_back("device.peak_flops_per_s." + precision, 2);
  for (const auto& [precision, rate] : machine.device.gemm_flops_per_s)
    factors.emplace_back("device.gemm_flops_per_s." + precision, 2);
  for (const auto& [name, link] : machine.links) {
    factors.emplace_back("links." + name + ".latency_s", 0.5);
    factors.emplace_back("links." + name + ".bandwidth_bytes_per_s", 2);
  }
  std::vector<json> changes;
  for (const auto& [key, factor] : factors) {
    Machine changed = machine;
    (void)change(changed, {key, factor, true});
    const double total = total_on(changed);
    if (std::abs(total - 1) >= least_shown)
      changes.push_back({{"key", key}, {"factor", factor}, {"total", total}});
  }
  std::stable_sort(changes.begin(), changes.end(),
                   [](const json& a, const json& b) { return a.at("total") < b.at("total"); });
  return changes;
}

json explanation(const App& app, const Machine& machine, const PredictionRequest& request) {
  const auto point_on = [&](const Machine& changed) {
    return app.predict(changed, request).front();
  };
  const ScalingPoint point = point_on(machine);
  const auto values_of = [&](const Machine& changed) {
    const ScalingPoint there = point_on(changed);
    const Prediction& now = there.prediction;
    const bool another_layout = there.layout != point.layout;
    std::vector<double> values{now.total_s};
    for (const Term& term : point.prediction.terms) {
      const auto same = std::find_if(now.terms.begin(), now.terms.end(),
                                     [&](const Term& one) { return one.name == term.name; });
      if (another_layout)
        values.push_back(term.seconds);
      else
        values.push_back(same == now.terms.end() ? 0 : same->seconds);
    }
    return values;
  };
  const double total_s = point.prediction.total_s;
  std::vector<Sensitivity> found = sensitivities(machine, values_of, least_share * total_s);
  std::erase_if(found, [&](const Sensitivity& one) {
    return std::abs(one.slopes.front()) < least_share * total_s;
  });
  std::stable_sort(found.begin(), found.end(), [](const Sensitivity& a, const Sensitivity& b) {
    return std::abs(a.slopes.front()) > std::abs(b.slopes.front());
  });
  double variance = 0;  // of the total's interval, were the numbers independent
  for (const Sensitivity& one : found) variance += square(one.slopes.front() * one.spread);
  json terms = json::object(), numbers = json::array();
  for (const Term& term : point.prediction.terms) terms[term.name] = term.seconds;
  for (const Sensitivity& one : found) {
    json of_terms = json::object();
    for (std::size_t n = 0; n < point.prediction.terms.size(); ++n)
      if (const Term& term = point.prediction.terms[n];
          term.seconds > 0 && std::abs(one.slopes[n + 1]) > least_share * term.seconds)
        of_terms[term.name] = one.slopes[n + 1] / term.seconds;
    numbers.push_back(
        {{"key", one.key},
         {"value", one.number},
         {"source", one.source},
         {"total", one.slopes.front() / total_s},
         {"interval_share",
          variance > 0 ? json(square(one.slopes.front() * one.spread) / variance) : json()},
         {"terms", std::move(of_terms)}});
  }
  return {{"ranks", point.ranks},
          {"overlap", overlap_text(point.overlap)},
          {"layout", point.layout},
          {"total_s", total_s},
          {"terms", std::move(terms)},
          {"numbers", std::move(numbers)},
          {"changes", changes_of(machine,
                                 [&](const Machine& changed) {
                                   return point_on(changed).prediction.total_s / total_s;
                                 })},
          {"program", program_of(*app.trace(machine, request), total_s)}};
}

std::string operation_text(const json& operation) {
  std::string text = operation.at("do");
  for (const char* direction : {"from", "to"})
    if (operation.contains(direction))
      text += fmt::format(" {} rank {}", direction, operation.at(direction).get<int>());
  if (operation.contains("bytes"))
    text += fmt::format(", {:.0f} B", operation.at("bytes").get<double>());
  if (operation.contains("seconds"))
    text += fmt::format(" {}", time_text(operation.at("seconds").get<double>()));
  return text;
}

std::string share_text(const json& share) {
  return share.is_null() ? "-" : fmt::format("{:.0f} %", 100 * share.get<double>());
}

/// What is not the whole file's source, in so many letters as a line has room for.
std::string source_text(const std::string& source, const Machine& machine) {
  constexpr std::size_t most = 60;
  if (source.empty() || source == machine.source) return {};
  if (source.size() <= most) return fmt::format("  ({})", source);
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(source[end]) & 0xC0U) == 0x80U) --end;  // UTF-8
  return fmt::format("  ({}...)", source.substr(0, end));
}

}  // namespace

json explanations(const App& app, const Machine& machine, const PredictionRequest& request) {
  json all = json::array();
  for (const bool overlap : request.overlap)
    all.push_back(explanation(
        app, machine, request_of_trace(request.ranks.front(), overlap, request.ranks_per_node)));
  return all;
}

std::string explanation_text(const json& explanations, const Machine& machine, const char* step) {
  std::string text;
  for (const json& one : explanations) {
    const int ranks = one.at("ranks");
    text += fmt::format("\n{} rank{} ({}), overlap {}: {}, refined\n", ranks, ranks == 1 ? "" : "s",
                        one.at("layout").get<std::string>(), one.at("overlap").get<std::string>(),
                        time_text(one.at("total_s")));
    for (const auto& term : one.at("terms").items())
      text += fmt::format("  {:18} {:>10}\n", term.key(), time_text(term.value()));
    text += fmt::format(
        "change of the total in % for 1 % more of one number of the machine file{}; the number's "
        "share of the interval's variance:\n",
        machine.date.empty() ? "" : " of " + machine.date);
    long smaller = 0;
    for (const json& number : one.at("numbers")) {
      const double moves = number.at("total");
      if (std::abs(moves) < least_shown) {
        ++smaller;
        continue;
      }
      text +=
          fmt::format("  {:+6.3f} {:>5}  {} = {:.4g}{}\n", moves,
                      share_text(number.at("interval_share")), number.at("key").get<std::string>(),
                      number.at("value").get<double>(), source_text(number.at("source"), machine));
    }
    if (smaller > 0) text += fmt::format("  less than {:g}: {} more\n", least_shown, smaller);
    if (one.at("numbers").empty()) text += "  none moves it\n";
    if (!one.at("changes").empty())
      text += "change of the total with twice the rate or half the latency:\n";
    for (const json& changed : one.at("changes"))
      text +=
          fmt::format("  {:+6.1f} %  {} = {:g}x\n", 100 * (changed.at("total").get<double>() - 1),
                      changed.at("key").get<std::string>(), changed.at("factor").get<double>());
    const json& program = one.at("program");
    text += fmt::format("{} of rank {}, which computes longest of {}{}:\n", step,
                        program.at("rank").get<int>(), program.at("asked").get<int>(),
                        program.at("asked") == program.at("of") ? "" : " that were looked at");
    for (const json& operation : program.at("operations"))
      text += fmt::format("  {}\n", operation_text(operation));
    if (const long more = program.at("left_out"); more > 0)
      text += fmt::format("  ... ({} more)\n", more);
    for (const json& note : program.at("notes"))
      text += fmt::format("  note: {}\n", note.get<std::string>());
  }
  return text;
}

}  // namespace bellwether
