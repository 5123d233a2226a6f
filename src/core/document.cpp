#include "core/document.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#define TOML_EXCEPTIONS 1
#include <toml++/toml.h>

#include "dissensus/options.h"

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

void check_depth(std::size_t depth, const std::string& name, int line) {
  if (depth > kDocumentDepthMax) {
    fail_at(name, line, "",
            fmt::format("nested too deeply, expected at most {} levels", kDocumentDepthMax));
  }
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

/// Counts lines while the JSON parser consumes characters. The parser reads one character beyond a
/// number, so the count excludes the character read last.
struct LineCounter {
  int lines_before_last = 1;
  bool last_was_newline = false;
  void consume(char c) {
    if (last_was_newline) ++lines_before_last;
    last_was_newline = c == '\n';
  }
};
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;
  CountingIterator(const char* position, LineCounter* counter)
      : position_(position), counter_(counter) {}
  reference operator*() const { return *position_; }
  CountingIterator& operator++() {
    counter_->consume(*position_);
    ++position_;
    return *this;
  }
  friend bool operator==(const CountingIterator& a, const CountingIterator& b) {
    return a.position_ == b.position_;
  }
  friend bool operator!=(const CountingIterator& a, const CountingIterator& b) { return !(a == b); }

 private:
  const char* position_;
  LineCounter* counter_;
};

class JsonBuilder {
 public:
  JsonBuilder(const std::string& name, const LineCounter& counter)
      : name_(name), counter_(counter) {}
  DocumentValue take() { return std::move(root_); }

  // The interface that nlohmann::json::sax_parse calls.
  bool null() {
    add(DocumentValue::Type::null);
    return true;
  }
  bool boolean(bool value) {
    add(DocumentValue::Type::boolean).boolean = value;
    return true;
  }
  bool number_integer(std::int64_t value) {
    add(DocumentValue::Type::integer).integer = value;
    return true;
  }
  bool number_unsigned(std::uint64_t value) {
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      fail_at(name_, counter_.lines_before_last, key_, "number too large");
    }
    return number_integer(static_cast<std::int64_t>(value));
  }
  bool number_float(double value, const std::string&) {
    add(DocumentValue::Type::number).number = value;
    return true;
  }
  bool string(std::string& value) {
    add(DocumentValue::Type::text).text = std::move(value);
    return true;
  }
  bool binary(std::vector<std::uint8_t>&) { return false; }
  bool start_object(std::size_t) { return open(DocumentValue::Type::table); }
  bool start_array(std::size_t) { return open(DocumentValue::Type::list); }
  bool key(std::string& value) {
    if (stack_.back()->find(value) != nullptr) {
      fail_at(name_, counter_.lines_before_last, value, "key appears twice");
    }
    key_ = std::move(value);
    return true;
  }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception& error) {
    std::string what = error.what();
    if (const auto position = what.find(": "); position != std::string::npos)
      what.erase(0, position + 2);
    fail_at(name_, counter_.lines_before_last, "", "not valid JSON: " + printable(what));
  }

 private:
  DocumentValue& add(DocumentValue::Type type) {
    DocumentValue* place = &root_;
    if (!stack_.empty()) {
      DocumentValue& parent = *stack_.back();
      if (parent.type == DocumentValue::Type::table) {
        place = &parent.add_member(std::move(key_), DocumentValue{});
        key_.clear();
      } else {
        place = &parent.items.emplace_back();
      }
    }
    place->type = type;
    place->line = counter_.lines_before_last;
    return *place;
  }
  bool open(DocumentValue::Type type) {
    check_depth(stack_.size() + 1, name_, counter_.lines_before_last);
    stack_.push_back(&add(type));
    return true;
  }
  bool close() {
    stack_.pop_back();
    return true;
  }

  const std::string& name_;
  const LineCounter& counter_;
  DocumentValue root_;
  std::vector<DocumentValue*> stack_;
  std::string key_;
};

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
  LineCounter counter;
  JsonBuilder builder(name, counter);
  // Every failure leaves as an InputError from within; the return value says nothing new.
  const bool complete =
      nlohmann::json::sax_parse(CountingIterator(text.data(), &counter),
                                CountingIterator(text.data() + text.size(), &counter), &builder);
  if (!complete) fail_at(name, counter.lines_before_last, "", "not valid JSON");
  return builder.take();
}

}  // namespace dissensus::internal
