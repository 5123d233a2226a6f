// What the types of parts share: access to a value, its JSON schema, and what a range of it is.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "faults/part.h"

namespace dissensus::faults {

using Json = nlohmann::ordered_json;

inline Json schema_of_integer(std::int64_t low, std::int64_t high) {
  return {{"type", "integer"}, {"minimum", low}, {"maximum", high}};
}
inline Json schema_of_list(const Json& one, std::size_t least, std::size_t most = 0) {
  Json list{{"type", "array"}, {"items", one}, {"minItems", least}};
  if (most > 0) list["maxItems"] = most;
  return list;
}
Json schema_of_nodes();
Json schema_of_duration();
/// One value, or [least, most].
Json schema_of_span(const Json& one);
/// One value, or a list to choose from.
Json schema_of_alternatives(const Json& one);

template <class Read>
auto read_alternatives(const OptionValue& value, Read read) {
  std::vector<decltype(read(value))> result;
  if (!value.is_list()) return result.push_back(read(value)), result;
  for (const OptionValue& member : value.list()) result.push_back(read(member));
  if (result.empty()) value.fail("expected at least one value, found none");
  return result;
}
template <class Value>
const Value& any_of(const std::vector<Value>& alternatives, Random& random) {
  return alternatives[random.below(alternatives.size())];
}

template <class Value>
struct Bounds {
  Value least;
  Value most;

  Value draw(Random& random) const {
    if (least == most) return least;
    if constexpr (std::is_same_v<Value, Duration>) {
      using std::chrono::milliseconds;
      const Duration drawn{random.between(least.count(), most.count())};
      // What is written in milliseconds, where the bounds leave a choice of them.
      if (most - least < milliseconds(1)) return drawn;
      const Duration whole = std::chrono::duration_cast<milliseconds>(drawn);
      return std::clamp(whole, least, most);
    } else if constexpr (std::is_floating_point_v<Value>) {
      return least + (most - least) * random.unit();
    } else {
      return static_cast<Value>(
          random.between(static_cast<std::int64_t>(least), static_cast<std::int64_t>(most)));
    }
  }
};
template <class Read>
auto read_bounds(const OptionValue& value, Read read) {
  const auto values = read_alternatives(value, read);
  if (values.size() > 2) {
    value.fail(fmt::format("expected [least, most], found {} values", values.size()));
  }
  if (values.back() < values.front()) value.fail("expected [least, most], least <= most");
  return Bounds<std::decay_t<decltype(values.front())>>{values.front(), values.back()};
}

/// A part whose value is one member.
template <class Value>
class Typed : public Part {
 public:
  Typed(std::string_view name, Access<Value> access, Weight part_weight = Weight::beside)
      : Part(name, part_weight), access_(access) {}

  void put(const void* fault, ByteWriter& writer) const override {
    dissensus::put(writer, of(fault));
  }
  void take(void* fault, ByteReader& reader) const override { dissensus::take(reader, of(fault)); }

 protected:
  Value& of(void* fault) const { return access_(fault); }
  const Value& of(const void* fault) const { return access_(const_cast<void*>(fault)); }

  Access<Value> access_;
};

}  // namespace dissensus::faults
