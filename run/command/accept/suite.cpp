// SPDX-License-Identifier: MIT
#include "run/command/accept/suite.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "miniapps/driver/app.hpp"
#include "models/errors.hpp"
#include "models/machine/json_text.hpp"
#include "models/text_lines.hpp"
#include "results/record_json_types.hpp"
#include "run/command/verb.hpp"

namespace bellwether {
namespace {

using nlohmann::json;

JsonType<std::size_t> byte_count(int lowest) {
  const JsonType<int> count = json_count(lowest);
  return {[count](const JsonNode& node) { return static_cast<std::size_t>(count.read(node)); },
          [](std::size_t value) { return json(value); },
          count.schema,
          {}};
}

/// What an option takes.
JsonType<json> option_words() {
  return {[](const JsonNode& node) {
            const auto is_word = [](const json& one) { return one.is_string() || one.is_number(); };
            const json& value = node.value();
            const bool is_list =
                value.is_array() && std::all_of(value.begin(), value.end(), is_word);
            if (!value.is_boolean() && !is_word(value) && !is_list)
              node.refuse("a word, a number, a list of them, or true");
            return value;
          },
          [](const json& value) { return value; },
          {{"type", {"string", "number", "boolean", "array"}},
           {"items", {{"type", {"string", "number"}}}}},
          {}};
}

JsonType<SuiteCase> case_type() {
  using Case = SuiteCase;
  return json_object<Case>(
      {required("app", &Case::app, json_text()),
       required("problem", &Case::problem,
                json_keyed({"cells", "size"}, option_words(), 1, "cells or size")),
       required("per", &Case::per, json_word({"all", "rank"})),
       optional("options", &Case::options, json_map(option_words())),
       optional("judge", &Case::judge,
                json_list(json_word({"right", "promised", "before", "siblings"}), 1)),
       optional("optional", &Case::optional, flag()),
       optional("time_budget_s", &Case::time_budget_s, json_positive()),
       optional("repeats", &Case::repeats, json_count(1))});
}

const JsonType<Suite>& suite_type() {
  using Options = CalibrateOptions;
  using Siblings = Suite::Siblings;
  static const JsonType<Suite> type = json_object<Suite>(
      {constant<Suite>("schema", "bellwether.suite/1"), required("name", &Suite::name, json_text()),
       required("description", &Suite::description, json_text()),
       required(
           "calibration", &Suite::calibration,
           json_object<Options>(
               {required("quick", &Options::quick, flag()),
                optional("time_budget_s", &Options::time_budget_s, json_positive()),
                optional("largest_message_bytes", &Options::largest_message_bytes, byte_count(8)),
                optional("largest_edge", &Options::largest_edge, json_count(16)),
                optional("largest_memory_bytes", &Options::largest_memory_bytes,
                         byte_count(1 << 20))})),
       optional("until_time", &Suite::until_time, flag()),
       optional("verify", &Suite::verify, json_word({"once", "twice"})),
       required("false_alarm_rate", &Suite::false_alarm_rate,
                restricted(
                    json_number(), {{"maximum", 1}}, [](double rate) { return rate <= 1; },
                    "a number from 0 to 1")),
       required("material", &Suite::material,
                json_object<Material>({required("warning", &Material::warning, json_number()),
                                       required("failure", &Material::failure, json_number()),
                                       required("why", &Material::source, json_text())},
                                      [](const JsonNode& node, const Material& material) {
                                        if (material.failure < material.warning)
                                          node.refuse("a failure of at least the warning");
                                      })),
       required("siblings", &Suite::siblings,
                json_object<Siblings>(
                    {required("occasions", &Siblings::occasions, json_count(1)),
                     required("link_message_bytes", &Siblings::link_message_bytes, byte_count(8)),
                     required("sample_s", &Siblings::sample_s, json_positive())})),
       optional("health", &Suite::health, health_limits_type()),
       required("time_budget_s", &Suite::time_budget_s, json_positive()),
       required("repeats", &Suite::repeats, json_count(1)),
       required("cases", &Suite::cases, json_list(case_type(), 1))});
  return type;
}

/// What a case takes of the whole.
Suite completed(Suite suite, const std::string& file) {
  for (std::size_t number = 0; number < suite.cases.size(); ++number) {
    SuiteCase& one = suite.cases[number];
    one.key = fmt::format("/cases/{} ({})", number, one.app);
    one.place = fmt::format("{}, {}", file, one.key);
    if (one.time_budget_s == 0) one.time_budget_s = suite.time_budget_s;
    if (one.repeats == 0) one.repeats = suite.repeats;
  }
  return suite;
}

const JsonType<Manifest>& manifest_type() {
  static const JsonType<Manifest> type =
      json_object<Manifest>({constant<Manifest>("schema", "bellwether.accept/1"),
                             required("suite", &Manifest::suite, suite_type()),
                             required("layout", &Manifest::layout, rank_layout_type()),
                             optional("left_out", &Manifest::left_out, json_list(json_text())),
                             optional("unhealthy", &Manifest::unhealthy, json_list(json_text()))});
  return type;
}

std::vector<std::string> words_of(const std::string& name, const json& value) {
  std::vector<std::string> words{"--" + name};
  if (value.is_boolean()) return value.get<bool>() ? words : std::vector<std::string>{};
  for (const json& one : value.is_array() ? value : json::array({value}))
    words.push_back(json_words(one));
  return words;
}

}  // namespace

std::pair<std::string, std::string> find_suite(const std::string& name_or_file) {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : suite_files()) {
    const std::string name = std::filesystem::path(file.name).stem();
    if (name == name_or_file) return {file.text, file.name};
    names.push_back(name);
  }
  std::error_code ignored;
  if (!std::filesystem::exists(name_or_file, ignored) ||
      std::filesystem::is_directory(name_or_file, ignored))
    throw BadInput(fmt::format("--suite: found '{}', expected a suite file or one of: {}",
                               name_or_file, fmt::join(names, ", ")));
  return {read_text(name_or_file), name_or_file};
}

Suite read_suite(const std::string& text, const std::string& file) {
  return completed(suite_type().read(JsonNode(parse_json(text, file), file)), file);
}

PreparedCase::PreparedCase(const SuiteCase& from, int ranks) : from_(from) {
  std::vector<std::string> names;
  for (auto& app : apps()) {
    names.emplace_back(app->name());
    if (from.app == app->name()) app_ = std::move(app);
  }
  if (app_ == nullptr)
    throw BadInput(fmt::format("{}: app: found '{}', expected one of: {}", from.place, from.app,
                               fmt::join(names, ", ")));
  CommandParser parser(from.place, "");
  app_->add_problem_options(options_);
  app_->add_run_options(options_);
  parser.root().add_verb(from.app, app_->summary()).add(options_);
  std::vector<std::string> words{"bellwether", from.app};
  for (const auto* part : {&from.problem, &from.options})
    for (const auto& [name, value] : *part)
      for (std::string& word : words_of(name, value)) words.push_back(std::move(word));
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  try {
    if (parser.parse(static_cast<int>(arguments.size()), arguments.data()))
      throw BadInput("options: found help, expected an option of the run");
  } catch (const BadInput& error) {
    const std::string message = error.what();
    throw BadInput(
        fmt::format("{}: {}", from.place, message.substr(0, message.find(" (see bellwether"))));
  }
  if (from.per == "rank") app_ = app_->grown(ranks);
}

json to_json(const Manifest& manifest) { return manifest_type().write(manifest); }

Manifest read_manifest(const std::string& file) {
  Manifest manifest = manifest_type().read(JsonNode(read_json_file(file), file));
  manifest.suite = completed(std::move(manifest.suite), file);
  return manifest;
}

Asked asked_of(const Manifest& manifest) {
  const auto& [suite, layout, left_out, unhealthy] = manifest;
  Asked asked;
  asked.occasions = suite.until_time ? 1 : suite.siblings.occasions;
  for (const SuiteCase& one : suite.cases) {
    Asked::Records& records = asked.records.emplace_back();
    records.of = one.key;
    records.repeats = suite.until_time ? 1 : one.repeats;
    records.left_out = std::find(left_out.begin(), left_out.end(), one.key) != left_out.end();
    try {
      PreparedCase prepared(one, layout.ranks);
      prepared.plan(nullptr);
      records.variants = static_cast<int>(prepared.plans().size());
    } catch (const BadInput&) {
      // Its file is not here, or this program is another one: one variant at least.
    } catch (const BadEnvironment&) {
    }
  }
  return asked;
}

}  // namespace bellwether
