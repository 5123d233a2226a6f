// Values as JSON, in the manner of the community's Json module and of the Informal Trace Format.
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tla/values/store_memory.h"

namespace dissensus::tla {
namespace {

void write_string(std::string_view text, std::string& out) {
  constexpr std::string_view kHex = "0123456789abcdef";
  out += '"';
  for (const char letter : text) {
    const auto code = static_cast<unsigned char>(letter);
    if (letter == '"' || letter == '\\') {
      out += '\\';
      out += letter;
    } else if (letter == '\n') {
      out += "\\n";
    } else if (letter == '\t') {
      out += "\\t";
    } else if (letter == '\r') {
      out += "\\r";
    } else if (code < 0x20) {
      out += "\\u00";
      out += kHex[code >> 4];
      out += kHex[code & 15];
    } else {
      out += letter;
    }
  }
  out += '"';
}

template <class Write>
void write_array(std::span<const Value> items, std::string& out, const Write& write_item) {
  out += '[';
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) out += ',';
    write_item(items[i]);
  }
  out += ']';
}

void write_json(Value value, std::string& out) {
  const auto write_item = [&](Value item) { write_json(item, out); };
  switch (value.type()) {
    case Type::boolean:
      out += value.truth() ? "true" : "false";
      return;
    case Type::integer:
      fmt::format_to(std::back_inserter(out), "{}", value.number());
      return;
    case Type::text:
    case Type::model_value:
      write_string(value.cell()->bytes(), out);
      return;
    case Type::set:
    case Type::tuple:
      write_array(items_of(value), out, write_item);
      return;
    case Type::record:
    case Type::function: {
      const std::span<const Value> items = items_of(value), keys = items_of(items[0]);
      out += '{';
      for (std::size_t i = 0; i < keys.size(); ++i) {
        if (i > 0) out += ',';
        const bool is_text = keys[i].is(Type::text);
        write_string(is_text ? std::string(keys[i].cell()->bytes()) : to_string(keys[i]), out);
        out += ':';
        write_json(items[i + 1], out);
      }
      out += '}';
      return;
    }
    case Type::interval: {
      const std::int64_t low = value.cell()->items()[0].number();
      const std::int64_t high = value.cell()->items()[1].number();
      out += '[';
      for (std::int64_t number = low; number <= high; ++number) {
        if (number != low) out += ',';
        fmt::format_to(std::back_inserter(out), "{}", number);
      }
      out += ']';
      return;
    }
    default:
      write_string(to_string(value), out);
  }
}

void write_itf(Value value, std::string& out) {
  const auto write_item = [&](Value item) { write_itf(item, out); };
  switch (value.type()) {
    case Type::integer:
      fmt::format_to(std::back_inserter(out), "{{\"#bigint\":\"{}\"}}", value.number());
      return;
    case Type::set:
      out += "{\"#set\":";
      write_array(items_of(value), out, write_item);
      out += '}';
      return;
    case Type::tuple:
      out += "{\"#tup\":";
      write_array(items_of(value), out, write_item);
      out += '}';
      return;
    case Type::record: {
      const std::span<const Value> items = items_of(value), names = items_of(items[0]);
      out += '{';
      for (std::size_t i = 0; i < names.size(); ++i) {
        if (i > 0) out += ',';
        write_string(names[i].cell()->bytes(), out);
        out += ':';
        write_itf(items[i + 1], out);
      }
      out += '}';
      return;
    }
    case Type::function: {
      const std::span<const Value> items = items_of(value), domain = items_of(items[0]);
      out += "{\"#map\":[";
      for (std::size_t i = 0; i < domain.size(); ++i) {
        out += i > 0 ? ",[" : "[";
        write_itf(domain[i], out);
        out += ',';
        write_itf(items[i + 1], out);
        out += ']';
      }
      out += "]}";
      return;
    }
    case Type::boolean:
    case Type::text:
    case Type::model_value:
      write_json(value, out);
      return;
    default:
      out += "{\"#unserializable\":";
      write_string(to_string(value), out);
      out += '}';
  }
}

/// Builds values while the parser reads, without a document in between.
class ValueReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit ValueReader(Store& store) : store_(store) {}

  Value result() const { return result_; }

  bool null() override { return add(store_.text("null")); }
  bool boolean(bool truth) override { return add(Value::boolean(truth)); }
  bool number_integer(number_integer_t number) override {
    if (!Value::fits(number)) fail_number(fmt::format("{}", number));
    return add(Value::integer(number));
  }
  bool number_unsigned(number_unsigned_t number) override {
    if (number >= std::uint64_t{1} << 61) fail_number(fmt::format("{}", number));
    return add(Value::integer(static_cast<std::int64_t>(number)));
  }
  bool number_float(number_float_t number, const string_t& text) override {
    // TLC's reader cuts fractions off. Logs have them in time stamps that nobody compares.
    constexpr double kLimit = 0x1p61;
    if (levels_.empty() || !(number > -kLimit && number < kLimit)) fail_number(text);
    return add(Value::integer(static_cast<std::int64_t>(number)));
  }
  bool string(string_t& text) override { return add(store_.text(text)); }
  bool binary(binary_t&) override { throw ValueError("binary data in JSON"); }

  bool start_object(std::size_t) override { return open(true); }
  bool key(string_t& name) override {
    levels_.back().names.push_back(store_.text(name));
    return true;
  }
  bool end_object() override {
    Level level = close();
    // Of a name given twice the last value counts, as in most readers.
    std::vector<Value> names, values;
    for (std::size_t i = 0; i < level.names.size(); ++i) {
      const auto known = std::find(names.begin(), names.end(), level.names[i]);
      if (known != names.end()) {
        values[static_cast<std::size_t>(known - names.begin())] = level.values[i];
        continue;
      }
      names.push_back(level.names[i]);
      values.push_back(level.values[i]);
    }
    return add(store_.record(names, values));
  }
  bool start_array(std::size_t) override { return open(false); }
  bool end_array() override { return add(store_.tuple(close().values)); }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    std::string_view reason = error.what();
    if (const std::size_t end = reason.find("] "); end != std::string_view::npos) {
      reason.remove_prefix(end + 2);
    }
    throw ValueError(fmt::format("this is not JSON, at byte {}: {}", position, reason));
  }

 private:
  struct Level {
    bool is_object = false;
    std::vector<Value> names;
    std::vector<Value> values;
  };

  [[noreturn]] static void fail_number(const std::string& text) {
    throw ValueError(fmt::format("the number {} in JSON is not a whole number of 62 bits", text));
  }

  bool add(Value value) {
    if (levels_.empty()) {
      result_ = value;
    } else {
      levels_.back().values.push_back(value);
    }
    return true;
  }
  bool open(bool is_object) {
    constexpr std::size_t kJsonDepthMax = 500;
    if (levels_.size() >= kJsonDepthMax) {
      throw ValueError(fmt::format("JSON is nested more than {} levels deep", kJsonDepthMax));
    }
    levels_.push_back({.is_object = is_object, .names = {}, .values = {}});
    return true;
  }
  Level close() {
    Level level = std::move(levels_.back());
    levels_.pop_back();
    return level;
  }

  Store& store_;
  std::vector<Level> levels_;
  Value result_;
};

}  // namespace

std::string to_json(Value value) {
  std::string out;
  write_json(value, out);
  return out;
}

std::string to_itf(Value value) {
  std::string out;
  write_itf(value, out);
  return out;
}

Value from_json(Store& store, std::string_view json) {
  ValueReader reader(store);
  nlohmann::json::sax_parse(json.begin(), json.end(), &reader);
  return reader.result();
}

}  // namespace dissensus::tla
