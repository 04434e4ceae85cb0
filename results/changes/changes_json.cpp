// SPDX-License-Identifier: MIT
#include "results/changes/change.hpp"
#include "results/record_json_types.hpp"

namespace bellwether {
namespace {

JsonType<Change> change_type() {
  const auto share = [](const char* key, double (Change::*of)() const) {
    return always(derived<Change>(
        key, real(), [of](const Change& one) -> std::optional<double> { return (one.*of)(); }));
  };
  return named(
      "change",
      "One number. relative: (after - before) / before; least, most: what both intervals "
      "allow; because: what explains it.",
      open_object<Change>(
          {always("what", &Change::what, json_text()), always("unit", &Change::unit, json_text()),
           always("before", &Change::before, measured_type()),
           always("after", &Change::after, measured_type()), share("relative", &Change::relative),
           share("least", &Change::least), share("most", &Change::most),
           always("judgement", &Change::judgement,
                  word_of<Judgement>({judgement_words.begin(), judgement_words.end()})),
           always("because", &Change::because, json_text())}));
}

JsonType<std::pair<std::string, std::string>> two_texts() {
  using Texts = std::pair<std::string, std::string>;
  return {[](const JsonNode& node) {
            const std::vector<JsonNode> both = node.items(2);
            return Texts{both[0].text(), both[1].text()};
          },
          [](const Texts& both) {
            return nlohmann::json{both.first, both.second};
          },
          {{"type", "array"}, {"items", json_text().schema}, {"minItems", 2}, {"maxItems", 2}},
          {}};
}

struct ComparedFiles {
  std::vector<Changes> all;
};

const JsonType<ComparedFiles>& compared_files_type() {
  const JsonType<std::vector<std::string>> texts = json_list(json_text());
  static const JsonType<ComparedFiles> type = open_object<ComparedFiles>(
      {constant<ComparedFiles>("schema", "bellwether.comparison/1"),
       always("comparisons", &ComparedFiles::all,
              json_list(open_object<Changes>(
                  {always("kind", &Changes::kind, json_word({"results", "machine"})),
                   always("before", &Changes::before, json_text()),
                   always("after", &Changes::after, json_text()),
                   always("changes", &Changes::changes, json_list(change_type())),
                   always("only_before", &Changes::only_before, texts),
                   always("only_after", &Changes::only_after, texts),
                   always("remarks", &Changes::remarks, texts),
                   always("provenance", &Changes::provenance, json_map(two_texts()))})))});
  return type;
}

}  // namespace

JsonType<Measured> measured_type() {
  return named("measured", "A number within its interval, and how many runs or occasions it is of.",
               open_object<Measured>({always("value", &Measured::value, real()),
                                      always("low", &Measured::low, real()),
                                      always("high", &Measured::high, real()),
                                      always("runs", &Measured::runs, json_count())}));
}

nlohmann::json to_json(const std::vector<Changes>& all) {
  return compared_files_type().write({all});
}

nlohmann::json comparison_json_schema() {
  return published_schema(
      compared_files_type(), "bellwether.comparison/1",
      "What `bellwether compare --json` prints: of results, of a machine file, or of both. "
      "provenance: what was run, and where, as far as it differs: before and after.");
}

}  // namespace bellwether
