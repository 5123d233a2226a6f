#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dissensus/history.h"

namespace dissensus::history {

namespace {

void append_text(std::string& out, const Value& value, std::size_t max);

void append_items(std::string& out, const Value& value, std::size_t max, const char* brackets) {
  out += brackets[0];
  bool is_first = true;
  for (const Value& item : value.items()) {
    if (!is_first) out += ' ';
    is_first = false;
    if (out.size() >= max) {
      out += "...";
      break;
    }
    append_text(out, item, max);
  }
  out += brackets[1];
}

void append_text(std::string& out, const Value& value, std::size_t max) {
  switch (value.type()) {
    case Value::Type::nil:
      out += "nil";
      return;
    case Value::Type::boolean:
      out += value.boolean() ? "true" : "false";
      return;
    case Value::Type::integer:
      out += fmt::to_string(value.integer());
      return;
    case Value::Type::number:
      out += fmt::to_string(value.number());
      return;
    case Value::Type::text:
    case Value::Type::word: {
      const bool is_quoted = value.type() == Value::Type::text;
      const std::string_view text = value.text();
      if (is_quoted) out += '"';
      // One line, whatever the text holds.
      for (const char c : text.substr(0, max)) {
        out += static_cast<unsigned char>(c) >= 0x20 && c != 0x7F ? c : ' ';
      }
      if (text.size() > max) out += "...";
      if (is_quoted) out += '"';
      return;
    }
    case Value::Type::list:
      append_items(out, value, max, "[]");
      return;
    case Value::Type::set:
      out += '#';
      append_items(out, value, max, "{}");
      return;
    case Value::Type::map:
      append_items(out, value, max, "{}");
      return;
  }
}

nlohmann::ordered_json json_of(const Value& value) {
  switch (value.type()) {
    case Value::Type::nil:
      return nullptr;
    case Value::Type::boolean:
      return value.boolean();
    case Value::Type::integer:
      return value.integer();
    case Value::Type::number:
      return value.number();
    case Value::Type::text:
    case Value::Type::word:
      return std::string(value.text());
    case Value::Type::list:
    case Value::Type::set: {
      auto list = nlohmann::ordered_json::array();
      for (const Value& item : value.items()) list.push_back(json_of(item));
      return list;
    }
    case Value::Type::map:
      break;
  }
  auto map = nlohmann::ordered_json::object();
  const std::span<const Value> items = value.items();
  for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
    const bool is_text = items[i].is_text();
    map[is_text ? std::string(items[i].text()) : to_string(items[i])] = json_of(items[i + 1]);
  }
  return map;
}

}  // namespace

std::string to_string(const Value& value, std::size_t max) {
  std::string out;
  append_text(out, value, max);
  return out;
}

std::string to_json(const Value& value) {
  return json_of(value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace dissensus::history
