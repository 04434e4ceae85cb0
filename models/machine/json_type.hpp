// SPDX-License-Identifier: MIT
#pragma once

#include <any>
#include <array>
#include <concepts>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "models/machine/quantity.hpp"
#include "models/machine/strict_json.hpp"

namespace bellwether {

/// What may be referred to in a schema, by name.
using SchemaDefinitions = std::map<std::string, nlohmann::json>;

/// A function that copies share: descriptions are made of one another by value, and copies of
/// copies of all that they hold would take seconds.
template <class Signature>
class SharedFunction;
template <class Result, class... Arguments>
class SharedFunction<Result(Arguments...)> {
 public:
  SharedFunction() = default;
  template <class Function>
  requires std::is_invocable_r_v<Result, const Function&, Arguments...> SharedFunction(
      Function function)
      : function_(
            std::make_shared<const std::function<Result(Arguments...)>>(std::move(function))) {}
  Result operator()(Arguments... arguments) const { return (*function_)(arguments...); }

 private:
  std::shared_ptr<const std::function<Result(Arguments...)>> function_;
};

/// How values of a type stand in a JSON document, said once: from the description follow a strict
/// reader (BadInput naming file and key), a writer and a JSON schema (draft 7).
template <class T>
struct JsonType {
  SharedFunction<T(const JsonNode&)> read;
  SharedFunction<nlohmann::json(const T&)> write;
  nlohmann::json schema;
  SchemaDefinitions definitions;
};

/// One key of an object, and what of a T it holds.
template <class T>
struct JsonField {
  std::string key;
  bool required;
  SharedFunction<void(JsonObject&, T&)> read;
  SharedFunction<void(const T&, nlohmann::json&)> write;
  nlohmann::json schema;
  SchemaDefinitions definitions;
};
template <class T>
using JsonFields = std::vector<JsonField<T>>;

JsonType<std::string> json_text();
/// Finite numbers: >= 0, > 0, and whole ones of at least `lowest`.
JsonType<double> json_number();
JsonType<double> json_positive();
JsonType<int> json_count(int lowest = 0);
JsonType<std::string> json_word(std::vector<std::string> words);
/// Two counts [smallest, largest]; `what` names them in messages.
JsonType<std::array<int, 2>> json_count_range(const char* what);

/// The source of a quantity that is a plain number in its file.
inline constexpr const char* plain_number =
    "assumed: a plain number in the file, as of a data sheet";

/// What values a quantity may have: > 0, >= 0, from 0 to 1, or > 0 and at most 1.
enum class Range { positive, nonnegative, fraction, efficiency };
/// {"value", "low", "high", "source"}; `low` and `high` default to the value and enclose it.
JsonType<Quantity> json_quantity(Range range);
/// Rates > 0 by "f32" and "f64", each of which may be missing.
JsonType<std::map<std::string, Quantity>> json_by_precision();

/// Whether an optional member is written unless its field says when: not empty, not its type's
/// zero.
template <class M>
bool is_given(const M& member) {
  if constexpr (requires { member.empty(); })
    return !member.empty();
  else if constexpr (std::equality_comparable<M>)
    return member != M{};
  else
    return true;
}

/// A key that must be there.
template <class T, class M>
JsonField<T> required(const std::string& key, M T::*member, const JsonType<M>& type) {
  return {key,
          true,
          [=, read = type.read](JsonObject& object, T& value) {
            value.*member = read(object.required(key));
          },
          [=, write = type.write](const T& value, nlohmann::json& object) {
            object[key] = write(value.*member);
          },
          type.schema,
          type.definitions};
}

/// A key that may be missing, which leaves the member as it is; written where `written` says so.
template <class T, class M>
JsonField<T> optional(
    const std::string& key, M T::*member, const JsonType<M>& type,
    const std::type_identity_t<std::function<bool(const T&)>>& written = nullptr) {
  return {key,
          false,
          [=, read = type.read](JsonObject& object, T& value) {
            if (const auto node = object.optional(key)) value.*member = read(*node);
          },
          [=, write = type.write](const T& value, nlohmann::json& object) {
            if (written ? written(value) : is_given(value.*member))
              object[key] = write(value.*member);
          },
          type.schema,
          type.definitions};
}
template <class T, class M>
JsonField<T> optional(const std::string& key, std::optional<M> T::*member,
                      const JsonType<M>& type) {
  return {key,
          false,
          [=, read = type.read](JsonObject& object, T& value) {
            if (const auto node = object.optional(key)) value.*member = read(*node);
          },
          [=, write = type.write](const T& value, nlohmann::json& object) {
            if (value.*member) object[key] = write(*(value.*member));
          },
          type.schema,
          type.definitions};
}

/// A key that holds what `get` tells of a T, written where that is something; what is read goes to
/// `set`. Missing, it leaves the T as it is.
template <class T, class M>
JsonField<T> property(const std::string& key, const JsonType<M>& type,
                      const std::type_identity_t<std::function<std::optional<M>(const T&)>>& get,
                      const std::type_identity_t<std::function<void(T&, M)>>& set) {
  return {key,
          false,
          [=, read = type.read](JsonObject& object, T& value) {
            if (const auto node = object.optional(key)) set(value, read(*node));
          },
          [=, write = type.write](const T& value, nlohmann::json& object) {
            if (const std::optional<M> held = get(value)) object[key] = write(*held);
          },
          type.schema,
          type.definitions};
}

/// A key that holds one word, as a schema's name.
template <class T>
JsonField<T> constant(const std::string& key, const std::string& word) {
  const JsonType<std::string> type = json_word({word});
  return {key,
          true,
          [=](JsonObject& object, T&) { (void)type.read(object.required(key)); },
          [=](const T&, nlohmann::json& object) { object[key] = word; },
          type.schema,
          {}};
}

/// A key that earlier versions wrote: read, whatever it holds, and ignored; never written.
template <class T>
JsonField<T> retired(const std::string& key) {
  return {key,
          false,
          [key](JsonObject& object, T&) { (void)object.optional(key); },
          [](const T&, nlohmann::json&) {},
          {{"description", "Of earlier versions; ignored."}},
          {}};
}

/// The fields of a member, which stand beside its owner's own.
template <class T, class M>
JsonFields<T> within(M T::*member, const JsonFields<M>& fields) {
  JsonFields<T> own;
  for (const JsonField<M>& field : fields)
    own.push_back(
        {field.key, field.required,
         [=, read = field.read](JsonObject& object, T& value) { read(object, value.*member); },
         [=, write = field.write](const T& value, nlohmann::json& object) {
           write(value.*member, object);
         },
         field.schema, field.definitions});
  return own;
}
template <class T>
JsonFields<T> operator+(JsonFields<T> fields, const JsonFields<T>& more) {
  fields.insert(fields.end(), more.begin(), more.end());
  return fields;
}

/// What keys besides an object's own do: they are refused, or ignored as of a later version.
enum class OtherKeys { refused, ignored };

/// An object of these keys; `check` refuses what a schema cannot say.
template <class T>
JsonType<T> json_object(const JsonFields<T>& fields,
                        const std::function<void(const JsonNode&, const T&)>& check = nullptr,
                        OtherKeys others = OtherKeys::refused) {
  JsonType<T> type;
  std::vector<SharedFunction<void(JsonObject&, T&)>> readers;
  std::vector<SharedFunction<void(const T&, nlohmann::json&)>> writers;
  for (const JsonField<T>& field : fields) {
    readers.push_back(field.read);
    writers.push_back(field.write);
  }
  type.read = [readers, check, others](const JsonNode& node) {
    JsonObject object(node);
    T value{};
    for (const auto& read : readers) read(object, value);
    if (others == OtherKeys::refused) object.finish();
    if (check) check(node, value);
    return value;
  };
  type.write = [writers](const T& value) {
    nlohmann::json object = nlohmann::json::object();
    for (const auto& write : writers) write(value, object);
    return object;
  };
  type.schema = {{"type", "object"}};
  if (others == OtherKeys::refused) type.schema["additionalProperties"] = false;
  for (const JsonField<T>& field : fields) {
    type.schema["properties"][field.key] = field.schema;
    if (field.required) type.schema["required"].push_back(field.key);
    type.definitions.insert(field.definitions.begin(), field.definitions.end());
  }
  return type;
}

/// An array of at least `fewest` elements.
template <class T>
JsonType<std::vector<T>> json_list(const JsonType<T>& item, std::size_t fewest = 0) {
  JsonType<std::vector<T>> type;
  type.read = [fewest, read = item.read](const JsonNode& node) {
    std::vector<T> values;
    for (const JsonNode& one : node.items(fewest)) values.push_back(read(one));
    return values;
  };
  type.write = [write = item.write](const std::vector<T>& values) {
    nlohmann::json list = nlohmann::json::array();
    for (const T& value : values) list.push_back(write(value));
    return list;
  };
  type.schema = {{"type", "array"}, {"items", item.schema}};
  if (fewest > 0) type.schema["minItems"] = fewest;
  type.definitions = item.definitions;
  return type;
}

/// What the whole list must fulfil: `check` is asked of each element, by its index, and refuses it.
template <class T>
JsonType<std::vector<T>> checked_list(
    JsonType<std::vector<T>> type,
    const std::function<void(const JsonNode& item, const std::vector<T>&, std::size_t)>& check) {
  type.read = [check, read = type.read](const JsonNode& node) {
    const std::vector<T> values = read(node);
    const std::vector<JsonNode> items = node.items();
    for (std::size_t index = 0; index < values.size(); ++index) check(items[index], values, index);
    return values;
  };
  return type;
}

/// A list of objects whose numbers under the key rise; `what` names them in messages.
template <class T, class M>
JsonType<std::vector<T>> json_ascending(const std::string& key, M T::*member, const char* what,
                                        const JsonType<T>& item, std::size_t fewest = 0) {
  return checked_list<T>(
      json_list(item, fewest),
      [=](const JsonNode& node, const std::vector<T>& values, std::size_t index) {
        if (index > 0)
          require_above(node.child(key), what, values[index - 1].*member, values[index].*member);
      });
}

/// An object of any keys.
template <class T>
JsonType<std::map<std::string, T>> json_map(const JsonType<T>& item) {
  JsonType<std::map<std::string, T>> type;
  type.read = [read = item.read](const JsonNode& node) {
    JsonObject object(node);
    std::map<std::string, T> values;
    for (const std::string& key : object.keys()) values.emplace(key, read(object.required(key)));
    return values;
  };
  type.write = [write = item.write](const std::map<std::string, T>& values) {
    nlohmann::json object = nlohmann::json::object();
    for (const auto& [key, value] : values) object[key] = write(value);
    return object;
  };
  type.schema = {{"type", "object"}, {"additionalProperties", item.schema}};
  type.definitions = item.definitions;
  return type;
}

/// An object whose keys are some of the given ones, at least `fewest` of them, `expected`.
template <class T>
JsonType<std::map<std::string, T>> json_keyed(const std::vector<std::string>& keys,
                                              const JsonType<T>& item, std::size_t fewest = 0,
                                              const std::string& expected = {}) {
  JsonType<std::map<std::string, T>> type = json_map(item);
  type.read = [=, read = item.read](const JsonNode& node) {
    JsonObject object(node);
    std::map<std::string, T> values;
    for (const std::string& key : keys)
      if (const auto one = object.optional(key)) values.emplace(key, read(*one));
    object.finish();
    if (values.size() < fewest) node.refuse(expected);
    return values;
  };
  type.schema = {{"type", "object"}, {"additionalProperties", false}};
  for (const std::string& key : keys) type.schema["properties"][key] = item.schema;
  if (fewest > 0) type.schema["minProperties"] = fewest;
  return type;
}

/// An object of any keys, each the `name` (a member) of an element.
template <class T, class Name>
JsonType<std::vector<T>> json_by_name(Name name, const JsonType<T>& item) {
  JsonType<std::vector<T>> type;
  type.read = [=, read = item.read](const JsonNode& node) {
    JsonObject object(node);
    std::vector<T> values;
    for (const std::string& key : object.keys()) {
      values.push_back(read(object.required(key)));
      std::invoke(name, values.back()) = key;
    }
    return values;
  };
  type.write = [=, write = item.write](const std::vector<T>& values) {
    nlohmann::json object = nlohmann::json::object();
    for (const T& value : values) object[std::invoke(name, value)] = write(value);
    return object;
  };
  type.schema = {{"type", "object"}, {"additionalProperties", item.schema}};
  type.definitions = item.definitions;
  return type;
}

/// A T that stands as this member of it.
template <class T, class M>
JsonType<T> json_as(M T::*member, const JsonType<M>& type) {
  return {[=, read = type.read](const JsonNode& node) {
            T value{};
            value.*member = read(node);
            return value;
          },
          [=, write = type.write](const T& value) { return write(value.*member); }, type.schema,
          type.definitions};
}

/// The same type where `holds`, which `schema` says besides; else refused as not `expected`.
template <class T>
JsonType<T> restricted(JsonType<T> type, const nlohmann::json& schema,
                       const std::type_identity_t<std::function<bool(const T&)>>& holds,
                       const std::string& expected) {
  type.read = [holds, expected, read = type.read](const JsonNode& node) {
    const T value = read(node);
    if (!holds(value)) node.refuse(expected);
    return value;
  };
  type.schema = {{"allOf", {type.schema, schema}}};
  return type;
}

/// The same type, which the schema defines once under a name, with what it is.
template <class T>
JsonType<T> named(const std::string& name, const std::string& description, JsonType<T> type) {
  if (!description.empty()) type.schema["description"] = description;
  type.definitions[name] = std::exchange(type.schema, {{"$ref", "#/definitions/" + name}});
  return type;
}

/// The same for whoever need not know the type.
template <class T>
JsonType<std::any> json_any(const JsonType<T>& type) {
  return {
      [read = type.read](const JsonNode& node) { return std::any(read(node)); },
      [write = type.write](const std::any& value) { return write(std::any_cast<const T&>(value)); },
      type.schema, type.definitions};
}

}  // namespace bellwether
