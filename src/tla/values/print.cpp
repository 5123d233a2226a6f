// Values as TLA+ text.
#include <fmt/format.h>

#include "tla/values/store_memory.h"

namespace dissensus::tla {
namespace {

void write_quoted(std::string_view text, std::string& out) {
  out += '"';
  for (const char letter : text) {
    switch (letter) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\f':
        out += "\\f";
        break;
      default:
        out += letter;
    }
  }
  out += '"';
}

void write(Value value, std::string& out);

/// The value as an operand: in brackets where its text has an operator of its own.
void write_operand(Value value, std::string& out) {
  const bool needs_brackets = value.is(Type::product) || value.is(Type::set_union) ||
                              value.is(Type::set_intersection) || value.is(Type::set_difference) ||
                              value.is(Type::powerset) || value.is(Type::interval);
  if (needs_brackets) out += '(';
  write(value, out);
  if (needs_brackets) out += ')';
}

void write_list(std::span<const Value> items, std::string_view separator, std::string& out) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) out += separator;
    write(items[i], out);
  }
}

/// A name that can stand before |-> as it is; any other string cannot be a field in TLA+ text.
bool is_name(std::string_view text) {
  bool has_letter = false;
  for (const char letter : text) {
    const bool is_letter = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
    if (!is_letter && letter != '_' && !(letter >= '0' && letter <= '9')) return false;
    has_letter = has_letter || is_letter;
  }
  return has_letter;
}

bool has_field_names(Value names) {
  for (const Value name : items_of(names)) {
    if (!is_name(name.cell()->bytes())) return false;
  }
  return true;
}

void write_fields(Value record, std::string_view arrow, std::string& out) {
  const std::span<const Value> items = items_of(record), names = items_of(items[0]);
  out += '[';
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) out += ", ";
    out += names[i].cell()->bytes();
    out += arrow;
    write(items[i + 1], out);
  }
  out += ']';
}

void write_function(Value function, std::string& out) {
  const std::span<const Value> items = items_of(function), domain = items_of(items[0]);
  out += '(';
  for (std::size_t i = 0; i < domain.size(); ++i) {
    if (i > 0) out += " @@ ";
    write(domain[i], out);
    out += " :> ";
    write(items[i + 1], out);
  }
  out += ')';
}

void write_infix(Value value, std::string_view symbol, std::string& out) {
  const std::span<const Value> items = items_of(value);
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) out += symbol;
    write_operand(items[i], out);
  }
}

void write_lazy(Value value, std::string& out) {
  const std::span<const Value> items = items_of(value);
  switch (value.type()) {
    case Type::interval:
      write_infix(value, "..", out);
      break;
    case Type::powerset:
      out += "SUBSET ";
      write_operand(items[0], out);
      break;
    case Type::function_set:
      out += '[';
      write(items[0], out);
      out += " -> ";
      write(items[1], out);
      out += ']';
      break;
    case Type::record_set:
      write_fields(value, ": ", out);
      break;
    case Type::product:
      write_infix(value, " \\X ", out);
      break;
    case Type::set_union:
      write_infix(value, " \\cup ", out);
      break;
    case Type::set_intersection:
      write_infix(value, " \\cap ", out);
      break;
    case Type::set_difference:
      write_infix(value, " \\ ", out);
      break;
    case Type::sequences:
      out += "Seq(";
      write(items[0], out);
      out += ')';
      break;
    case Type::naturals:
      out += "Nat";
      break;
    case Type::integers:
      out += "Int";
      break;
    case Type::strings:
      out += "STRING";
      break;
    default:
      out += "Any";
  }
}

void write(Value value, std::string& out) {
  if (value.is_null()) {
    out += "no value";
    return;
  }
  switch (value.type()) {
    case Type::boolean:
      out += value.truth() ? "TRUE" : "FALSE";
      break;
    case Type::integer:
      fmt::format_to(std::back_inserter(out), "{}", value.number());
      break;
    case Type::text:
      write_quoted(value.cell()->bytes(), out);
      break;
    case Type::model_value:
      out += value.cell()->bytes();
      break;
    case Type::set:
      out += '{';
      write_list(items_of(value), ", ", out);
      out += '}';
      break;
    case Type::tuple:
      out += "<<";
      write_list(items_of(value), ", ", out);
      out += ">>";
      break;
    case Type::record:
      if (has_field_names(value.cell()->items()[0])) {
        write_fields(value, " |-> ", out);
      } else {
        write_function(value, out);
      }
      break;
    case Type::function:
      write_function(value, out);
      break;
    default:
      write_lazy(value, out);
  }
}

void write_pretty(Value value, std::size_t indent, std::size_t width, std::string& out);

/// "open" parts "close": one part per line, aligned after the opening bracket.
template <class WritePart>
void write_block(std::string_view open, std::string_view separator, std::string_view close,
                 std::size_t count, std::size_t indent, std::string& out,
                 const WritePart& write_part) {
  out += open;
  const std::size_t inner = indent + open.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) {
      out += separator;
      out += '\n';
      out.append(inner, ' ');
    }
    write_part(i, inner);
  }
  out += close;
}

void write_pretty(Value value, std::size_t indent, std::size_t width, std::string& out) {
  std::string line;
  write(value, line);
  const bool is_compound = value.is_cell() && (value.is(Type::set) || is_function(value.type())) &&
                           value.cell()->size > 0;
  if (indent + line.size() <= width || !is_compound) {
    out += line;
    return;
  }
  const std::span<const Value> items = items_of(value);
  const auto write_item = [&](std::size_t i, std::size_t inner) {
    write_pretty(items[i], inner, width, out);
  };
  const auto write_pair = [&](std::string_view key, std::string_view arrow, std::size_t i,
                              std::size_t inner) {
    out += key;
    out += arrow;
    write_pretty(items[i + 1], inner + key.size() + arrow.size(), width, out);
  };
  if (value.is(Type::set)) {
    write_block("{ ", ",", " }", items.size(), indent, out, write_item);
  } else if (value.is(Type::tuple)) {
    write_block("<< ", ",", " >>", items.size(), indent, out, write_item);
  } else if (value.is(Type::record) && has_field_names(items[0])) {
    const std::span<const Value> names = items_of(items[0]);
    write_block("[ ", ",", " ]", names.size(), indent, out, [&](std::size_t i, std::size_t inner) {
      write_pair(names[i].cell()->bytes(), " |-> ", i, inner);
    });
  } else {
    const std::span<const Value> domain = items_of(items[0]);
    write_block("( ", " @@", " )", domain.size(), indent, out,
                [&](std::size_t i, std::size_t inner) {
                  std::string key;
                  write(domain[i], key);
                  write_pair(key, " :> ", i, inner);
                });
  }
}

}  // namespace

std::string to_string(Value value) {
  std::string out;
  write(value, out);
  return out;
}

std::string to_pretty_string(Value value, std::size_t indent, std::size_t width) {
  std::string out;
  write_pretty(value, indent, width, out);
  return out;
}

}  // namespace dissensus::tla
