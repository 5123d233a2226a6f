#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "core/json_view.h"
#include "core/limits.h"
#include "trace/record_json.h"
#include "trace/record_layout.h"

namespace dissensus::trace {
namespace {

using Type = JsonToken::Type;
using Path = JsonPath;

/// An object all of whose keys are known and given once; those of the first `required` must be
/// there. Token 0 never is a value of an object, so it stands for "missing".
template <std::size_t N>
std::array<std::uint32_t, N> members(const JsonView& line, std::uint32_t object,
                                     std::string_view parent,
                                     const std::array<std::string_view, N>& names,
                                     std::size_t required = N) {
  line.expect(object, Type::object, {{}, parent.empty() ? "line" : parent});
  std::array<std::uint32_t, N> found{};
  line.each_member(object, [&](std::string_view key, std::uint32_t value) {
    const auto name = std::find(names.begin(), names.end(), key);
    if (name == names.end()) line.fail({parent, key}, "unknown key");
    std::uint32_t& slot = found[static_cast<std::size_t>(name - names.begin())];
    if (slot != 0) line.fail({parent, key}, "given twice");
    slot = value;
  });
  for (std::size_t index = 0; index < required; ++index) {
    if (found[index] == 0) line.fail({parent, names[index]}, "missing");
  }
  return found;
}

/// A list of names, in which none may occur twice: records refer to them.
void check_distinct(const JsonView& line, std::string_view path,
                    const std::vector<std::string>& names) {
  for (std::size_t index = 0; index < names.size(); ++index) {
    const auto end = names.begin() + static_cast<std::ptrdiff_t>(index);
    if (std::find(names.begin(), end, names[index]) != end) {
      line.fail({{}, path}, fmt::format("\"{}\" is there twice", names[index]));
    }
  }
}

constexpr std::size_t kNamesMax = 1000;

void check_count(const JsonView& line, std::string_view path, std::size_t count) {
  if (count > kNamesMax) line.fail({{}, path}, fmt::format("more than {} entries", kNamesMax));
}

std::vector<std::string> read_names(const JsonView& line, std::uint32_t token,
                                    std::string_view path) {
  line.expect(token, Type::array, {{}, path});
  std::vector<std::string> names;
  line.each_element(token, [&](std::uint32_t element) {
    names.emplace_back(line.text(element, {{}, fmt::format("{}[{}]", path, names.size())}));
    check_count(line, path, names.size());
  });
  check_distinct(line, path, names);
  return names;
}

std::optional<SemanticType> parse_semantic_type(std::string_view text) {
  for (auto index = 0; index <= static_cast<int>(SemanticType::text); ++index) {
    const auto type = static_cast<SemanticType>(index);
    if (to_string(type) == text) return type;
  }
  return std::nullopt;
}

std::vector<FieldDescription> read_fields(const JsonView& line, std::uint32_t token,
                                          const std::string& path) {
  line.expect(token, Type::array, {{}, path});
  std::vector<FieldDescription> fields;
  std::vector<std::string> names;
  line.each_element(token, [&](std::uint32_t element) {
    const std::string field_path = fmt::format("{}[{}]", path, fields.size());
    const auto [name, type] = members<2>(line, element, field_path, {"name", "type"});
    const auto semantic = parse_semantic_type(line.text(type, {field_path, "type"}));
    if (!semantic) line.fail({field_path, "type"}, "unknown type of field");
    fields.push_back({std::string(line.text(name, {field_path, "name"})), *semantic});
    names.push_back(fields.back().name);
    check_count(line, path, fields.size());
  });
  check_distinct(line, path, names);
  return fields;
}

void read_kinds(const JsonView& line, std::uint32_t token, Header& header) {
  line.expect(token, Type::array, {{}, "kinds"});
  line.each_element(token, [&](std::uint32_t element) {
    const std::string path = fmt::format("kinds[{}]", header.kinds.size());
    const auto [name, fields] = members<2>(line, element, path, {"name", "fields"});
    header.kinds.emplace_back(line.text(name, {path, "name"}));
    header.kind_fields.push_back(read_fields(line, fields, path + ".fields"));
    check_count(line, "kinds", header.kinds.size());
  });
  check_distinct(line, "kinds", header.kinds);
}

std::vector<std::pair<Digest, std::string>> read_value_names(const JsonView& line,
                                                             std::uint32_t token,
                                                             const std::string& path) {
  std::vector<std::pair<Digest, std::string>> names;
  if (token == 0) return names;
  line.expect(token, Type::array, {{}, path});
  line.each_element(token, [&](std::uint32_t element) {
    const std::string entry = fmt::format("{}[{}]", path, names.size());
    const auto [value, name] = members<2>(line, element, entry, {"value", "name"});
    Digest digest;
    if (!parse_digest(line.text(value, {entry, "value"}), digest)) {
      line.fail({entry, "value"}, "no value, expected a number or 32 hexadecimal digits");
    }
    names.emplace_back(digest, std::string(line.text(name, {entry, "name"})));
    check_count(line, path, names.size());
  });
  return names;
}

void read_levels(const JsonView& line, std::uint32_t token, Header& header) {
  line.expect(token, Type::array, {{}, "levels"});
  line.each_element(token, [&](std::uint32_t element) {
    const std::string path = fmt::format("levels[{}]", header.levels.size());
    const auto [name, bits, final, agreement, values] =
        members<5>(line, element, path, {"name", "scope_bits", "final", "agreement", "values"}, 1);
    header.levels.emplace_back(line.text(name, {path, "name"}));
    header.level_scope_bits.push_back(
        static_cast<std::uint8_t>(bits == 0 ? 0 : line.natural(bits, {path, "scope_bits"}, 63)));
    header.level_final.push_back(final == 0 || line.boolean(final, {path, "final"}));
    header.level_agreement.push_back(agreement == 0 ||
                                     line.boolean(agreement, {path, "agreement"}));
    header.level_values.push_back(read_value_names(line, values, path + ".values"));
    if (header.levels.size() > 256) line.fail({{}, "levels"}, "more than 256 entries");
  });
  check_distinct(line, "levels", header.levels);
}

NodeId read_node(const JsonView& line, std::uint32_t token, Key key, const Header& header) {
  const Path path{{}, name_of(key)};
  if (line[token].type != Type::natural) line.expected(token, path, "the number of a node");
  if (line[token].number >= header.nodes) {
    line.fail(path, fmt::format("there is no node {}, expected 0 to {}", line[token].number,
                                header.nodes - 1));
  }
  return static_cast<NodeId>(line[token].number);
}

FieldValue read_field(const JsonView& line, std::uint32_t token, const Path& path,
                      SemanticType type) {
  const JsonToken& value = line[token];
  switch (value.type) {
    case Type::natural:
      return value.number;
    case Type::negative:
      return static_cast<std::int64_t>(value.number);
    case Type::text:
      if (type == SemanticType::text) return std::string(value.text);
      return line.digest(token, path);
    case Type::array: {
      NodeSet nodes;
      line.each_element(token, [&](std::uint32_t element) {
        nodes.push_back(static_cast<NodeId>(line.natural(element, path, kNoNode)));
      });
      return nodes;
    }
    case Type::object: {
      const auto [digest, text] = members<2>(line, token, path.text(), {"digest", "text"}, 0);
      if ((digest == 0) == (text == 0)) {
        line.fail(path, "expected either the key digest or the key text");
      }
      if (digest != 0) return line.digest(digest, path);
      return std::string(line.text(text, path));
    }
    default:
      line.expected(token, path, "an integer, a text, a list of nodes or a tagged value");
  }
}

/// Reads one record from the tokens of its keys.
class RecordReader {
 public:
  RecordReader(const JsonView& line, const Header& header, Record& record)
      : line_(line), header_(header), record_(record) {}

  void read() {
    find_keys();
    if (slot(Key::type) == 0) line_.fail(path(Key::type), "missing");
    const std::string_view type = line_.text(slot(Key::type), path(Key::type));
    if (!parse_event_type(type, record_.type)) {
      line_.fail(path(Key::type), fmt::format("there is no type of event \"{}\"", type));
    }
    check_keys(layout_of(record_.type));
    record_.id = natural(Key::id, kEventsMax);
    record_.cause = natural(Key::cause, kEventsMax);
    const auto time_max = static_cast<std::uint64_t>(kVirtualTimeMax.count());
    record_.time = time_of_microseconds(static_cast<std::int64_t>(natural(Key::time, time_max)));
    record_.node = node(Key::node);
    record_.peer = node(Key::peer);
    record_.value =
        slot(Key::value) == 0 ? Digest{} : line_.digest(slot(Key::value), path(Key::value));
    record_.text.assign(slot(Key::text) == 0 ? std::string_view{}
                                             : line_.text(slot(Key::text), path(Key::text)));
    record_.detail = detail(layout_of(record_.type).detail);
    record_.number = number(layout_of(record_.type).number);
    read_message();
    read_request();
  }

 private:
  static Path path(Key key) { return {{}, name_of(key)}; }
  std::uint32_t slot(Key key) const { return slots_[static_cast<std::size_t>(key)]; }

  void find_keys() {
    line_.expect(0, Type::object, {{}, "line"});
    line_.each_member(0, [&](std::string_view key, std::uint32_t value) {
      const auto name = std::find(kKeyNames.begin(), kKeyNames.end(), key);
      if (name == kKeyNames.end()) line_.fail({{}, key}, "unknown key");
      std::uint32_t& place = slots_[static_cast<std::size_t>(name - kKeyNames.begin())];
      if (place != 0) line_.fail({{}, key}, "given twice");
      place = value;
    });
  }

  void check_keys(const RecordLayout& layout) {
    for (std::size_t index = 0; index < kKeys; ++index) {
      const auto key = static_cast<Key>(index);
      if (slots_[index] == 0 && contains(layout.required, key)) line_.fail(path(key), "missing");
      if (slots_[index] != 0 && !contains(layout.required | layout.optional, key)) {
        line_.fail(path(key), fmt::format("not a key of a {} event", to_string(record_.type)));
      }
    }
  }

  /// 0 where the key is missing.
  std::uint64_t natural(Key key, std::uint64_t max) const {
    return slot(key) == 0 ? 0 : line_.natural(slot(key), path(key), max);
  }
  NodeId node(Key key) const {
    return slot(key) == 0 ? kNoNode : read_node(line_, slot(key), key, header_);
  }

  /// An index by its name, or by its number where it has none.
  std::uint64_t named(Key key, const std::vector<std::string>& names, std::string_view what,
                      std::uint64_t max) const {
    const JsonToken& token = line_[slot(key)];
    if (token.type == Type::natural && token.number >= names.size()) return natural(key, max);
    const std::string_view text = line_.text(slot(key), path(key));
    const auto found = std::find(names.begin(), names.end(), text);
    if (found == names.end()) {
      line_.fail(path(key), fmt::format("there is no {} \"{}\"", what, text));
    }
    return static_cast<std::uint64_t>(found - names.begin());
  }

  std::uint8_t detail(Key key) const {
    switch (key) {
      case Key::reason: {
        const std::string_view text = line_.text(slot(key), path(key));
        for (std::size_t reason = 0; reason < kDropReasons; ++reason) {
          if (to_string(static_cast<DropReason>(reason)) == text) {
            return static_cast<std::uint8_t>(reason);
          }
        }
        line_.fail(path(key), fmt::format("there is no reason \"{}\" for a drop", text));
      }
      case Key::level:
        return static_cast<std::uint8_t>(named(key, header_.levels, "level", 255));
      case Key::observable:
        return static_cast<std::uint8_t>(named(key, header_.observables, "observable", 255));
      default:
        return static_cast<std::uint8_t>(natural(key, 255));
    }
  }

  std::uint64_t number(Key key) const {
    switch (key) {
      case Key::phase:
        return named(key, header_.phases, "phase", UINT64_MAX);
      case Key::observed:
        return static_cast<std::uint64_t>(line_.integer(slot(key), path(key)));
      default:
        return natural(key, UINT64_MAX);
    }
  }

  void read_message() {
    record_.kind = kNoKind;
    record_.content = Digest{};
    record_.fields.clear();
    if (slot(Key::kind) == 0) {
      for (const Key key : {Key::content, Key::fields}) {
        if (slot(key) != 0)
          line_.fail(path(key), "there is no kind of message, expected the key k");
      }
      return;
    }
    if (slot(Key::content) == 0) line_.fail(path(Key::content), "missing");
    const std::string_view name = line_.text(slot(Key::kind), path(Key::kind));
    const auto kind = std::find(header_.kinds.begin(), header_.kinds.end(), name);
    if (kind == header_.kinds.end()) {
      line_.fail(path(Key::kind), fmt::format("there is no kind of message \"{}\"", name));
    }
    record_.kind = static_cast<MessageKind>(kind - header_.kinds.begin());
    record_.content = line_.digest(slot(Key::content), path(Key::content));
    if (slot(Key::fields) != 0) read_message_fields(header_.kind_fields[record_.kind]);
  }

  void read_message_fields(const std::vector<FieldDescription>& described) {
    line_.expect(slot(Key::fields), Type::object, path(Key::fields));
    const std::string_view parent = name_of(Key::fields);
    record_.fields.resize(described.size());
    std::vector<bool> seen(described.size());
    std::size_t likely = 0;  // the writer keeps the order of the description
    line_.each_member(slot(Key::fields), [&](std::string_view key, std::uint32_t value) {
      std::size_t index = likely;
      if (index >= described.size() || described[index].name != key) {
        index = 0;
        while (index < described.size() && described[index].name != key) ++index;
        if (index == described.size()) line_.fail({parent, key}, "unknown key");
      }
      if (seen[index]) line_.fail({parent, key}, "given twice");
      seen[index] = true;
      record_.fields[index] = read_field(line_, value, {parent, key}, described[index].type);
      likely = index + 1;
    });
    for (std::size_t index = 0; index < described.size(); ++index) {
      if (!seen[index]) line_.fail({parent, described[index].name}, "missing");
    }
  }

  void read_request() {
    record_.request.clear();
    const std::uint32_t request = slot(Key::request);
    if (request == 0) return;
    line_.expect(request, Type::object, path(Key::request));
    line_.each_member(request, [&](std::string_view key, std::uint32_t value) {
      const Path part{name_of(Key::request), key};
      record_.request.emplace_back(key, read_field(line_, value, part, SemanticType::text));
      check_count(line_, name_of(Key::request), record_.request.size());
    });
  }

  const JsonView& line_;
  const Header& header_;
  Record& record_;
  std::array<std::uint32_t, kKeys> slots_{};
};

}  // namespace

Header read_header(const JsonTape& tape, const Place& place) {
  const JsonView line(tape, place);
  line.expect(0, Type::object, {{}, "line"});
  // Before all else: a file of another version may have other keys.
  std::uint32_t format = 0;
  line.each_member(0, [&](std::string_view key, std::uint32_t value) {
    if (key == "format") format = value;
  });
  if (format == 0) line.fail({{}, "format"}, "missing, this is no trace");
  if (const std::string_view text = line.text(format, {{}, "format"}); text != kTraceFormat) {
    line.fail({{}, "format"}, fmt::format("\"{}\", expected \"{}\"", text, kTraceFormat));
  }
  static constexpr std::array<std::string_view, 14> kNames{
      "format", "program", "system",      "nodes",         "seed",     "detail",   "kinds",
      "levels", "phases",  "observables", "scenario_name", "scenario", "schedule", "branch"};
  const auto slots = members(line, 0, {}, kNames, 13);
  const auto text = [&](std::size_t index) {
    return std::string(line.text(slots[index], {{}, kNames[index]}));
  };
  Header header;
  header.program = text(1);
  header.system = text(2);
  header.nodes = line.natural(slots[3], {{}, "nodes"}, kMaxNodes);
  if (header.nodes == 0) line.fail({{}, "nodes"}, "0, expected at least 1");
  header.seed = line.natural(slots[4], {{}, "seed"}, UINT64_MAX);
  if (!parse_detail(text(5), header.detail)) {
    line.fail({{}, "detail"},
              fmt::format("\"{}\", expected hash, decisions or everything", text(5)));
  }
  read_kinds(line, slots[6], header);
  read_levels(line, slots[7], header);
  header.phases = read_names(line, slots[8], "phases");
  header.observables = read_names(line, slots[9], "observables");
  header.scenario_name = text(10);
  header.scenario = text(11);
  header.schedule = text(12);
  if (slots[13] != 0) header.branch = text(13);
  return header;
}

bool is_footer(const JsonTape& tape) {
  return tape[0].type == Type::object && tape[0].end > 1 && tape[1].text == "end";
}

Footer read_footer(const JsonTape& tape, const Place& place) {
  const JsonView line(tape, place);
  const auto [end] = members<1>(line, 0, {}, {"end"});
  const auto [hash, events, recorded, stop, outcome] =
      members<5>(line, end, "end", {"hash", "events", "recorded", "stop", "outcome"});
  Footer footer;
  footer.hash = line.text(hash, {"end", "hash"});
  if (footer.hash.size() != 16 ||
      footer.hash.find_first_not_of("0123456789abcdef") != std::string::npos) {
    line.fail({"end", "hash"}, "no trace hash, expected 16 hexadecimal digits");
  }
  footer.events = line.natural(events, {"end", "events"}, kEventsMax);
  footer.recorded = line.natural(recorded, {"end", "recorded"}, kEventsMax);
  footer.stop = line.text(stop, {"end", "stop"});
  footer.outcome = line.text(outcome, {"end", "outcome"});
  if (footer.outcome != "pass" && footer.outcome != "fail" && footer.outcome != "unknown") {
    line.fail({"end", "outcome"},
              fmt::format("\"{}\", expected pass, fail or unknown", footer.outcome));
  }
  return footer;
}

void read_record(const JsonTape& tape, const Place& place, const Header& header, Record& record) {
  const JsonView line(tape, place);
  RecordReader(line, header, record).read();
}

}  // namespace dissensus::trace
