// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "models/median.hpp"
#include "results/acceptance/group.hpp"
#include "results/fleet/fleet.hpp"
#include "results/fleet/link_shares.hpp"

namespace bellwether {
namespace {

/// Where a twentieth of the occasions is disturbed, of 10,000 nodes 0.003 are on each of five.
constexpr std::size_t fewest_occasions = 5;
constexpr std::array link_quantities{"link latency", "link bandwidth"};

/// Members with as many occasions as the one with fewest.
struct Series {
  std::vector<std::string> names;
  std::vector<std::vector<double>> log_s;

  void add(const std::string& name, std::vector<double> values) {
    names.push_back(name);
    log_s.push_back(std::move(values));
  }
  [[nodiscard]] SiblingGroup group(const std::string& what, const std::string& are,
                                   const std::string& members) const {
    std::size_t occasions = log_s.empty() ? 0 : log_s.front().size();
    for (const auto& own : log_s) occasions = std::min(occasions, own.size());
    SiblingGroup group{what, are, members, names, Occasions(occasions), {}};
    for (const auto& own : log_s)
      for (std::size_t at = 0; at < occasions; ++at) group.log_s[at].push_back(own[at]);
    group.by_near_end = true;
    return group;
  }
};

class FleetJudge {
 public:
  FleetJudge(const FleetPlan& plan, const std::vector<FleetResult>& results, const Rules& rules,
             const std::map<std::string, std::string>& leaves)
      : plan_(plan), results_(results), rules_(rules) {
    for (const std::string& name : plan.nodes) {
      const auto leaf = leaves.find(name);
      number_of_[name] = verdict_.nodes.size();
      verdict_.nodes.push_back({name, leaf == leaves.end() ? "" : leaf->second, "alike", {}});
    }
    verdict_.suite = rules.suite;
    verdict_.false_alarm_rate = rules.false_alarm_rate;
    verdict_.layout.nodes = static_cast<int>(plan.nodes.size());
    verdict_.layout.ranks = 1;  // at least: jobs have ranks of their own
  }

  Acceptance judge() {
    set_setup();
    for (std::size_t job = 0; job < plan_.jobs.size(); ++job)
      if (plan_.jobs[job].nodes.size() == 1) look_at_node(job);
    std::set<std::string> quantities;
    for (const std::size_t job : alone_)
      for (const auto& [what, values] : results_[job].log_s) quantities.insert(what);
    look_at_links();
    // Each of the links' quantities is judged three times: leaf switches, nodes, links.
    // Disturbances make tails longer than a normal distribution's: a quarter of the rate, by
    // simulation.
    alpha_ = rules_.false_alarm_rate / 4 /
             static_cast<double>(quantities.size() + (links_[1].empty() ? 0 : 6));
    for (const std::string& what : quantities) judge_nodes(what);
    // Hardly a link has a bandwidth and no latency.
    if (!links_[1].empty()) spread_of_rest_ = spread_of_rest(links_[1], verdict_.nodes.size());
    for (const std::size_t message : {0, 1}) judge_links(message);
    finish();
    return std::move(verdict_);
  }

 private:
  /// What most nodes alone have in common.
  void set_setup() {
    std::map<std::string, int> counts;
    for (std::size_t job = 0; job < plan_.jobs.size(); ++job)
      if (results_[job].state == "done") ++counts[results_[job].setup];
    int most = 0;
    for (const auto& [setup, count] : counts)
      if (count > most) {
        most = count;
        setup_ = setup;
        verdict_.layout.device = setup;
      }
  }

  /// As it came back, or no result where it was measured in another way than most.
  [[nodiscard]] FleetResult result_of(std::size_t job) const {
    FleetResult result = results_[job];
    if (result.state == "done" && result.setup != setup_) {
      result.state = "no result";
      result.why = fmt::format("not comparable: {}, where most have {}", result.setup, setup_);
    }
    return result;
  }

  void say(const std::string& subject, const char* what, Verdict verdict,
           const std::string& sentence) {
    verdict_.findings.push_back({.kind = "complete",
                                 .subject = subject,
                                 .quantity = what,
                                 .verdict = verdict,
                                 .sentence = fmt::format("{}: {}", subject, sentence)});
  }

  void add_wrong(const std::string& subject, const FleetResult& result) {
    for (Finding finding : result.wrong) {
      finding.sentence = fmt::format("{}: {}", subject, finding.sentence);
      finding.subject = subject;
      verdict_.findings.push_back(std::move(finding));
    }
  }

  void look_at_node(std::size_t job) {
    const std::string& name = plan_.jobs[job].nodes[0];
    FleetNode& node = verdict_.nodes[number_of_.at(name)];
    const FleetResult result = result_of(job);
    add_wrong(name, result);
    if (result.state == "done") {
      alone_.push_back(job);
      done_.insert(name);
      if (!result.wrong.empty()) node.state = "wrong result", node.verdict = Verdict::wrong;
      return;
    }
    node.state = result.state;
    node.verdict = result.state == "hangs" ? Verdict::fail : Verdict::missing;
    say(name, "alone", node.verdict, fmt::format("{}: {}", result.state, result.why));
  }

  void look_at_links() {
    std::map<std::string, int> tried;
    std::vector<std::size_t> hung, waiting;
    for (std::size_t job = 0; job < plan_.jobs.size(); ++job) {
      const FleetJob& pair = plan_.jobs[job];
      if (pair.nodes.size() != 2) continue;
      // A node without a result of its own explains all of its pairs.
      if (!done_.contains(pair.nodes[0]) || !done_.contains(pair.nodes[1])) {
        ++verdict_.links["node has no result"];
        continue;
      }
      const FleetResult result = result_of(job);
      const std::string name = fmt::format("link {} - {}", pair.nodes[0], pair.nodes[1]);
      add_wrong(name, result);
      if (result.state == "never started" || result.state == "still running") {
        waiting.push_back(job);
        ++verdict_.links[result.state];
        continue;
      }
      for (const std::string& node : pair.nodes) ++tried[node];
      if (result.state == "hangs") hung.push_back(job);
      if (result.state != "done") ++verdict_.links[result.state];
      if (result.state == "no result") say(name, "pair", Verdict::missing, result.why);
      for (const std::size_t message : {0, 1})
        if (const auto found = result.log_s.find(link_quantities.at(message));
            result.state == "done" && found != result.log_s.end())
          links_.at(message).push_back(
              {{number_of_.at(pair.nodes[0]), number_of_.at(pair.nodes[1])},
               name,
               found->second,
               0});
    }
    if (!waiting.empty()) {
      const FleetJob& first = plan_.jobs[waiting.front()];
      say(fmt::format("{} links", waiting.size()), "pair", Verdict::missing,
          fmt::format("without a result yet: {} - {}{}; submit.sh tries them again", first.nodes[0],
                      first.nodes[1], waiting.size() > 1 ? ", …" : ""));
    }
    name_hung(std::move(hung), tried);
  }

  /// A node of several pairs of which most hang explains them, the one with most first.
  void name_hung(std::vector<std::size_t> hung, const std::map<std::string, int>& tried) {
    for (;;) {
      std::map<std::string, int> times;
      for (const std::size_t job : hung)
        for (const std::string& name : plan_.jobs[job].nodes) ++times[name];
      const auto most = std::max_element(
          times.begin(), times.end(),
          [](const auto& one, const auto& other) { return one.second < other.second; });
      if (most == times.end() || most->second < 2 || 2 * most->second <= tried.at(most->first))
        break;
      FleetNode& node = verdict_.nodes[number_of_.at(most->first)];
      node.state = "hangs";
      node.verdict = Verdict::fail;
      say(node.name, "pair", Verdict::fail,
          fmt::format("hangs in {} of its {} pairs, and not alone", most->second,
                      tried.at(node.name)));
      std::erase_if(hung, [&](std::size_t job) {
        const std::vector<std::string>& ends = plan_.jobs[job].nodes;
        return ends[0] == node.name || ends[1] == node.name;
      });
    }
    for (const std::size_t job : hung) {
      const std::vector<std::string>& nodes = plan_.jobs[job].nodes;
      say(fmt::format("link {} - {}", nodes[0], nodes[1]), "pair", Verdict::fail,
          "hangs: " + results_[job].why);
    }
  }

  void judge_nodes(const std::string& what) {
    Series series;
    for (const std::size_t job : alone_)
      if (const auto own = results_[job].log_s.find(what); own != results_[job].log_s.end())
        series.add(plan_.jobs[job].nodes[0], own->second);
    if (series.names.size() < 2) return;
    const SiblingGroup group = series.group(what, what + " is", "nodes");
    if (group.log_s.size() >= fewest_occasions) {
      hold(group);
      return;
    }
    verdict_.findings.push_back(
        not_held(fmt::format("{} nodes", series.names.size()), what,
                 fmt::format("a passing disturbance may be on all of {} occasions, not of {}",
                             group.log_s.size(), fewest_occasions)));
  }

  /// Judges, and returns the names of those that are slow.
  std::set<std::string> hold(const SiblingGroup& group) {
    std::set<std::string> named;
    for (Finding& finding : judge_group(group, rules_.material, alpha_)) {
      if (finding.verdict > Verdict::not_judged) named.insert(finding.subject);
      const auto known =
          finding.verdict > Verdict::not_judged ? slow_.find(finding.subject) : slow_.end();
      if (known == slow_.end()) {
        if (finding.verdict > Verdict::not_judged)
          slow_[finding.subject] = verdict_.findings.size();
        verdict_.findings.push_back(std::move(finding));
        continue;
      }
      // One finding a node or link: the largest, and what else is slow.
      Finding& held = verdict_.findings[known->second];
      if (finding.size() > held.size()) std::swap(finding, held);
      also_[held.subject].insert(finding.quantity);
    }
    return named;
  }

  void judge_links(std::size_t message) {
    std::vector<MeasuredLink>& links = links_.at(message);
    if (links.empty()) return;
    const char* const what = link_quantities.at(message);
    const std::string are =
        message == 0 ? "links' speed for small messages is" : "links' bandwidth is";
    subtract_distance(links, [&](std::size_t node) { return verdict_.nodes[node].leaf; });
    const LinksOfNodes of_node = links_of_nodes(links, verdict_.nodes.size());
    const std::vector<double> share = shares(of_node);
    Series nodes;
    std::map<std::string, std::vector<std::size_t>> of_leaf;  // places in `nodes`
    for (std::size_t node = 0; node < of_node.size(); ++node) {
      if (of_node[node].size() < fewest_pairs) continue;
      of_leaf[verdict_.nodes[node].leaf].push_back(nodes.names.size());
      nodes.add(verdict_.nodes[node].name, without_others(of_node[node], node, share));
    }
    of_leaf.erase("");
    const std::set<std::string> named_leaves = hold_leaves(of_leaf, nodes, what, are);
    std::set<std::string> named;
    if (nodes.names.size() > 2) named = hold(nodes.group(what, are, "nodes"));
    Series rest;
    for (const MeasuredLink& link : links) {
      const auto [a, b] = link.nodes;
      if (named.contains(verdict_.nodes[a].name) || named.contains(verdict_.nodes[b].name))
        continue;
      std::vector<double> values = link.log_s;
      const double explained = explained_by_nodes(of_node, link, share);
      for (double& value : values) value -= explained;
      rest.add(link.name, std::move(values));
    }
    if (rest.names.size() < 3) return;
    SiblingGroup group =
        rest.group(what, message == 0 ? "speed for small messages is" : "bandwidth is", "links");
    group.spread = spread_of_rest_;
    hold(group);
  }

  /// Leaf switches of three nodes and more; the nodes of those that are named are then held against
  /// one another.
  std::set<std::string> hold_leaves(const std::map<std::string, std::vector<std::size_t>>& of_leaf,
                                    Series& nodes, const char* what, const std::string& are) {
    Series leaves;
    for (const auto& [leaf, members] : of_leaf) {
      if (members.size() < fewest_pairs) continue;
      Series own;
      for (const std::size_t member : members) own.add("", nodes.log_s[member]);
      std::vector<double> values;
      for (std::vector<double>& now : own.group("", "", "").log_s) values.push_back(median_in(now));
      leaves.add("leaf switch " + leaf, std::move(values));
    }
    if (leaves.names.size() < 3) return {};
    const std::set<std::string> named = hold(leaves.group(what, are, "leaf switches"));
    for (std::size_t at = 0; at < leaves.names.size(); ++at)
      if (named.contains(leaves.names[at]))
        for (const std::size_t member : of_leaf.at(leaves.names[at].substr(12)))
          for (double& value : nodes.log_s[member]) value -= median_of(leaves.log_s[at]);
    return named;
  }

  void finish() {
    for (const auto& [subject, others] : also_) {
      std::string& sentence = verdict_.findings[slow_.at(subject)].sentence;
      sentence += "; slower too: ";
      for (const std::string& what : others)
        sentence += (what == *others.begin() ? "" : ", ") + what;
    }
    int slow_links = 0;
    for (const auto& [subject, at] : slow_) {
      const auto node = number_of_.find(subject);
      slow_links += subject.starts_with("link ") ? 1 : 0;
      if (node == number_of_.end() || verdict_.nodes[node->second].verdict >= Verdict::fail)
        continue;
      verdict_.nodes[node->second].state = "slow";
      verdict_.nodes[node->second].verdict = verdict_.findings[at].verdict;
    }
    if (slow_links > 0) verdict_.links["slow"] = slow_links;
    if (!links_[1].empty())
      verdict_.links["alike"] = static_cast<int>(links_[1].size()) - slow_links;
    verdict_.sort();
  }

  const FleetPlan& plan_;
  const std::vector<FleetResult>& results_;
  const Rules& rules_;
  double alpha_ = 0;
  Acceptance verdict_;
  std::string setup_;
  std::map<std::string, std::size_t> number_of_;    ///< of each node
  std::vector<std::size_t> alone_;                  ///< jobs of nodes that are done
  std::set<std::string> done_;                      ///< their nodes
  std::array<std::vector<MeasuredLink>, 2> links_;  ///< of small and large messages
  double spread_of_rest_ = 1;
  std::map<std::string, std::size_t> slow_;  ///< place of the finding of each that is slow
  std::map<std::string, std::set<std::string>> also_;
};

}  // namespace

Acceptance judge_fleet(const FleetPlan& plan, const std::vector<FleetResult>& results,
                       const Rules& rules, const std::map<std::string, std::string>& leaves) {
  return FleetJudge(plan, results, rules, leaves).judge();
}

std::string fleet_text(const Acceptance& fleet, const std::string& folder) {
  std::map<std::string, std::array<int, 2>> counts;
  for (const FleetNode& node : fleet.nodes) ++counts[node.state][0];
  for (const auto& [state, count] : fleet.links) counts[state][1] = count;
  std::string text =
      verdict_text(fleet, folder) + fmt::format("{:<20} {:>7} {:>7}\n", "", "nodes", "links");
  for (const auto& [state, count] : counts)
    text += fmt::format("{:<20} {:>7} {:>7}\n", state, count[0], count[1]);
  return text;
}

}  // namespace bellwether
