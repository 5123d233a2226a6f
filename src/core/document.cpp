#include "core/document.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include <fmt/format.h>
#define TOML_EXCEPTIONS 1
#include <toml++/toml.h>

#include "dissensus/options.h"

#include "core/json_tape.h"
#include "core/limits.h"

namespace dissensus::internal {

namespace {
constexpr std::size_t kIndexFrom = 16;  // below, a linear search is faster than a map
constexpr std::size_t kMessageBytesMax = 1000;
}  // namespace

const DocumentValue* DocumentValue::find(std::string_view key) const {
  if (members.size() >= kIndexFrom) {
    const auto found = index.find(key);
    return found == index.end() ? nullptr : &members[found->second].value;
  }
  for (const DocumentMember& member : members) {
    if (member.name == key) return &member.value;
  }
  return nullptr;
}

DocumentValue& DocumentValue::add_member(std::string key, DocumentValue value) {
  members.push_back({std::move(key), std::move(value)});
  if (members.size() == kIndexFrom) {
    for (std::size_t i = 0; i < members.size(); ++i) index.emplace(members[i].name, i);
  } else if (members.size() > kIndexFrom) {
    index.emplace(members.back().name, members.size() - 1);
  }
  return members.back().value;
}

std::string printable(std::string_view text, std::size_t max) {
  std::string result;
  for (const char c : text.substr(0, max)) {
    result += (c >= 0x20 && c < 0x7F) ? c : '?';
  }
  if (text.size() > max) result += "...";
  return result;
}

void fail_at(const std::string& name, int line, std::string_view key, std::string_view message) {
  std::string text = name;
  if (line > 0) text += fmt::format(":{}", line);
  if (!key.empty()) text += fmt::format(": {}", printable(key));
  // Messages quote what the file holds, line breaks included; an error is one line all the same.
  throw InputError(fmt::format("{}: {}", text, printable(message, kMessageBytesMax)));
}

namespace {

[[noreturn]] void fail_too_deep(const std::string& name, int line) {
  fail_at(name, line, "",
          fmt::format("{}, expected at most {} levels", JsonTape::kTooDeep, kDocumentDepthMax));
}

void check_depth(std::size_t depth, const std::string& name, int line) {
  if (depth > kDocumentDepthMax) fail_too_deep(name, line);
}

DocumentValue from_toml_node(const toml::node& node, const std::string& name, std::size_t depth) {
  using Type = DocumentValue::Type;
  DocumentValue value;
  value.line = static_cast<int>(node.source().begin.line);
  check_depth(depth, name, value.line);
  if (const auto* table = node.as_table()) {
    value.type = Type::table;
    // toml++ keeps keys sorted; a person expects the order of the file.
    std::vector<std::pair<const toml::key*, const toml::node*>> children;
    for (const auto& [key, child] : *table) children.emplace_back(&key, &child);
    std::stable_sort(children.begin(), children.end(), [](const auto& a, const auto& b) {
      return a.second->source().begin.line < b.second->source().begin.line;
    });
    for (const auto& [key, child] : children) {
      value.add_member(std::string(key->str()), from_toml_node(*child, name, depth + 1));
    }
  } else if (const auto* array = node.as_array()) {
    value.type = Type::list;
    for (const auto& child : *array) value.items.push_back(from_toml_node(child, name, depth + 1));
  } else if (const auto* text = node.as_string()) {
    value.type = Type::text;
    value.text = text->get();
  } else if (const auto* integer = node.as_integer()) {
    value.type = Type::integer;
    value.integer = integer->get();
  } else if (const auto* number = node.as_floating_point()) {
    value.type = Type::number;
    value.number = number->get();
  } else if (const auto* boolean = node.as_boolean()) {
    value.type = Type::boolean;
    value.boolean = boolean->get();
  } else {
    fail_at(name, value.line, "",
            "dates and times of day are not used here, expected a plain value");
  }
  return value;
}

/// Makes values of the tokens of a JSON text, in the order of the text.
class JsonBuilder {
 public:
  JsonBuilder(const std::string& name, std::string_view text, const JsonTape& tape)
      : name_(name), text_(text), tape_(tape) {}

  /// The value at a token. Its depth is bounded by that of the tape.
  DocumentValue value(std::uint32_t index) {
    using Token = JsonToken::Type;
    using Type = DocumentValue::Type;
    const JsonToken& token = tape_[index];
    DocumentValue value;
    value.line = line_of(index);
    switch (token.type) {
      case Token::null:
        break;
      case Token::boolean:
        value.type = Type::boolean;
        value.boolean = token.number != 0;
        break;
      case Token::natural:
      case Token::negative:
        if (token.type == Token::natural && token.number > std::uint64_t{INT64_MAX}) {
          fail_at(name_, value.line, key_, "number too large");
        }
        value.type = Type::integer;
        value.integer = static_cast<std::int64_t>(token.number);
        break;
      case Token::number:
        value.type = Type::number;
        value.number = real_of(token, value.line);
        break;
      case Token::text:
        value.type = Type::text;
        value.text = token.text;
        break;
      case Token::array:
        value.type = Type::list;
        for (std::uint32_t item = index + 1; item < token.end; item = tape_[item].end) {
          key_ = {};
          value.items.push_back(this->value(item));
        }
        break;
      case Token::object:
        value.type = Type::table;
        add_members(value, index);
        break;
    }
    return value;
  }

 private:
  void add_members(DocumentValue& table, std::uint32_t index) {
    for (std::uint32_t key = index + 1; key < tape_[index].end; key = tape_[key + 1].end) {
      const std::string_view name = tape_[key].text;
      if (table.find(name) != nullptr) fail_at(name_, line_of(key), name, "key appears twice");
      key_ = name;
      DocumentValue member = value(key + 1);
      table.add_member(std::string(name), std::move(member));
    }
  }

  double real_of(const JsonToken& token, int line) const {
    const std::string digits(token.text);
    const double number = std::strtod(digits.c_str(), nullptr);
    if (!std::isfinite(number)) fail_at(name_, line, key_, "number too large");
    return number;
  }

  /// Tokens are asked for in the order of the text.
  int line_of(std::uint32_t index) {
    const std::size_t position = tape_.position_of(index);
    for (; counted_ < position; ++counted_) line_ += text_[counted_] == '\n' ? 1 : 0;
    return line_;
  }

  const std::string& name_;
  std::string_view text_;
  const JsonTape& tape_;
  std::string_view key_;
  std::size_t counted_ = 0;
  int line_ = 1;
};

/// Every token is a byte at least.
constexpr std::size_t kTokensMax = std::numeric_limits<std::uint32_t>::max();

}  // namespace

DocumentValue parse_toml(std::string_view text, const std::string& name) {
  try {
    const toml::table table = toml::parse(text, name);
    return from_toml_node(table, name, 0);
  } catch (const toml::parse_error& error) {
    fail_at(name, static_cast<int>(error.source().begin.line), "",
            "not valid TOML: " + printable(error.description()));
  }
}

DocumentValue parse_json(std::string_view text, const std::string& name) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  JsonTape tape(kTokensMax);
  try {
    tape.parse(text);
  } catch (const JsonFault& fault) {
    const std::string_view before = text.substr(0, fault.position);
    const int line = 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
    if (fault.message == JsonTape::kTooDeep) fail_too_deep(name, line);
    const std::size_t column = before.size() - (before.rfind('\n') + 1) + 1;
    fail_at(name, line, "", fmt::format("not valid JSON: {} at column {}", fault.message, column));
  }
  return JsonBuilder(name, text, tape).value(0);
}

}  // namespace dissensus::internal
