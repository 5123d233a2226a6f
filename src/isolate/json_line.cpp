#include "isolate/json_line.h"

#include <fmt/format.h>

namespace dissensus::isolate {

void JsonLine::expect(std::uint32_t token, Type type, std::string_view key) const {
  if (tape_[token].type == type) return;
  fail(key,
       fmt::format("{}, expected {}", trace::to_string(tape_[token].type), trace::to_string(type)));
}

std::optional<std::uint32_t> JsonLine::find(std::uint32_t object, std::string_view key) const {
  expect(object, Type::object, key);
  for (std::uint32_t token = object + 1; token < tape_[object].end;) {
    const std::uint32_t value = token + 1;
    if (tape_[token].text == key) return value;
    token = tape_[value].end;
  }
  return std::nullopt;
}

std::uint32_t JsonLine::at(std::uint32_t object, std::string_view key) const {
  const auto value = find(object, key);
  if (!value) fail(key, "missing");
  return *value;
}

std::string_view JsonLine::text(std::uint32_t token, std::string_view key) const {
  expect(token, Type::text, key);
  return tape_[token].text;
}

bool JsonLine::boolean(std::uint32_t token, std::string_view key) const {
  expect(token, Type::boolean, key);
  return tape_[token].number != 0;
}

std::int64_t JsonLine::integer(std::uint32_t token, std::string_view key) const {
  const trace::JsonToken& value = tape_[token];
  constexpr std::uint64_t kMax = 0x7FFFFFFFFFFFFFFF;
  if (value.type == Type::negative || (value.type == Type::natural && value.number <= kMax))
    return static_cast<std::int64_t>(value.number);
  fail(key, fmt::format("{}, expected an integer", trace::to_string(value.type)));
}

std::uint64_t JsonLine::natural(std::uint32_t token, std::uint64_t max,
                                std::string_view key) const {
  const trace::JsonToken& value = tape_[token];
  if (value.type == Type::natural && value.number <= max) return value.number;
  if (value.type == Type::natural)
    fail(key, fmt::format("{}, expected an integer of 0 to {}", value.number, max));
  fail(key, fmt::format("{}, expected an integer of 0 to {}", trace::to_string(value.type), max));
}

std::vector<std::uint32_t> JsonLine::items(std::uint32_t token, std::string_view key) const {
  expect(token, Type::array, key);
  std::vector<std::uint32_t> result;
  for (std::uint32_t item = token + 1; item < tape_[token].end; item = tape_[item].end)
    result.push_back(item);
  return result;
}

}  // namespace dissensus::isolate
