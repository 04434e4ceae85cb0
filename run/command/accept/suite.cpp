// SPDX-License-Identifier: MIT
#include "run/command/accept/suite.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "miniapps/driver/app.hpp"
#include "models/errors.hpp"
#include "models/machine/strict_json.hpp"
#include "models/text_lines.hpp"
#include "run/command/verb.hpp"

namespace bellwether {
namespace {

using nlohmann::json;

const std::vector<std::string> judgements{"right", "promised", "before", "siblings"};

bool flag(const JsonNode& node) {
  if (!node.value().is_boolean()) node.refuse("true or false");
  return node.value().get<bool>();
}

CalibrateOptions read_calibration(const JsonNode& node) {
  JsonObject object(node);
  CalibrateOptions calibration;
  calibration.quick = flag(object.required("quick"));
  if (const auto budget = object.optional("time_budget_s"))
    calibration.time_budget_s = budget->positive_number();
  if (const auto bytes = object.optional("largest_message_bytes"))
    calibration.largest_message_bytes = static_cast<std::size_t>(bytes->count(8));
  if (const auto edge = object.optional("largest_edge")) calibration.largest_edge = edge->count(16);
  if (const auto bytes = object.optional("largest_memory_bytes"))
    calibration.largest_memory_bytes = static_cast<std::size_t>(bytes->count(1 << 20));
  object.finish();
  return calibration;
}

Material read_material(const JsonNode& node) {
  JsonObject object(node);
  Material material{object.required("warning").number(), object.required("failure").number(), ""};
  material.source = object.required("why").text();
  object.finish();
  if (material.failure < material.warning) node.refuse("a failure of at least the warning");
  return material;
}

void read_siblings_part(const JsonNode& node, Suite& suite) {
  JsonObject object(node);
  suite.occasions = object.required("occasions").count(1);
  suite.link_message_bytes =
      static_cast<std::size_t>(object.required("link_message_bytes").count(8));
  suite.sample_s = object.required("sample_s").positive_number();
  object.finish();
}

/// A word that an option takes, or a list of them.
void check_option(const JsonNode& node) {
  const auto is_word = [](const json& value) { return value.is_string() || value.is_number(); };
  const json& value = node.value();
  if (value.is_boolean() || is_word(value)) return;
  if (!value.is_array() || !std::all_of(value.begin(), value.end(), is_word))
    node.refuse("a word, a number, a list of them, or true");
}

SuiteCase read_case(const JsonNode& node, const std::string& file, std::size_t number) {
  JsonObject object(node);
  SuiteCase one;
  one.app = object.required("app").text();
  one.key = fmt::format("/cases/{} ({})", number, one.app);
  one.place = fmt::format("{}, {}", file, one.key);
  const JsonNode problem = object.required("problem");
  JsonObject members(problem);
  for (const char* key : {"cells", "size"})
    if (const auto member = members.optional(key)) check_option(*member);
  members.finish();
  one.problem = problem.value();
  if (one.problem.empty()) problem.refuse("cells or size");
  one.per_rank = object.required("per").one_of({"rank", "all"}) == "rank";
  one.options = json::object();
  if (const auto options = object.optional("options")) {
    JsonObject names(*options);
    for (const std::string& name : names.keys()) {
      const JsonNode option = names.required(name);
      check_option(option);
      if (name == "help" || name == "version") option.refuse("an option of the run");
    }
    one.options = options->value();
  }
  if (const auto judge = object.optional("judge"))
    for (const JsonNode& what : judge->items(1)) one.judge.insert(what.one_of(judgements));
  else
    one.judge = {"right", "promised", "before"};
  if (const auto optional = object.optional("optional")) one.optional = flag(*optional);
  if (const auto budget = object.optional("time_budget_s"))
    one.time_budget_s = budget->positive_number();
  if (const auto repeats = object.optional("repeats")) one.repeats = repeats->count(1);
  object.finish();
  return one;
}

std::vector<std::string> words_of(const std::string& name, const json& value) {
  const auto word = [](const json& one) {
    return one.is_string() ? one.get<std::string>() : one.dump();
  };
  if (value.is_boolean())
    return value.get<bool>() ? std::vector<std::string>{"--" + name} : std::vector<std::string>{};
  std::vector<std::string> words{"--" + name};
  if (!value.is_array())
    words.push_back(word(value));
  else
    for (const json& one : value) words.push_back(word(one));
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
  Suite suite;
  suite.document = parse_json(text, file);
  JsonObject object(JsonNode(suite.document, file));
  (void)object.required("schema").one_of({"bellwether.suite/1"});
  suite.name = object.required("name").text();
  (void)object.required("description").text();
  suite.calibration = read_calibration(object.required("calibration"));
  if (const auto until = object.optional("until_time")) suite.until_time = flag(*until);
  if (const auto verify = object.optional("verify"))
    suite.verify_twice = verify->one_of({"once", "twice"}) == "twice";
  suite.false_alarm_rate = object.required("false_alarm_rate").number(1);
  suite.material = read_material(object.required("material"));
  suite.material.source += fmt::format(" ({}, /material)", file);
  read_siblings_part(object.required("siblings"), suite);
  const double budget_s = object.required("time_budget_s").positive_number();
  const int repeats = object.required("repeats").count(1);
  const std::vector<JsonNode> cases = object.required("cases").items(1);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    SuiteCase one = read_case(cases[i], file, i);
    if (one.time_budget_s <= 0) one.time_budget_s = budget_s;
    if (!cases[i].value().contains("repeats")) one.repeats = repeats;
    suite.cases.push_back(std::move(one));
  }
  object.finish();
  return suite;
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
  for (const json* part : {&from.problem, &from.options})
    for (const auto& item : part->items())
      for (std::string& word : words_of(item.key(), item.value())) words.push_back(std::move(word));
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  try {
    (void)parser.parse(static_cast<int>(arguments.size()), arguments.data());
  } catch (const BadInput& error) {
    const std::string message = error.what();
    throw BadInput(
        fmt::format("{}: {}", from.place, message.substr(0, message.find(" (see bellwether"))));
  }
  if (from.per_rank) app_ = app_->grown(ranks);
}

}  // namespace bellwether
