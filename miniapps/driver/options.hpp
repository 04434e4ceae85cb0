// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace bellwether {

/// Looks at one word that an option is given: says what was found and what is expected, or nothing
/// where the word will do.
using WordCheck = std::function<std::string(const std::string& word)>;

/// Numbers from end to end, finite and in range.
WordCheck whole_number(long long lowest, long long highest);
WordCheck any_number();
WordCheck positive_number();
WordCheck non_negative_number();
WordCheck number_from(double lowest, double highest);
/// `what`: a file, a name.
WordCheck not_empty(const char* what);
WordCheck one_of(std::vector<std::string> names);
/// "auto", or what the other check takes.
WordCheck or_auto(WordCheck other);
/// Each part between commas by itself.
WordCheck list_of(WordCheck each);

/// Where the words of an option go. A bool is a flag; arrays take as many words as they are long; a
/// function takes one word, or none and is then given an empty one.
using OptionTarget =
    std::variant<bool*, int*, long*, long long*, std::size_t*, double*, std::string*,
                 std::array<long, 2>*, std::array<long long, 2>*, std::array<long long, 3>*,
                 std::array<double, 3>*, std::optional<std::array<double, 3>>*,
                 std::optional<double>*, std::vector<std::string>*,
                 std::function<void(const std::string&)>>;

/// What an option may have besides.
struct OptionTraits {
  std::string type = {};  ///< what --help calls its words, where that says more: "FILE", "NX NY NZ"
  WordCheck check = {};
  bool required = false;
  bool shows_default = false;              ///< --help tells what the target holds
  bool one_word_each = false;              ///< a list of words, each with the option's name again
  std::string needs = {};                  ///< an option without which this one means nothing
  std::vector<std::string> excludes = {};  ///< options that say the same in another way
  std::string group = {};                  ///< under which --help lists it, if not its neighbours'
};

/// One option of the command line, as data. What reads a command line is the command's business.
struct Option : OptionTraits {
  std::string names;  ///< "-o,--output"; "machine": the word alone
  OptionTarget target;
  std::string help;
  /// After the command line was read: how often it was given, and its words or those that its
  /// target held before.
  int count = 0;
  std::vector<std::string> words = {};
};

/// Options in the order in which --help lists them; their addresses stay.
class Options {
 public:
  /// Those that are added from here on are listed under this heading.
  void begin_group(std::string name) { group_ = std::move(name); }
  void add(std::string names, OptionTarget target, std::string help, OptionTraits traits = {}) {
    if (traits.group.empty()) traits.group = group_;
    all_.push_back(
        {std::move(traits), std::move(names), std::move(target), std::move(help), 0, {}});
  }
  void add_flag(std::string name, bool& target, std::string help) {
    add(std::move(name), &target, std::move(help));
  }
  /// For a choice between names, the target's being the default.
  void add_choice(std::string name, std::string& target, std::vector<std::string> choices,
                  std::string help, std::string group = {});
  [[nodiscard]] std::deque<Option>& all() { return all_; }
  [[nodiscard]] const std::deque<Option>& all() const { return all_; }
  /// Whether the option of this name was given. Throws std::logic_error where there is none.
  [[nodiscard]] bool given(const std::string& name) const;

 private:
  std::deque<Option> all_;
  std::string group_ = "Options";
};

/// --overlap, for applications that can hide communication behind computation.
class OverlapOption {
 public:
  void add_to(Options& options) {
    options.add_choice("--overlap", overlap_, {"off", "on", "both"},
                       "Hide communication behind computation: off, on or both");
  }
  /// In place of both.
  void use(bool overlap) { overlap_ = overlap ? "on" : "off"; }
  /// The modes in the order in which they run.
  [[nodiscard]] std::vector<bool> modes() const {
    if (overlap_ == "both") return {false, true};
    return {overlap_ == "on"};
  }

 private:
  std::string overlap_ = "both";
};

inline void add_precision_option(Options& options, std::string& precision) {
  options.add_choice("--precision", precision, {"f32", "f64"}, "f32 or f64");
}

/// --halo, for applications that exchange halos.
inline void add_halo_option(Options& options, std::string& halo) {
  options.add_choice("--halo", halo, {"auto", "staged", "direct"},
                     "staged: through buffers in host memory; direct: MPI is given the device's "
                     "memory; auto: direct on a CPU, staged on a GPU");
}
/// "staged" or "direct": what is asked for, or what auto comes to.
inline std::string used_halo(const std::string& asked, bool on_gpu) {
  return asked != "auto" ? asked : on_gpu ? "staged" : "direct";
}

inline const char* on_or_off(bool overlap) { return overlap ? "on" : "off"; }

}  // namespace bellwether
