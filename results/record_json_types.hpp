// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "models/machine/json_type.hpp"

namespace bellwether {

/// Of what records are made: readers, writers and schema of their numbers and keys.

using Pair = std::pair<double, double>;
template <class M>
using ByName = std::vector<std::pair<std::string, M>>;

/// A key that every record of this version has; one that lacks it leaves its default.
template <class T>
JsonField<T> always(JsonField<T> field) {
  field.required = true;
  return field;
}
template <class T, class M>
JsonField<T> always(const std::string& key, M T::*member, const JsonType<M>& type) {
  return always(optional(key, member, type, [](const T&) { return true; }));
}

template <class T>
JsonType<T> open_object(const JsonFields<T>& fields) {
  return json_object<T>(fields, nullptr, OtherKeys::ignored);
}

/// A key that holds what follows from the rest, which is not read.
template <class T, class M>
JsonField<T> derived(const std::string& key, const JsonType<M>& type,
                     const std::type_identity_t<std::function<std::optional<M>(const T&)>>& get) {
  return property<T>(key, type, get, [](T&, const M&) {});
}

/// A key whose object holds fields of the T itself, with what it is; written where `written`.
template <class T>
JsonField<T> nested(const std::string& key, const std::string& description,
                    const JsonFields<T>& fields,
                    const std::type_identity_t<std::function<bool(const T&)>>& written = nullptr) {
  const JsonType<T> type = named(key, description, open_object(fields));
  return {key,
          !written,
          [=](JsonObject& object, T& value) {
            const auto node = object.optional(key);
            if (!node) return;
            JsonObject inner(*node);
            for (const JsonField<T>& field : fields) field.read(inner, value);
          },
          [=, write = type.write](const T& value, nlohmann::json& object) {
            if (!written || written(value)) object[key] = write(value);
          },
          type.schema,
          type.definitions};
}

/// Any finite number; others, which no JSON has, are null.
JsonType<double> real();
/// A number > 0, or null, which is 0: not known.
JsonType<double> known();
JsonType<bool> flag();
/// A number, or null, which is none.
JsonType<std::optional<double>> perhaps();
/// One of the words, in the enumeration's order.
template <class E>
JsonType<E> word_of(std::vector<std::string> words) {
  const nlohmann::json schema = {{"enum", words}};
  return {[words](const JsonNode& node) {
            const auto found = std::find(words.begin(), words.end(), node.one_of(words));
            return static_cast<E>(found - words.begin());
          },
          [words](E value) { return nlohmann::json(words.at(static_cast<std::size_t>(value))); },
          schema,
          {}};
}
/// A text, or null, which is an empty one.
JsonType<std::string> text_or_null();
/// Whatever stands there, written without the numbers that no JSON has.
JsonType<nlohmann::json> anything();
/// [low, high]
JsonType<Pair> ends_type();

/// A type as a JSON schema, which a file of the source tree holds (schema_file_test.hpp).
template <class T>
nlohmann::json published_schema(const JsonType<T>& type, const char* title,
                                const char* description) {
  nlohmann::json schema = type.schema;
  schema["$schema"] = "http://json-schema.org/draft-07/schema#";
  schema["title"] = title;
  schema["description"] = description;
  schema["definitions"] = type.definitions;
  return schema;
}

template <class M>
JsonType<ByName<M>> by_name(const JsonType<M>& type) {
  using Named = std::pair<std::string, M>;
  return json_by_name(&Named::first, json_as(&Named::second, type));
}

}  // namespace bellwether
