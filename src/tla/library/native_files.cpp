// Json, IOUtils, CSV: what reads and writes files. Writing needs Environment::may_write_files;
// programs are never started.
#include <algorithm>
#include <charconv>
#include <fstream>

#include <fmt/format.h>
#include <zlib.h>

#include "core/file.h"
#include "tla/library/native_call.h"
#include "tla/library/value_file.h"

namespace dissensus::tla {
namespace {

constexpr std::size_t kFileBytesMax = std::size_t{2} << 30;

std::string full_path(NativeCall& call, std::string_view name) {
  const std::string& folder = call.environment().folder;
  if (folder.empty() || name.starts_with('/')) return std::string(name);
  return folder + "/" + std::string(name);
}

/// The file's content, unpacked if it is packed.
std::string read_unpacked(const std::string& path) {
  const gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) throw ValueError(fmt::format("{}: cannot be opened", path));
  std::string content;
  std::vector<char> buffer(std::size_t{1} << 16);
  int count = 0;
  while ((count = gzread(file, buffer.data(), static_cast<unsigned>(buffer.size()))) > 0) {
    content.append(buffer.data(), static_cast<std::size_t>(count));
    if (content.size() > kFileBytesMax) break;
  }
  gzclose(file);
  if (count < 0) throw ValueError(fmt::format("{}: cannot be unpacked", path));
  if (content.size() > kFileBytesMax) throw ValueError(fmt::format("{}: too large", path));
  return content;
}

/// The file's content; a .gz file is unpacked (and any other is read as it is).
std::string read_text(NativeCall& call, std::string_view name) {
  const std::string path = full_path(call, name);
  if (name.ends_with(".gz")) return read_unpacked(path);
  try {
    return read_file(path, kFileBytesMax);
  } catch (const std::exception& error) {
    throw ValueError(error.what());
  }
}

std::string writable_path(NativeCall& call, std::string_view name) {
  const std::string path = full_path(call, name);
  if (!call.environment().may_write_files) {
    throw ValueError(fmt::format("{}: writing files is not allowed here", path));
  }
  return path;
}

void write_packed(NativeCall& call, std::string_view name, std::string_view content) {
  const std::string path = writable_path(call, name);
  const gzFile file = gzopen(path.c_str(), "wb");
  if (file == nullptr) throw ValueError(fmt::format("{}: cannot be written", path));
  const std::size_t written = gzfwrite(content.data(), 1, content.size(), file);
  if (gzclose(file) != Z_OK || written != content.size()) {
    throw ValueError(fmt::format("{}: cannot be written", path));
  }
}

void write_text(NativeCall& call, std::string_view name, std::string_view content, bool append) {
  const std::string path = writable_path(call, name);
  std::ofstream file(path, append ? std::ios::app | std::ios::binary : std::ios::binary);
  file << content;
  file.close();
  if (!file) throw ValueError(fmt::format("{}: cannot be written", path));
}

template <class Visit>
void for_each_line(std::string_view content, const Visit& visit) {
  for (std::size_t number = 1; !content.empty(); ++number) {
    const std::size_t end = content.find('\n');
    std::string_view line = content.substr(0, end);
    content.remove_prefix(end == std::string_view::npos ? content.size() : end + 1);
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) continue;
    line = line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
    visit(number, line);
  }
}

Value read_json_lines(NativeCall& call, std::string_view name) {
  const std::string content = read_text(call, name);
  std::vector<Value> values;
  for_each_line(content, [&](std::size_t number, std::string_view line) {
    try {
      values.push_back(from_json(call.store(), line));
    } catch (const ValueError& error) {
      throw ValueError(fmt::format("{}:{}: {}", full_path(call, name), number, error.what()));
    }
  });
  return call.store().tuple(values);
}

std::string json_lines(Value sequence) {
  std::string content;
  for (const Value item : items_of(sequence)) {
    content += to_json(item);
    content += '\n';
  }
  return content;
}

// Json.

/// Lazy parts are listed first; the text of an infinite set would be no JSON of it.
Value finite(NativeCall& call, std::size_t index, std::string_view name) {
  const Value value = call.store().canonical(call.argument(index));
  if (is_lazy_set(value.type())) fail_argument(name, index, "finite", value);
  return value;
}

Value to_json_text(NativeCall& call) {
  return call.store().text(to_json(finite(call, 0, "ToJson")));
}

Value to_json_array(NativeCall& call) {
  const Value value = finite(call, 0, "ToJsonArray");
  if (value.is(Type::set)) return call.store().text(to_json(value));
  return call.store().text(
      to_json(call.store().tuple(values_of(function_argument(call, 0, "ToJsonArray")))));
}

/// A sequence becomes an object with the keys "0", "1"...
Value to_json_object(NativeCall& call) {
  const Value value = function_argument(call, 0, "ToJsonObject");
  if (!value.is(Type::tuple)) return call.store().text(to_json(value));
  std::vector<Value> names;
  for (std::size_t i = 0; i < value.cell()->size; ++i) {
    names.push_back(call.store().text(std::to_string(i)));
  }
  if (names.empty()) return call.store().text("{}");
  return call.store().text(to_json(call.store().record(names, items_of(value))));
}

Value json_deserialize(NativeCall& call) {
  const std::string_view name = text_argument(call, 0, "JsonDeserialize");
  try {
    return from_json(call.store(), read_text(call, name));
  } catch (const ValueError& error) {
    throw ValueError(fmt::format("JsonDeserialize({}): {}", name, error.what()));
  }
}

Value nd_json_deserialize(NativeCall& call) {
  return read_json_lines(call, text_argument(call, 0, "ndJsonDeserialize"));
}

Value json_serialize(NativeCall& call) {
  const std::string_view name = text_argument(call, 0, "JsonSerialize");
  write_text(call, name, to_json(finite(call, 1, "JsonSerialize")), false);
  return Value::boolean(true);
}

Value nd_json_serialize(NativeCall& call) {
  const std::string_view name = text_argument(call, 0, "ndJsonSerialize");
  write_text(call, name, json_lines(sequence_argument(call, 1, "ndJsonSerialize")), false);
  return Value::boolean(true);
}

// IOUtils.

Value io_env(NativeCall& call) {
  Store& store = call.store();
  std::vector<Value> names, values;
  for (const auto& [name, value] : call.environment().variables) {
    const Value key = store.text(name);
    if (std::find(names.begin(), names.end(), key) != names.end()) continue;
    names.push_back(key);
    values.push_back(store.text(value));
  }
  return store.record(names, values);
}

Value atoi(NativeCall& call) {
  const std::string_view text = text_argument(call, 0, "atoi");
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || !Value::fits(number)) {
    throw ValueError(
        fmt::format("atoi: expected the digits of a whole number, found \"{}\"", text));
  }
  return Value::integer(number);
}

Value zero_pad(NativeCall& call) {
  const std::int64_t number = integer_argument(call, 0, "zeroPadN");
  const std::int64_t width = natural_argument(call, 1, "zeroPadN");
  std::string text = std::to_string(number);
  if (width > 1000) fail_argument("zeroPadN", 1, "at most 1000", call.argument(1));
  const auto wanted = static_cast<std::size_t>(width);
  if (text.size() < wanted) text.insert(0, wanted - text.size(), '0');
  return call.store().text(text);
}

Value refuse_program(NativeCall&) {
  throw ValueError("IOExec and its variants start a program: that is refused here");
}

Value outcome(NativeCall& call, std::string_view output) {
  Store& store = call.store();
  const Value names[] = {store.text("exitValue"), store.text("stdout"), store.text("stderr")};
  const Value values[] = {Value::integer(0), store.text(output), store.text("")};
  return store.record(names, values);
}

std::string_view option(NativeCall& call, std::size_t index, std::string_view key,
                        std::string_view name) {
  const Value options = function_argument(call, index, name);
  const Value value = call.store().apply(options, call.store().text(key));
  if (value.is_null() || !value.is(Type::text)) {
    throw ValueError(
        fmt::format("{}: the options need a string \"{}\", found {}", name, key, shown(options)));
  }
  return value.cell()->bytes();
}

bool wants_append(NativeCall& call, std::size_t index) {
  Store& store = call.store();
  const Value list = store.apply(call.argument(index), store.text("openOptions"));
  if (list.is_null() || !list.is(Type::tuple)) return false;
  const std::span<const Value> words = items_of(list);
  return std::find(words.begin(), words.end(), store.text("APPEND")) != words.end();
}

Value serialize_to(NativeCall& call) {
  const std::string_view name = text_argument(call, 1, "Serialize");
  const std::string_view format = option(call, 2, "format", "Serialize");
  if (format == "NDJSON") {
    write_text(call, name, json_lines(sequence_argument(call, 0, "Serialize")),
               wants_append(call, 2));
    return Value::boolean(true);
  }
  if (format != "TXT") {
    throw ValueError(fmt::format("Serialize: expected the format TXT or NDJSON, found {}", format));
  }
  const Value value = call.argument(0);
  write_text(call, name,
             value.is(Type::text) ? std::string(value.cell()->bytes()) : to_string(value),
             wants_append(call, 2));
  return outcome(call, "");
}

Value deserialize_from(NativeCall& call) {
  const std::string_view name = text_argument(call, 0, "Deserialize");
  const std::string_view format = option(call, 1, "format", "Deserialize");
  if (format == "NDJSON") return read_json_lines(call, name);
  if (format != "TXT") {
    throw ValueError(
        fmt::format("Deserialize: expected the format TXT or NDJSON, found {}", format));
  }
  return outcome(call, read_text(call, name));
}

/// In TLC's own format, packed if that is asked for.
Value io_serialize(NativeCall& call) {
  const std::string_view name = text_argument(call, 1, "IOSerialize");
  const std::string content = to_value_file(call.store(), call.argument(0));
  if (call.argument(2) == Value::boolean(true)) {
    write_packed(call, name, content);
  } else {
    write_text(call, name, content, false);
  }
  return Value::boolean(true);
}

/// What TLC or IOSerialize wrote, packed or not; JSON, too.
Value io_deserialize(NativeCall& call) {
  const std::string_view name = text_argument(call, 0, "IODeserialize");
  const std::string content = read_unpacked(full_path(call, name));
  try {
    return is_value_file(content) ? from_value_file(call.store(), content)
                                  : from_json(call.store(), content);
  } catch (const ValueError& error) {
    throw ValueError(fmt::format("IODeserialize({}): {}", name, error.what()));
  }
}

// CSV.

std::string plain(Value value) {
  return value.is(Type::text) ? std::string(value.cell()->bytes()) : to_string(value);
}

/// Java's "%1$s,%2$s" with the items of a sequence: %s, %d, %n$s and %%.
std::string fill_template(std::string_view text, std::span<const Value> items) {
  std::string result;
  std::size_t next = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%' || i + 1 == text.size()) {
      result += text[i];
      continue;
    }
    if (text[++i] == '%') {
      result += '%';
      continue;
    }
    std::size_t number = 0, digits = i;
    while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9' && number < 10000) {
      number = number * 10 + static_cast<std::size_t>(text[digits++] - '0');
    }
    if (digits < text.size() && text[digits] == '$' && digits > i) {
      i = digits + 1;
    } else {
      number = ++next;
    }
    if (i >= text.size() || (text[i] != 's' && text[i] != 'd') || number < 1 ||
        number > items.size()) {
      throw ValueError(
          fmt::format("CSVWrite: the template \"{}\" does not fit {} values", text, items.size()));
    }
    result += plain(items[number - 1]);
  }
  return result;
}

Value csv_write(NativeCall& call) {
  const std::string_view pattern = text_argument(call, 0, "CSVWrite");
  const Value values = sequence_argument(call, 1, "CSVWrite");
  write_text(call, text_argument(call, 2, "CSVWrite"),
             fill_template(pattern, items_of(values)) + "\n", true);
  return Value::boolean(true);
}

Value csv_records(NativeCall& call) {
  const std::string path = full_path(call, text_argument(call, 0, "CSVRecords"));
  std::ifstream file(path, std::ios::binary);
  std::int64_t count = 0;
  for (std::string line; std::getline(file, line);) ++count;
  return Value::integer(count);
}

/// A sequence of records with the columns' names; values are strings.
Value csv_read(NativeCall& call) {
  Store& store = call.store();
  const std::span<const Value> columns = items_of(sequence_argument(call, 0, "CSVRead"));
  const std::string_view delimiter = text_argument(call, 1, "CSVRead");
  const std::string content = read_text(call, text_argument(call, 2, "CSVRead"));
  if (delimiter.empty()) fail_argument("CSVRead", 1, "a string of one letter", call.argument(1));
  std::vector<Value> rows;
  for_each_line(content, [&](std::size_t, std::string_view line) {
    std::vector<Value> fields;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const std::size_t end = line.find(delimiter);
      fields.push_back(store.text(line.substr(0, end)));
      line.remove_prefix(end == std::string_view::npos ? line.size() : end + delimiter.size());
    }
    rows.push_back(store.record(columns, fields));
  });
  return store.tuple(rows);
}

constexpr NativeOperator kFilesNatives[] = {
    {"Json", "ToJson", to_json_text},
    {"Json", "ToJsonArray", to_json_array},
    {"Json", "ToJsonObject", to_json_object},
    {"Json", "JsonDeserialize", json_deserialize},
    {"Json", "ndJsonDeserialize", nd_json_deserialize},
    {"Json", "JsonSerialize", json_serialize, false},
    {"Json", "ndJsonSerialize", nd_json_serialize, false},
    {"IOUtils", "IOEnv", io_env},
    {"IOUtils", "atoi", atoi},
    {"IOUtils", "zeroPadN", zero_pad},
    {"IOUtils", "IOExec", refuse_program, false},
    {"IOUtils", "IOEnvExec", refuse_program, false},
    {"IOUtils", "IOExecTemplate", refuse_program, false},
    {"IOUtils", "IOEnvExecTemplate", refuse_program, false},
    {"IOUtils", "Serialize", serialize_to, false},
    {"IOUtils", "Deserialize", deserialize_from, false},
    {"IOUtils", "IOSerialize", io_serialize, false},
    {"IOUtils", "IODeserialize", io_deserialize, false},
    {"CSV", "CSVWrite", csv_write, false},
    {"CSV", "CSVRecords", csv_records, false},
    {"CSV", "CSVRead", csv_read, false},
};

}  // namespace

std::span<const NativeOperator> file_natives() {
  return kFilesNatives;
}

}  // namespace dissensus::tla
