// SPDX-License-Identifier: MIT
#include "run/command/accept/accept_manifest.hpp"

#include <algorithm>

#include "models/errors.hpp"
#include "models/machine/strict_json.hpp"

namespace bellwether {

Manifest read_manifest(const std::string& file) {
  const nlohmann::json document = read_json_file(file);
  JsonObject object(JsonNode(document, file));
  (void)object.required("schema").one_of({manifest_schema});
  Manifest manifest{read_suite(object.required("suite").value().dump(), file),
                    object.required("layout").value(),
                    {}};
  JsonObject layout(object.required("layout"));
  (void)layout.required("ranks").count(1);
  if (const auto keys = object.optional("left_out"))
    for (const JsonNode& key : keys->items()) manifest.left_out.push_back(key.text());
  object.finish();
  return manifest;
}

Asked asked_of(const Manifest& manifest) {
  const auto& [suite, layout, left_out] = manifest;
  Asked asked;
  asked.occasions = suite.until_time ? 1 : suite.occasions;
  for (const SuiteCase& one : suite.cases) {
    Asked::Records& records = asked.records.emplace_back();
    records.of = one.key;
    records.repeats = suite.until_time ? 1 : one.repeats;
    records.left_out = std::find(left_out.begin(), left_out.end(), one.key) != left_out.end();
    try {
      PreparedCase prepared(one, layout.at("ranks"));
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
