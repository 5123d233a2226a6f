#include "history/reader.h"

#include <array>
#include <limits>

#include <fmt/format.h>

#include "core/document.h"
#include "core/file.h"
#include "history/value_reader.h"

namespace dissensus::history {

namespace {

constexpr std::string_view kLogMark = "jepsen.util";
constexpr std::array<std::string_view, 4> kKindNames{"invoke", "ok", "fail", "info"};

std::optional<EventKind> kind_named(std::string_view name) {
  for (std::size_t i = 0; i < kKindNames.size(); ++i) {
    if (kKindNames[i] == name) return static_cast<EventKind>(i);
  }
  return std::nullopt;
}

/// What one event of a file said, before it is known whether it is complete.
struct Fields {
  std::optional<Value> process;
  std::optional<Value> kind;
  std::optional<Value> function;
  Value value;
  std::optional<Value> key;
  Value time;
  Value error;
  bool is_final = false;
};

class EventReader {
 public:
  EventReader(History& history, Notation notation)
      : history_(history), reader_(history, history.source(), notation) {}

  void read_all() {
    const bool in_list = is_list();
    while (in_list ? !is_list_end() : !reader_.at_end()) read_event();
    if (!reader_.at_end()) reader_.fail("the end of the file after the list of events");
  }

 private:
  bool is_list() {
    is_first_ = true;
    for (const char bracket : {'[', '('}) {
      if (!reader_.take(bracket)) continue;
      end_ = bracket == '[' ? ']' : ')';
      return true;
    }
    return false;
  }

  bool is_list_end() {
    const bool result = reader_.ends(end_, is_first_);
    is_first_ = false;
    return result;
  }

  void read_event() {
    reader_.skip_tags();
    reader_.skip_space();
    const std::uint32_t line = reader_.line();
    if (!reader_.take('{')) reader_.fail("an event, which is a map");
    Fields fields;
    for (bool is_first = true; !reader_.ends('}', is_first); is_first = false) {
      const Value key = reader_.value();
      if (!key.is_text()) reader_.fail("a key that is a word, before this");
      reader_.after_key();
      if (reader_.peek() == '}') reader_.fail("a value for the key");
      read_field(fields, key.text());
    }
    add(fields, line);
  }

  void read_field(Fields& fields, std::string_view key) {
    if (key == "process") {
      fields.process = reader_.value();
    } else if (key == "type") {
      fields.kind = reader_.value();
    } else if (key == "f") {
      fields.function = reader_.value();
    } else if (key == "value") {
      fields.value = reader_.value();
    } else if (key == "key") {
      fields.key = reader_.value();
    } else if (key == "time") {
      fields.time = reader_.value();
    } else if (key == "error") {
      fields.error = reader_.value();
    } else if (key == "final?" || key == "final") {
      fields.is_final = reader_.value().boolean();
    } else {
      reader_.skip_value();
    }
  }

  [[noreturn]] void fail(std::uint32_t line, std::string_view key, std::string_view message) const {
    internal::fail_at(history_.name(), static_cast<int>(line), key, message);
  }

  void add(const Fields& fields, std::uint32_t line) {
    if (!fields.process) fail(line, "process", "missing, expected the number of a client");
    if (!fields.process->is_integer()) return;  // the nemesis
    if (!fields.kind || !fields.kind->is_text()) {
      fail(line, "type", "missing, expected invoke, ok, fail or info");
    }
    const std::optional<EventKind> kind = kind_named(fields.kind->text());
    if (!kind) {
      fail(line, "type",
           fmt::format("expected invoke, ok, fail or info, found '{}'", fields.kind->text()));
    }
    if (!fields.function || !fields.function->is_text()) {
      fail(line, "f", "missing, expected the name of an operation");
    }
    Event event;
    event.kind = *kind;
    event.is_final = fields.is_final;
    event.line = line;
    event.process = fields.process->integer();
    event.function = fields.function->text();
    event.value = fields.key ? history_.list({*fields.key, fields.value}) : fields.value;
    event.error = fields.error;
    event.time = time_of(fields.time, line);
    history_.add(event);
  }

  std::chrono::nanoseconds time_of(const Value& time, std::uint32_t line) const {
    if (time.is_nil()) return kNoTime;
    if (!time.is_integer() || time.integer() < 0) {
      fail(line, "time", "expected nanoseconds since the start, a whole number from 0");
    }
    return std::chrono::nanoseconds(time.integer());
  }

  History& history_;
  ValueReader reader_;
  char end_ = ']';
  bool is_first_ = true;
};

/// "... jepsen.util - 3 :ok :read 5": everything before the process is the logger's own.
class LogReader {
 public:
  explicit LogReader(History& history) : history_(history) {}

  void read_all() {
    std::string_view rest = history_.source();
    for (std::uint32_t line = 1; !rest.empty(); ++line) {
      const std::size_t end = rest.find('\n');
      read_line(rest.substr(0, end), line);
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    }
    if (!history_.events().empty()) return;
    internal::fail_at(history_.name(), 1, "",
                      "expected log lines such as 'INFO jepsen.util - 0 :invoke :write 3', "
                      "found none");
  }

 private:
  void read_line(std::string_view text, std::uint32_t line) {
    const std::size_t mark = text.find(kLogMark);
    if (mark == std::string_view::npos) return;
    text.remove_prefix(mark + kLogMark.size());
    const std::size_t begin = text.find_first_not_of(" \t-:");
    if (begin == std::string_view::npos) return;
    text.remove_prefix(begin);
    // Other messages of the same logger are no events: an event begins with a process and a type.
    const std::size_t digits = text.find_first_not_of("0123456789");
    if (digits == 0 || digits == std::string_view::npos) return;
    const std::size_t type = text.find_first_not_of(" \t", digits);
    if (type == std::string_view::npos || type == digits || text[type] != ':') return;
    read_event(text, line);
  }

  void read_event(std::string_view text, std::uint32_t line) {
    ValueReader reader(history_, text, Notation::edn, line);
    Event event;
    event.line = line;
    const Value process = reader.value();
    if (!process.is_integer()) reader.fail("a process, which is a number, before this");
    event.process = process.integer();
    const Value kind = reader.value();
    const std::optional<EventKind> known = kind_named(kind.text());
    if (!known) return;  // not an event
    event.kind = *known;
    const Value function = reader.value();
    if (!function.is_text()) reader.fail("the name of an operation before this");
    event.function = function.text();
    if (!reader.at_end()) event.value = reader.value();
    if (!reader.at_end()) event.error = reader.value();
    history_.add(event);
  }

  History& history_;
};

/// The first character after space and comments from `position` on.
std::size_t first_of(std::string_view text, std::size_t position) {
  return std::min(text.find_first_not_of(" \t\r\n", position), text.size());
}

Format guess(std::string_view text) {
  const std::size_t first = first_of(text, 0);
  if (first >= text.size()) return Format::edn;
  const char c = text[first];
  if (c == '#' || c == ';' || c == '(') return Format::edn;
  if (c != '{' && c != '[') return Format::log;
  std::size_t inside = first_of(text, first + 1);
  if (c == '[' && inside < text.size() && text[inside] == '{') inside = first_of(text, inside + 1);
  return inside < text.size() && text[inside] == '"' ? Format::json : Format::edn;
}

}  // namespace

History parse_history(std::string name, std::string text, Format format) {
  History history(std::move(name), std::move(text));
  if (history.source().size() > kHistoryBytesMax) {
    internal::fail_at(history.name(), 0, "", "larger than a history may be");
  }
  if (format == Format::guess) format = guess(history.source());
  if (format == Format::log) {
    LogReader(history).read_all();
  } else {
    EventReader(history, format == Format::json ? Notation::json : Notation::edn).read_all();
  }
  if (history.events().size() >= Operation::kNone) {
    internal::fail_at(history.name(), 0, "", "expected fewer than 2^32 events");
  }
  return history;
}

History read_history(const std::string& path, Format format) {
  return parse_history(path, read_file(path, kHistoryBytesMax), format);
}

std::string to_json_line(const Event& event) {
  std::string out =
      fmt::format("{{\"process\":{},\"type\":\"{}\",\"f\":{},\"value\":{}", event.process,
                  to_string(event.kind), to_json(History::view(Value::Type::text, event.function)),
                  to_json(event.value));
  if (event.time != kNoTime) out += fmt::format(",\"time\":{}", event.time.count());
  if (!event.error.is_nil()) out += fmt::format(",\"error\":{}", to_json(event.error));
  if (event.is_final) out += ",\"final\":true";
  return out + '}';
}

void fail(const History& history, const Event& event, std::string_view message) {
  internal::fail_at(history.name(), static_cast<int>(event.line), "", message);
}

}  // namespace dissensus::history
