// SPDX-License-Identifier: MIT
#include "models/network/collectives.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

#include "models/fit/nonnegative_fit.hpp"
#include "models/machine/json_type.hpp"
#include "models/network/paths.hpp"

namespace bellwether {
namespace {

std::vector<FitRow> rows_of(const std::string& form, const std::vector<CollectiveSample>& samples,
                            double from, double to, int ranks_per_node) {
  std::vector<FitRow> rows;
  for (const CollectiveSample& one : samples) {
    if (one.bytes < from || one.bytes >= to) continue;
    const CollectiveCounts counts = collective_counts(form, one.ranks, ranks_per_node);
    rows.push_back({{counts.rounds, counts.bytes * one.bytes, counts.node_rounds,
                     counts.node_bytes * one.bytes},
                    one.seconds});
  }
  return rows;
}

/// Of the factors, those that some row has; a segment of them and the sum of squared residuals.
struct Fitted {
  CollectiveSegment segment;
  double squares = 0, largest_residual = 0;
  int coefficients = 0;
};

std::optional<Fitted> fit_segment(const std::vector<FitRow>& rows, double from,
                                  const std::string& form) {
  constexpr int factors = 4;
  std::array<int, factors> place{};
  int used = 0;
  for (int factor = 0; factor < factors; ++factor) {
    const bool any = std::any_of(rows.begin(), rows.end(),
                                 [factor](const FitRow& row) { return row.factors[factor] > 0; });
    place[factor] = any ? used++ : -1;
  }
  if (static_cast<int>(rows.size()) <= used || used == 0) return {};
  std::vector<FitRow> packed;
  for (const FitRow& row : rows) {
    FitRow& to = packed.emplace_back(FitRow{{}, row.seconds});
    for (int factor = 0; factor < factors; ++factor)
      if (place[factor] >= 0) to.factors[place[factor]] = row.factors[factor];
  }
  const std::optional<NonnegativeFit> fit = solve_nonnegative(packed, used);
  if (!fit) return {};
  Fitted fitted;
  fitted.coefficients = used;
  fitted.largest_residual = fit->largest_residual;
  fitted.squares = fit->rms_residual * fit->rms_residual *
                   static_cast<double>(static_cast<int>(rows.size()) - used);
  CollectiveSegment& segment = fitted.segment;
  segment.from_bytes = from;
  segment.form = form;
  const auto coefficient = [&](int factor) {
    return place[factor] < 0 ? Quantity::exact(0) : fit->coefficients[place[factor]];
  };
  segment.round_s = coefficient(0);
  segment.byte_s = coefficient(1);
  if (place[2] >= 0) {
    segment.node_round_s = coefficient(2);
    segment.node_byte_s = coefficient(3);
  }
  return fitted;
}

}  // namespace

CollectiveCounts collective_counts(const std::string& form, int ranks, int ranks_per_node) {
  const RankPlacement placement{ranks_per_node};
  const int nodes = placement.nodes(ranks);
  CollectiveCounts counts;
  if (ranks < 2) return counts;
  if (form == "tree") {
    counts.rounds = counts.bytes = tree_stages(placement.on_node(ranks));
    counts.node_rounds = counts.node_bytes = tree_stages(nodes);
    return counts;
  }
  (nodes > 1 ? counts.node_rounds : counts.rounds) = 2. * (ranks - 1);
  (nodes > 1 ? counts.node_bytes : counts.bytes) = 2 * (ranks - 1.) / ranks;
  return counts;
}

std::optional<CollectiveFit> fit_collective(std::vector<CollectiveSample> samples,
                                            int ranks_per_node) {
  constexpr std::size_t fewest_sizes = 4;
  constexpr double noise = 0.02;   // residuals below count as such
  constexpr double better = 1e-6;  // than what counts as alike
  std::sort(samples.begin(), samples.end(), [](const auto& one, const auto& other) {
    return std::pair(one.bytes, one.ranks) < std::pair(other.bytes, other.ranks);
  });
  std::set<double> distinct;
  for (const CollectiveSample& one : samples) distinct.insert(one.bytes);
  const std::vector<double> sizes(distinct.begin(), distinct.end());
  constexpr double end = std::numeric_limits<double>::infinity();
  const auto count = static_cast<double>(samples.size());
  std::optional<CollectiveFit> best;
  double least = end;
  const auto consider = [&](const std::vector<std::optional<Fitted>>& parts) {
    CollectiveFit fit;
    double squares = 0, parameters = static_cast<double>(parts.size()) - 1;
    for (const std::optional<Fitted>& part : parts) {
      if (!part) return;
      squares += part->squares;
      parameters += part->coefficients;
      fit.largest_residual = std::max(fit.largest_residual, part->largest_residual);
      fit.segments.push_back(part->segment);
    }
    const double criterion =
        count * std::log(squares / count + noise * noise) + parameters * std::log(count);
    if (criterion >= least - better) return;
    least = criterion;
    best = std::move(fit);
  };
  const auto part = [&](const std::string& form, double from, double to) {
    return fit_segment(rows_of(form, samples, from, to, ranks_per_node), from, form);
  };
  consider({part("tree", 0, end)});
  for (std::size_t cut = fewest_sizes; cut + fewest_sizes <= sizes.size(); ++cut)
    for (const char* form : {"tree", "ring"})
      consider({part("tree", 0, sizes[cut]), part(form, sizes[cut], end)});
  for (const CollectiveSample& one : samples)
    if (best) best->most_ranks = std::max(best->most_ranks, one.ranks);
  return best;
}

double collective_time(const CollectiveFit& fit, int ranks, int ranks_per_node, double bytes,
                       Bound bound, double node_message_s) {
  const CollectiveSegment* segment = &fit.segments.front();
  for (const CollectiveSegment& one : fit.segments)
    if (one.from_bytes <= bytes) segment = &one;
  const CollectiveCounts counts = collective_counts(segment->form, ranks, ranks_per_node);
  double seconds = counts.rounds * cost_at(segment->round_s, bound) +
                   counts.bytes * bytes * cost_at(segment->byte_s, bound);
  if (segment->node_round_s)
    seconds += counts.node_rounds * cost_at(*segment->node_round_s, bound) +
               counts.node_bytes * bytes * cost_at(*segment->node_byte_s, bound);
  else
    seconds += counts.node_rounds * node_message_s;
  return seconds;
}

JsonType<CollectiveParameters> collective_parameters_type() {
  using Segment = CollectiveSegment;
  using Fit = CollectiveFit;
  using Parameters = CollectiveParameters;
  const JsonType<Quantity> cost = json_quantity(Range::nonnegative);
  const JsonType<Segment> segment = json_object<Segment>(
      {required("from_bytes", &Segment::from_bytes, json_number()),
       required("form", &Segment::form, json_word({"tree", "ring"})),
       required("round_s", &Segment::round_s, cost), required("byte_s", &Segment::byte_s, cost),
       optional("node_round_s", &Segment::node_round_s, cost),
       optional("node_byte_s", &Segment::node_byte_s, cost)});
  const JsonType<std::vector<Segment>> segments = checked_list<Segment>(
      json_ascending("from_bytes", &Segment::from_bytes, "sizes", segment, 1),
      [](const JsonNode& item, const std::vector<Segment>& all, std::size_t index) {
        if (index == 0 && all[0].from_bytes != 0)
          item.child("from_bytes").refuse("0, the first one's");
        if (all[index].node_round_s.has_value() != all[index].node_byte_s.has_value())
          item.refuse("both node_round_s and node_byte_s, or neither");
      });
  // Earlier versions kept the samples.
  JsonField<Fit> samples = retired<Fit>("samples");
  samples.read = [](JsonObject& object, Fit& read) {
    if (const auto node = object.optional("samples"))
      for (const JsonNode& one : node->items())
        read.most_ranks =
            std::max(read.most_ranks, json_count(2).read(JsonObject(one).required("ranks")));
  };
  const JsonType<Fit> fit =
      named("collective_fit", "Rounds and bytes of a tree or a ring, by the message's size.",
            json_object<Fit>({required("segments", &Fit::segments, segments),
                              required("largest_residual", &Fit::largest_residual, json_number()),
                              optional("most_ranks", &Fit::most_ranks, json_count(2)), samples},
                             [](const JsonNode& node, const Fit& read) {
                               if (read.most_ranks < 2) node.refuse("the key \"most_ranks\"");
                             }));
  return named(
      "collectives",
      "Collectives of the calibration's ranks, ranks_per_node of them on a node: what a "
      "round costs, and a byte in it, within a node and between nodes.",
      json_object<Parameters>(
          {optional("source", &Parameters::source, json_text()),
           required("ranks_per_node", &Parameters::ranks_per_node, json_count(1)),
           optional("allreduce", &Parameters::allreduce, fit), retired<Parameters>("broadcast")}));
}

}  // namespace bellwether
