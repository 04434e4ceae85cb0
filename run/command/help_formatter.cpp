// SPDX-License-Identifier: MIT
#include "run/command/help_formatter.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <set>

#include "models/text_lines.hpp"

namespace bellwether {
namespace {

constexpr std::size_t column = 28;      // where descriptions begin
constexpr const char* rare = "Expert";  // the last group

/// Text in lines of at most `width` characters, broken at spaces; a longer word has a line of its
/// own. Line breaks of the text stay.
std::string wrapped(const std::string& text, std::size_t width) {
  std::string all;
  for (const std::string& line : split(text, '\n')) {
    if (!all.empty()) all += '\n';
    std::size_t at = 0;
    for (const std::string& word : split(line, ' ')) {
      const bool breaks = at != 0 && at + 1 + word.size() > width;
      if (at != 0) all += breaks ? '\n' : ' ';
      at = breaks || at == 0 ? word.size() : at + 1 + word.size();
      all += word;
    }
  }
  return all;
}

std::string names(const std::set<CLI::Option*>& options) {
  std::string all;
  for (const CLI::Option* option : options) all += (all.empty() ? "" : ", ") + option->get_name();
  return all;
}

class HelpFormatter final : public CLI::Formatter {
 public:
  explicit HelpFormatter(std::size_t width) : width_(width) { column_width(column); }

  std::string make_description(const CLI::App* app) const override {
    return wrapped(app->get_description(), width_) + "\n";
  }
  std::string make_subcommand(const CLI::App* verb) const override {
    const std::string all = verb->get_description();
    std::ostringstream out;
    CLI::detail::format_help(out, verb->get_name(), beside(all.substr(0, all.find(". "))), column);
    return out.str();
  }
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    std::string all =
        make_description(app) + make_usage(app, std::move(name)) + make_positionals(app);
    std::vector<std::string> groups = app->get_groups();
    std::stable_partition(groups.begin(), groups.end(),
                          [](const std::string& group) { return group != rare; });
    for (const std::string& group : groups) {
      const auto options = app->get_options([&group, app](const CLI::Option* option) {
        const bool is_known = app->get_parent() != nullptr && option == app->get_help_ptr();
        return option->get_group() == group && option->nonpositional() && !is_known;
      });
      if (!options.empty()) all += make_group(group, false, options);
    }
    const std::string footer = make_footer(app);
    return all + make_subcommands(app, mode) + (footer.empty() ? "" : "\n" + footer);
  }
  std::string make_option_opts(const CLI::Option* option) const override {
    std::string text;
    if (option->get_type_size() != 0) {
      if (!option->get_type_name().empty()) text += " " + option->get_type_name();
      if (!option->get_default_str().empty()) text += "=" + option->get_default_str();
      if (option->get_expected_max() == CLI::detail::expected_max_vector_size &&
          !text.ends_with("..."))
        text += " ...";
    }
    return text;
  }
  std::string make_option_desc(const CLI::Option* option) const override {
    std::string text = option->get_description();
    if (option->get_required()) text += ". Required";
    if (!option->get_needs().empty()) text += ". Needs " + names(option->get_needs());
    if (!option->get_excludes().empty()) text += ". Not with " + names(option->get_excludes());
    return beside(text);
  }

 private:
  [[nodiscard]] std::string beside(const std::string& text) const {
    return wrapped(text, width_ - column);
  }
  std::size_t width_;
};

}  // namespace

std::size_t help_width() {
  constexpr std::size_t least = 60, most = 100, without_terminal = 80;
  winsize terminal{};
  if (isatty(STDOUT_FILENO) == 0 || ioctl(STDOUT_FILENO, TIOCGWINSZ, &terminal) != 0 ||
      terminal.ws_col == 0)
    return without_terminal;
  return std::clamp(std::size_t{terminal.ws_col}, least, most);
}

std::shared_ptr<CLI::FormatterBase> help_formatter(std::size_t width) {
  return std::make_shared<HelpFormatter>(width);
}

}  // namespace bellwether
