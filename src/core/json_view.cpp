#include "core/json_view.h"

#include <fmt/format.h>

namespace dissensus {

std::string JsonPath::text() const {
  return parent.empty() ? std::string(name) : fmt::format("{}.{}", parent, name);
}

void JsonView::expected(std::uint32_t token, const JsonPath& path, std::string_view what) const {
  fail(path, fmt::format("{}, expected {}", to_string(tape_[token].type), what));
}

std::optional<std::uint32_t> JsonView::find(std::uint32_t object, std::string_view key) const {
  expect(object, Type::object, key);
  for (std::uint32_t token = object + 1; token < tape_[object].end; token = tape_[token + 1].end) {
    if (tape_[token].text == key) return token + 1;
  }
  return std::nullopt;
}

std::uint32_t JsonView::at(std::uint32_t object, std::string_view key) const {
  const auto value = find(object, key);
  if (!value) fail(key, "missing");
  return *value;
}

std::uint64_t JsonView::natural(std::uint32_t token, const JsonPath& path,
                                std::uint64_t max) const {
  const JsonToken& value = tape_[token];
  if (value.type != Type::natural) {
    expected(token, path, fmt::format("an integer of 0 to {}", max));
  }
  if (value.number > max) {
    fail(path, fmt::format("{} is too large, expected at most {}", value.number, max));
  }
  return value.number;
}

std::int64_t JsonView::integer(std::uint32_t token, const JsonPath& path) const {
  const JsonToken& value = tape_[token];
  const bool fits = value.type == Type::negative ||
                    (value.type == Type::natural && value.number <= std::uint64_t{INT64_MAX});
  if (!fits) expected(token, path, "an integer of 64 bits with sign");
  return static_cast<std::int64_t>(value.number);
}

Digest JsonView::digest(std::uint32_t token, const JsonPath& path) const {
  Digest digest;
  if (!parse_digest(text(token, path), digest)) {
    fail(path, "no digest, expected a decimal number or 32 hexadecimal digits");
  }
  return digest;
}

std::vector<std::uint32_t> JsonView::items(std::uint32_t token, const JsonPath& path) const {
  expect(token, Type::array, path);
  std::vector<std::uint32_t> result;
  each_element(token, [&](std::uint32_t item) { result.push_back(item); });
  return result;
}

}  // namespace dissensus
