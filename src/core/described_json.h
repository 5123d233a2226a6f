// Described records (core/describe.h) as JSON, and the schema of that. A field that is an optional
// is left out where it is empty. A type that is written in a way of its own has to_json() and a
// static schema().
#pragma once

#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/describe.h"

namespace dissensus {

using OrderedJson = nlohmann::ordered_json;

template <class Value>
OrderedJson json_of(const Value& value);
template <class Value>
OrderedJson schema_of();

namespace internal {

template <class>
struct ListItem;
template <class Item>
struct ListItem<std::vector<Item>> {
  using Type = Item;
};
template <class Value>
concept IsList = requires {
  typename ListItem<Value>::Type;
};

template <class>
struct MapItem;
template <class Item>
struct MapItem<std::map<std::string, Item>> {
  using Type = Item;
};
template <class Value>
concept IsMapOfNames = requires {
  typename MapItem<Value>::Type;
};

template <class>
struct Optional;
template <class Value>
struct Optional<std::optional<Value>> {
  using Type = Value;
};
template <class Value>
concept IsOptional = requires {
  typename Optional<Value>::Type;
};

template <class Value>
concept WritesItself = requires(const Value& value) {
  value.to_json();
  Value::schema();
};

template <class>
inline constexpr bool kHasNoJson = false;

template <class Record>
OrderedJson schema_of_record() {
  OrderedJson properties = OrderedJson::object();
  OrderedJson required = OrderedJson::array();
  const Record record{};
  for_each_field(record, [&]<class Member>(const Member&, const Field& field) {
    OrderedJson schema;
    if constexpr (IsOptional<Member>) {
      schema = schema_of<typename Optional<Member>::Type>();
    } else {
      schema = schema_of<Member>();
      required.push_back(field.name);
    }
    if (!field.about.empty()) schema["description"] = field.about;
    properties[std::string(field.name)] = std::move(schema);
  });
  return {{"type", "object"}, {"required", required}, {"properties", properties}};
}

}  // namespace internal

template <class Value>
OrderedJson json_of(const Value& value) {
  using namespace internal;
  if constexpr (WritesItself<Value>) {
    return value.to_json();
  } else if constexpr (Described<Value>) {
    OrderedJson object = OrderedJson::object();
    for_each_field(value, [&]<class Member>(const Member& member, const Field& field) {
      if constexpr (IsOptional<Member>) {
        if (member) object[std::string(field.name)] = json_of(*member);
      } else {
        object[std::string(field.name)] = json_of(member);
      }
    });
    return object;
  } else if constexpr (IsList<Value>) {
    OrderedJson list = OrderedJson::array();
    for (const auto& item : value) list.push_back(json_of(item));
    return list;
  } else if constexpr (IsMapOfNames<Value>) {
    OrderedJson object = OrderedJson::object();
    for (const auto& [name, item] : value) object[name] = json_of(item);
    return object;
  } else if constexpr (Counted<Value>) {
    return to_string(value);
  } else {
    return value;
  }
}

template <class Value>
OrderedJson schema_of() {
  using namespace internal;
  if constexpr (WritesItself<Value>) {
    return Value::schema();
  } else if constexpr (Described<Value>) {
    return schema_of_record<Value>();
  } else if constexpr (IsList<Value>) {
    return {{"type", "array"}, {"items", schema_of<typename ListItem<Value>::Type>()}};
  } else if constexpr (IsMapOfNames<Value>) {
    return {{"type", "object"},
            {"additionalProperties", schema_of<typename MapItem<Value>::Type>()}};
  } else if constexpr (Counted<Value>) {
    OrderedJson words = OrderedJson::array();
    for (auto word = 0; word <= static_cast<int>(last_of(Value{})); ++word) {
      words.push_back(to_string(static_cast<Value>(word)));
    }
    return {{"enum", words}};
  } else if constexpr (std::is_same_v<Value, bool>) {
    return {{"type", "boolean"}};
  } else if constexpr (std::is_unsigned_v<Value>) {
    return {{"type", "integer"}, {"minimum", 0}};
  } else if constexpr (std::is_integral_v<Value>) {
    return {{"type", "integer"}};
  } else if constexpr (std::is_floating_point_v<Value>) {
    return {{"type", "number"}};
  } else if constexpr (std::is_convertible_v<Value, std::string_view>) {
    return {{"type", "string"}};
  } else {
    static_assert(kHasNoJson<Value>, "schema_of : no way to write this as JSON");
  }
}

/// A value that may be missing and is null then; an optional field is left out.
template <class Value>
struct Nullable {
  std::optional<Value> value;

  OrderedJson to_json() const { return value ? json_of(*value) : OrderedJson(nullptr); }
  static OrderedJson schema() {
    return {{"anyOf", OrderedJson::array({schema_of<Value>(), {{"type", "null"}}})}};
  }
};

}  // namespace dissensus
