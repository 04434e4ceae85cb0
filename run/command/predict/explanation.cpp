// SPDX-License-Identifier: MIT
#include "run/command/predict/explanation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "models/errors.hpp"
#include "models/machine/what_if.hpp"
#include "models/trace/trace.hpp"
#include "run/command/predict/prediction_text.hpp"

namespace bellwether {
namespace {

using nlohmann::json;

constexpr double least_share = 1e-3;  // of a number's change that the total follows
constexpr double least_shown = 1e-2;  // the same, for people

/// The first operations of a rank, and what it computes.
class Program final : public TraceSink {
 public:
  void compute(double seconds) override {
    computed_s += seconds;
    add({{"do", "compute"}, {"seconds", seconds}});
  }
  void start_receive(int from, double bytes, int) override { add("receive", "from", from, bytes); }
  void start_send(int to, double bytes, int) override { add("send", "to", to, bytes); }
  void wait_received(int from, int) override {
    add({{"do", "wait for what comes"}, {"from", from}});
  }
  void wait_sent(int to, int) override { add({{"do", "wait for what goes"}, {"to", to}}); }
  void wait_all() override { add({{"do", "wait for all"}}); }
  void receive(int from, double bytes, int) override {
    add("receive, and wait", "from", from, bytes);
  }
  void send(int to, double bytes, int) override { add("send, and wait", "to", to, bytes); }
  void allreduce(double bytes) override { add({{"do", "sum over all ranks"}, {"bytes", bytes}}); }

  double computed_s = 0;
  json operations = json::array();
  long left_out = 0;

 private:
  void add(const char* what, const char* direction, int peer, double bytes) {
    add({{"do", what}, {direction, peer}, {"bytes", bytes}});
  }
  void add(json operation) {
    constexpr std::size_t most = 40;
    if (operations.size() < most)
      operations.push_back(std::move(operation));
    else
      ++left_out;
  }
};

/// Of some ranks of all, the one that computes longest.
json program_of(const Trace& trace) {
  constexpr int most_asked = 64;
  const int asked = std::min(trace.ranks(), most_asked);
  std::optional<Program> longest;
  int rank = 0;
  for (int n = 0; n < asked; ++n) {
    const int one = static_cast<int>(1L * n * trace.ranks() / asked);
    Program program;
    trace.step(one, program);
    if (longest && program.computed_s <= longest->computed_s) continue;
    longest = std::move(program);
    rank = one;
  }
  return {{"rank", rank},
          {"operations", std::move(longest->operations)},
          {"left_out", longest->left_out}};
}

json explanation(const App& app, const Machine& machine, const PredictionRequest& request) {
  const auto point_on = [&](const Machine& changed) {
    return app.predict(changed, request).front();
  };
  const ScalingPoint point = point_on(machine);
  const auto values_of = [&](const Machine& changed) {
    const Prediction now = point_on(changed).prediction;
    std::vector<double> values{now.total_s};
    for (const Term& term : point.prediction.terms) {
      const auto same = std::find_if(now.terms.begin(), now.terms.end(),
                                     [&](const Term& one) { return one.name == term.name; });
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
  json terms = json::object(), numbers = json::array();
  for (const Term& term : point.prediction.terms) terms[term.name] = term.seconds;
  for (const Sensitivity& one : found) {
    json of_terms = json::object();
    for (std::size_t n = 0; n < point.prediction.terms.size(); ++n)
      if (const Term& term = point.prediction.terms[n];
          std::abs(one.slopes[n + 1]) > least_share * term.seconds)
        of_terms[term.name] = one.slopes[n + 1] / term.seconds;
    numbers.push_back({{"key", one.key},
                       {"value", one.number},
                       {"source", one.source},
                       {"total", one.slopes.front() / total_s},
                       {"terms", std::move(of_terms)}});
  }
  return {{"ranks", point.ranks},
          {"overlap", overlap_text(point.overlap)},
          {"layout", point.layout},
          {"total_s", total_s},
          {"terms", std::move(terms)},
          {"numbers", std::move(numbers)},
          {"program", program_of(*app.trace(machine, request))}};
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
  if (request.ranks.size() != 1)
    throw BadInput(fmt::format("--explain: found {} rank counts of --ranks, expected one",
                               request.ranks.size()));
  json all = json::array();
  for (const bool overlap : request.overlap)
    all.push_back(explanation(
        app, machine, request_of_trace(request.ranks.front(), overlap, request.ranks_per_node)));
  return all;
}

std::string explanation_text(const json& explanations, const Machine& machine) {
  std::string text;
  for (const json& one : explanations) {
    text += fmt::format("\n{} ranks ({}), overlap {}: {}, refined\n", one.at("ranks").get<int>(),
                        one.at("layout").get<std::string>(), one.at("overlap").get<std::string>(),
                        time_text(one.at("total_s")));
    for (const auto& term : one.at("terms").items())
      text += fmt::format("  {:18} {:>10}\n", term.key(), time_text(term.value()));
    text += fmt::format(
        "numbers of the machine file ({}), and by how much % 1 % more of each moves the total:\n",
        machine.date.empty() ? "no date" : machine.date);
    long smaller = 0;
    for (const json& number : one.at("numbers")) {
      const double moves = number.at("total");
      if (std::abs(moves) < least_shown && ++smaller > 0) continue;
      text +=
          fmt::format("  {:+6.3f}  {} = {:.4g}{}\n", moves, number.at("key").get<std::string>(),
                      number.at("value").get<double>(), source_text(number.at("source"), machine));
    }
    if (smaller > 0)
      text += fmt::format("  and {} more that move it by less than {:g}\n", smaller, least_shown);
    const json& program = one.at("program");
    text +=
        fmt::format("a step of rank {}, which computes longest:\n", program.at("rank").get<int>());
    for (const json& operation : program.at("operations"))
      text += fmt::format("  {}\n", operation_text(operation));
    if (const long more = program.at("left_out"); more > 0)
      text += fmt::format("  and {} operations more\n", more);
  }
  return text;
}

}  // namespace bellwether
