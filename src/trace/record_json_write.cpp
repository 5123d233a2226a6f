#include <fmt/format.h>

#include "core/assert.h"
#include "trace/record_json.h"
#include "trace/record_layout.h"
#include "trace/text.h"

namespace dissensus::trace {
namespace {

void append_number(std::string& out, std::uint64_t number) {
  const fmt::format_int digits(number);
  out.append(digits.data(), digits.size());
}
void append_number(std::string& out, std::int64_t number) {
  const fmt::format_int digits(number);
  out.append(digits.data(), digits.size());
}

void append_digest(std::string& out, const Digest& digest) {
  out += '"';
  out += to_string(digest);
  out += '"';
}

void append_text_list(std::string& out, const std::vector<std::string>& texts) {
  out += '[';
  for (std::size_t index = 0; index < texts.size(); ++index) {
    if (index != 0) out += ',';
    append_json_text(out, texts[index]);
  }
  out += ']';
}

void append_kinds(std::string& out, const Header& header) {
  out += '[';
  for (std::size_t kind = 0; kind < header.kinds.size(); ++kind) {
    out += kind == 0 ? "{\"name\":" : ",{\"name\":";
    append_json_text(out, header.kinds[kind]);
    out += ",\"fields\":[";
    bool first = true;
    for (const FieldDescription& field : header.kind_fields[kind]) {
      out += first ? "{\"name\":" : ",{\"name\":";
      first = false;
      append_json_text(out, field.name);
      out += ",\"type\":";
      append_json_text(out, to_string(field.type));
      out += '}';
    }
    out += "]}";
  }
  out += ']';
}

void append_value_names(std::string& out,
                        const std::vector<std::pair<Digest, std::string>>& names) {
  out += ",\"values\":[";
  for (std::size_t index = 0; index < names.size(); ++index) {
    out += fmt::format("{}{{\"value\":\"{}\",\"name\":", index == 0 ? "" : ",",
                       to_string(names[index].first));
    append_json_text(out, names[index].second);
    out += '}';
  }
  out += ']';
}

void append_levels(std::string& out, const Header& header) {
  out += '[';
  for (std::size_t level = 0; level < header.levels.size(); ++level) {
    out += level == 0 ? "{\"name\":" : ",{\"name\":";
    append_json_text(out, header.levels[level]);
    const unsigned bits =
        level < header.level_scope_bits.size() ? header.level_scope_bits[level] : 0u;
    out += fmt::format(",\"scope_bits\":{}", bits);
    if (level < header.level_final.size() && !header.level_final[level]) out += ",\"final\":false";
    if (level < header.level_agreement.size() && !header.level_agreement[level]) {
      out += ",\"agreement\":false";
    }
    if (level < header.level_values.size() && !header.level_values[level].empty()) {
      append_value_names(out, header.level_values[level]);
    }
    out += '}';
  }
  out += ']';
}

/// Appends the keys of one record in the order of calls.
class RecordAppender {
 public:
  RecordAppender(std::string& out, const Record& record, const Header& header)
      : out_(out), record_(record), header_(header), layout_(layout_of(record.type)) {}

  void append() {
    out_ += "{\"id\":";
    append_number(out_, record_.id);
    if (record_.cause != 0) key(Key::cause), append_number(out_, record_.cause);
    key(Key::time);
    append_number(out_, microseconds_of(record_.time));
    key(Key::type);
    out_ += '"';
    out_ += to_string(record_.type);
    out_ += '"';
    append_node(Key::node, record_.node);
    append_node(Key::peer, record_.peer);
    append_message();
    append_detail();
    append_record_number();
    if (is_required(Key::value) || !record_.value.is_zero()) {
      key(Key::value);
      append_digest(out_, record_.value);
    }
    append_request();
    if (!record_.text.empty()) key(Key::text), append_json_text(out_, record_.text);
    out_ += '}';
  }

 private:
  void key(Key name) {
    out_ += ",\"";
    out_ += name_of(name);
    out_ += "\":";
  }
  bool is_required(Key name) const { return contains(layout_.required, name); }

  void append_node(Key name, NodeId node) {
    if (node == kNoNode) {
      DISSENSUS_ASSERT(!is_required(name), "append_record : the event has its nodes");
      return;
    }
    DISSENSUS_ASSERT(node < header_.nodes, "append_record : the node is one of the run");
    key(name);
    append_number(out_, std::uint64_t{node});
  }

  void append_message() {
    if (record_.kind == kNoKind) {
      DISSENSUS_ASSERT(!is_required(Key::kind), "append_record : the event has its message");
      return;
    }
    DISSENSUS_ASSERT(record_.kind < header_.kinds.size(), "append_record : the kind is described");
    key(Key::kind);
    append_json_text(out_, header_.kinds[record_.kind]);
    key(Key::content);
    append_digest(out_, record_.content);
    if (record_.fields.empty()) return;
    const auto& described = header_.kind_fields[record_.kind];
    DISSENSUS_ASSERT(record_.fields.size() == described.size(),
                     "append_record : the message has the described fields");
    key(Key::fields);
    for (std::size_t index = 0; index < described.size(); ++index) {
      out_ += index == 0 ? '{' : ',';
      append_json_text(out_, described[index].name);
      out_ += ':';
      append_field(out_, record_.fields[index], described[index].type);
    }
    out_ += '}';
  }

  /// The name where there is one; a system may report more than it names.
  void append_name(const std::vector<std::string>& names, std::uint64_t index) {
    if (index < names.size()) {
      append_json_text(out_, names[index]);
    } else {
      append_number(out_, index);
    }
  }

  void append_detail() {
    if (layout_.detail == Key::detail && record_.detail == 0) return;
    key(layout_.detail);
    switch (layout_.detail) {
      case Key::reason:
        DISSENSUS_ASSERT(record_.detail < kDropReasons, "append_record : the reason has a name");
        append_json_text(out_, to_string(static_cast<DropReason>(record_.detail)));
        break;
      case Key::level:
        append_name(header_.levels, record_.detail);
        break;
      case Key::observable:
        append_name(header_.observables, record_.detail);
        break;
      default:
        append_number(out_, std::uint64_t{record_.detail});
    }
  }

  void append_record_number() {
    if (layout_.number == Key::number && record_.number == 0) return;
    key(layout_.number);
    switch (layout_.number) {
      case Key::phase:
        append_name(header_.phases, record_.number);
        break;
      case Key::observed:
        append_number(out_, static_cast<std::int64_t>(record_.number));
        break;
      default:
        append_number(out_, record_.number);
    }
  }

  void append_request() {
    if (record_.request.empty()) return;
    key(Key::request);
    bool first = true;
    for (const auto& [name, value] : record_.request) {
      out_ += first ? '{' : ',';
      first = false;
      append_json_text(out_, name);
      out_ += ':';
      append_field(out_, value, SemanticType::text);
    }
    out_ += '}';
  }

  std::string& out_;
  const Record& record_;
  const Header& header_;
  const RecordLayout& layout_;
};

}  // namespace

void append_field(std::string& out, const FieldValue& value, SemanticType type) {
  const bool bare_text = type == SemanticType::text;
  if (const auto* natural = std::get_if<std::uint64_t>(&value)) {
    append_number(out, *natural);
  } else if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    append_number(out, *integer);
  } else if (const auto* digest = std::get_if<Digest>(&value)) {
    if (bare_text) out += "{\"digest\":";
    append_digest(out, *digest);
    if (bare_text) out += '}';
  } else if (const auto* nodes = std::get_if<NodeSet>(&value)) {
    out += '[';
    for (std::size_t index = 0; index < nodes->size(); ++index) {
      if (index != 0) out += ',';
      append_number(out, std::uint64_t{(*nodes)[index]});
    }
    out += ']';
  } else {
    if (!bare_text) out += "{\"text\":";
    append_json_text(out, std::get<std::string>(value));
    if (!bare_text) out += '}';
  }
}

void append_header(std::string& out, const Header& header) {
  DISSENSUS_ASSERT(header.kinds.size() == header.kind_fields.size(),
                   "append_header : each kind has its fields");
  const auto text = [&out](std::string_view key, std::string_view value) {
    out += fmt::format(",\"{}\":", key);
    append_json_text(out, value);
  };
  out += "{\"format\":";
  append_json_text(out, kTraceFormat);
  text("program", header.program);
  text("system", header.system);
  out += fmt::format(",\"nodes\":{},\"seed\":{}", header.nodes, header.seed);
  text("detail", to_string(header.detail));
  out += ",\"kinds\":";
  append_kinds(out, header);
  out += ",\"levels\":";
  append_levels(out, header);
  out += ",\"phases\":";
  append_text_list(out, header.phases);
  out += ",\"observables\":";
  append_text_list(out, header.observables);
  text("scenario_name", header.scenario_name);
  text("scenario", header.scenario);
  text("schedule", header.schedule);
  if (!header.branch.empty()) text("branch", header.branch);
  out += '}';
}

void append_record(std::string& out, const Record& record, const Header& header) {
  RecordAppender(out, record, header).append();
}

void append_footer(std::string& out, const Footer& footer) {
  out += "{\"hash\":";
  append_json_text(out, footer.hash);
  out += fmt::format(",\"events\":{},\"recorded\":{},\"stop\":", footer.events, footer.recorded);
  append_json_text(out, footer.stop);
  out += ",\"outcome\":";
  append_json_text(out, footer.outcome);
  out += '}';
}

}  // namespace dissensus::trace
