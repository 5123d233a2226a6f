// Values as JSON, in the manner of the community's Json module and of the Informal Trace Format.
#include <algorithm>
#include <cstdlib>
#include <limits>

#include <fmt/format.h>

#include "core/json_tape.h"
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

constexpr std::size_t kJsonDepthMax = 500;

/// Makes values of the tokens of a JSON text.
class ValueReader {
 public:
  ValueReader(Store& store, const JsonTape& tape) : store_(store), tape_(tape) {}

  /// The value at a token. Its depth is bounded by that of the tape.
  Value read(std::uint32_t index) {
    const JsonToken& token = tape_[index];
    switch (token.type) {
      case JsonToken::Type::null:
        return store_.text("null");
      case JsonToken::Type::boolean:
        return Value::boolean(token.number != 0);
      case JsonToken::Type::natural:
        if (token.number >= std::uint64_t{1} << 61) fail_number(token.text);
        return Value::integer(static_cast<std::int64_t>(token.number));
      case JsonToken::Type::negative: {
        const auto number = static_cast<std::int64_t>(token.number);
        if (!Value::fits(number)) fail_number(token.text);
        return Value::integer(number);
      }
      case JsonToken::Type::number:
        return cut_off(token.text, index == 0);
      case JsonToken::Type::text:
        return store_.text(token.text);
      case JsonToken::Type::array: {
        std::vector<Value> items;
        for (std::uint32_t item = index + 1; item < token.end; item = tape_[item].end) {
          items.push_back(read(item));
        }
        return store_.tuple(items);
      }
      case JsonToken::Type::object:
        return record(index);
    }
    return {};
  }

 private:
  [[noreturn]] static void fail_number(std::string_view text) {
    throw ValueError(fmt::format("the number {} in JSON is not a whole number of 62 bits", text));
  }

  /// TLC's reader cuts fractions off. Logs have them in time stamps that nobody compares.
  static Value cut_off(std::string_view text, bool is_all) {
    constexpr double kLimit = 0x1p61;
    const double number = std::strtod(std::string(text).c_str(), nullptr);
    if (is_all || !(number > -kLimit && number < kLimit)) fail_number(text);
    return Value::integer(static_cast<std::int64_t>(number));
  }

  /// Of a name given twice the last value counts, as in most readers.
  Value record(std::uint32_t index) {
    std::vector<Value> names, values;
    for (std::uint32_t key = index + 1; key < tape_[index].end; key = tape_[key + 1].end) {
      const Value name = store_.text(tape_[key].text);
      const Value value = read(key + 1);
      const auto known = std::find(names.begin(), names.end(), name);
      if (known != names.end()) {
        values[static_cast<std::size_t>(known - names.begin())] = value;
        continue;
      }
      names.push_back(name);
      values.push_back(value);
    }
    return store_.record(names, values);
  }

  Store& store_;
  const JsonTape& tape_;
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
  JsonTape tape(std::numeric_limits<std::uint32_t>::max(), kJsonDepthMax);
  try {
    tape.parse(json);
  } catch (const JsonFault& fault) {
    if (fault.message == JsonTape::kTooDeep) {
      throw ValueError(fmt::format("JSON is nested more than {} levels deep", kJsonDepthMax));
    }
    throw ValueError(
        fmt::format("this is not JSON, at byte {}: {}", fault.position + 1, fault.message));
  }
  return ValueReader(store, tape).read(0);
}

}  // namespace dissensus::tla
