// SPDX-License-Identifier: MIT
#include "run/command/verb.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <sstream>
#include <type_traits>

#include "models/errors.hpp"
#include "models/machine/json_text.hpp"
#include "run/command/help_formatter.hpp"

namespace bellwether {
namespace {

CLI::Option* add_to(CLI::App& parser, const Option& option) {
  return std::visit(
      [&](auto target) -> CLI::Option* {
        using Target = decltype(target);
        if constexpr (std::is_same_v<Target, bool*>) {
          return parser.add_flag(option.names, *target, option.help);
        } else if constexpr (std::is_pointer_v<Target>) {
          return parser.add_option(option.names, *target, option.help);
        } else {
          return parser
              .add_option_function<std::string>(
                  option.names,
                  [&check = option.check, &names = option.names, target](const std::string& word) {
                    if (!word.empty() && check)
                      if (const std::string wrong = check(word); !wrong.empty())
                        throw CLI::ValidationError(names, wrong);
                    target(word);
                  },
                  option.help)
              ->expected(0, 1);
        }
      },
      option.target);
}

bool takes_one_or_no_word(const Option& option) {
  return std::holds_alternative<std::function<void(const std::string&)>>(option.target);
}

CLI::Option* described(CLI::App& parser, const Option& option) {
  CLI::Option* const made = add_to(parser, option);
  if (option.required) made->required();
  if (option.shows_default) made->capture_default_str();
  if (!option.type.empty()) made->type_name(option.type);
  made->group(option.group);
  if (std::holds_alternative<std::vector<std::string>*>(option.target)) {
    made->take_all();
    if (option.one_word_each) made->allow_extra_args(false);
  }
  if (option.check && !takes_one_or_no_word(option))
    made->check(
        CLI::Validator([&check = option.check](std::string& word) { return check(word); }, ""));
  if (!option.needs.empty()) made->needs(parser.get_option(option.needs));
  for (const std::string& other : option.excludes) made->excludes(parser.get_option(other));
  return made;
}

/// A name by which the parser finds the option.
std::string one_name(const Option& option) {
  std::string names = option.names.substr(0, option.names.find(",!"));
  return names.substr(names.find_last_of(',') == names.npos ? 0 : names.find_last_of(',') + 1);
}

/// Of a verb of a verb, which is of one problem: how it is told, by the first of its options.
std::string problem_of(const CLI::App& program, const CLI::App& verb) {
  const bool is_of_a_problem = verb.get_parent() != nullptr && verb.get_parent() != &program;
  for (const CLI::Option* option : verb.get_options())
    if (is_of_a_problem && option != verb.get_help_ptr())
      return fmt::format(": one problem a command, by {}, and of several a command each",
                         option->get_name());
  return {};
}

/// Letters to add, leave out or change until one word is the other (Levenshtein's distance).
std::size_t letters_apart(const std::string& one, const std::string& other) {
  std::vector<std::size_t> row(other.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (const char letter : one) {
    std::size_t diagonal = row[0]++;
    for (std::size_t at = 0; at < other.size(); ++at) {
      const std::size_t changed = diagonal + (letter == other[at] ? 0 : 1);
      diagonal = row[at + 1];
      row[at + 1] = std::min({changed, row[at] + 1, row[at + 1] + 1});
    }
  }
  return row.back();
}

/// The verb's long option that is two letters from the word at most; empty if none is.
std::string near_option(const CLI::App& verb, const std::string& word) {
  constexpr std::size_t most = 2, shortest = 5;  // of "--x" everything short is near
  const std::string name = word.substr(0, word.find('='));
  std::string nearest;
  std::size_t least = name.size() < shortest ? 0 : most + 1;
  for (const CLI::Option* option : verb.get_options())
    for (const std::string& other : option->get_lnames())
      if (const std::size_t apart = letters_apart(name, "--" + other); apart < least) {
        least = apart;
        nearest = "--" + other;
      }
  return nearest;
}

/// What could not be read: an option that there is not, also where another one is missing; where a
/// verb is missing or is none that there is, the verbs that there are.
std::string usage_message(const CLI::App& program, const CLI::ParseError& error) {
  const CLI::App* at = &program;
  std::string verb;
  while (!at->get_subcommands().empty()) {
    at = at->get_subcommands().front();
    verb += (verb.empty() ? "" : " ") + at->get_name();
  }
  const auto is_error = [&error](CLI::ExitCodes code) {
    return error.get_exit_code() == static_cast<int>(code);
  };
  const auto extra = program.remaining(true);
  const auto option = std::find_if(extra.begin(), extra.end(),
                                   [](const std::string& word) { return word.starts_with("-"); });
  const bool is_option = option != extra.end();
  const auto choices = at->get_subcommands([](const CLI::App*) { return true; });
  const bool lacks = is_error(CLI::ExitCodes::RequiredError);
  if ((is_error(CLI::ExitCodes::ExtrasError) && !extra.empty()) ||
      (lacks && choices.empty() && is_option)) {
    const std::string near = is_option ? near_option(*at, *option) : "";
    return fmt::format("{}: found '{}', expected its options alone{}{}", verb,
                       is_option ? *option : extra.front(),
                       is_option ? problem_of(program, *at) : "",
                       near.empty() ? "" : fmt::format("; did you mean {}?", near));
  }
  if (choices.empty() || !lacks) return error.what();
  std::vector<std::string> names;
  for (const CLI::App* choice : choices) names.push_back(choice->get_name());
  const std::vector<std::string> words = at->remaining();
  const std::string where = at == &program ? "subcommand" : at->get_name();
  return fmt::format("{}: found {}, expected one of: {}", where,
                     words.empty() ? "nothing" : "'" + words.front() + "'", fmt::join(names, ", "));
}

nlohmann::json value_of(const std::string& word) {
  const nlohmann::json number = try_json(word);
  return number.is_number() ? number : nlohmann::json(word);
}

}  // namespace

Verb& Verb::add_verb(const std::string& name, const std::string& summary) {
  parser_.require_subcommand(1);
  return *verbs_.emplace_back(std::make_unique<Verb>(*parser_.add_subcommand(name, summary)));
}

void Verb::show_examples(const std::string& lines) { parser_.footer("Examples:\n" + lines); }

void Verb::add(Options& options) {
  for (const Option& option : options.all()) described(parser_, option);
  options_.push_back(&options);
}

void Verb::accept_other_words() { parser_.allow_extras(); }

bool Verb::given() const { return parser_.parsed(); }

std::vector<std::string> Verb::other_words() const { return parser_.remaining(); }

void Verb::note_words() {
  for (Options* options : options_) {
    for (Option& option : options->all()) {
      const CLI::Option* const parsed = parser_.get_option(one_name(option));
      option.count = static_cast<int>(parsed->count());
      option.words = parsed->results();
      if (option.words.empty() && !parsed->get_default_str().empty())
        option.words = {parsed->get_default_str()};
    }
  }
  for (const auto& verb : verbs_)
    if (verb->given()) verb->note_words();
}

CommandParser::CommandParser(const std::string& description, const std::string& version)
    : parser_(std::make_unique<CLI::App>(description, "bellwether")),
      root_(std::make_unique<Verb>(*parser_)) {
  parser_->set_version_flag("--version", version);
  parser_->formatter(help_formatter(help_width()));
}

std::string CommandParser::help() const { return parser_->help(); }

CommandParser::~CommandParser() = default;

std::optional<std::string> CommandParser::parse(int argc, char** argv) {
  try {
    parser_->parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0)
      throw BadInput(usage_message(*parser_, error) +
                     " (see bellwether --help, or bellwether SUBCOMMAND --help)");
    std::ostringstream text;
    parser_->exit(error, text, text);  // --help, --version
    return text.str();
  }
  root_->note_words();
  return {};
}

nlohmann::json asked_options(const Options& options) {
  nlohmann::json asked = nlohmann::json::object();
  for (const Option& option : options.all()) {
    if (option.words.empty()) continue;
    std::string name = one_name(option);
    name.erase(0, name.find_first_not_of('-'));
    std::replace(name.begin(), name.end(), '-', '_');
    nlohmann::json values = nlohmann::json::array();
    for (const std::string& word : option.words) values.push_back(value_of(word));
    asked[name] = values.size() == 1 ? values.front() : values;
  }
  return asked;
}

}  // namespace bellwether
