#include "isolate/message_log.h"

#include <algorithm>

#include <fmt/format.h>

#include "dissensus/options.h"

#include "core/json_view.h"
#include "core/suggestion.h"

namespace dissensus::isolate {
namespace {

using Type = JsonView::Type;

/// The value of an optional field that is missing: equal to itself and to nothing else.
constexpr std::int64_t kMissing = -1;

}  // namespace

MessageLogSource::MessageLogSource(Declaration declaration) : declaration_(std::move(declaration)) {
  if (declaration_.files.empty())
    throw InputError(
        fmt::format("{}: runs: missing, expected the files with the runs", declaration_.name));
}

MessageLogSource::MessageLogSource(Declaration declaration, std::string name, std::string lines)
    : declaration_(std::move(declaration)),
      next_file_(declaration_.files.size()),
      lines_(std::make_unique<trace::LineSource>(std::move(name), std::move(lines))) {}

bool MessageLogSource::next(Run& run) {
  for (std::string_view text;;) {
    if (lines_ && lines_->next(text)) {
      const Place place = lines_->place();
      tape_.parse(text, place);
      read_line(JsonView(tape_, place), run);
      return true;
    }
    if (next_file_ >= declaration_.files.size()) return false;
    lines_ = std::make_unique<trace::LineSource>(declaration_.files[next_file_++]);
  }
}

void MessageLogSource::read_line(const JsonView& line, Run& run) {
  static const std::vector<std::string> kKeys{"run", "outcome", "labels", "link", "inbox"};
  line.expect(0, Type::object, "line");
  for (std::uint32_t token = 1; token < line[0].end; token = line[token + 1].end) {
    const std::string key(line[token].text);
    if (std::find(kKeys.begin(), kKeys.end(), key) == kKeys.end())
      line.fail(key, fmt::format("unknown key{}", suggestion(key, kKeys)));
  }
  run.reset(declaration_.schema.nodes);
  interned_.clear();
  run.name = line.text(line.at(0, "run"), "run");
  const std::string_view outcome = line.text(line.at(0, "outcome"), "outcome");
  if (outcome != "pass" && outcome != "fail")
    line.fail("outcome", fmt::format("'{}', expected pass or fail", outcome));
  run.failing = outcome == "fail";
  read_labels(line, run);
  if (const auto link = line.find(0, "link")) run.link = line.text(*link, "link");
  const std::vector<std::uint32_t> boxes = line.items(line.at(0, "inbox"), "inbox");
  if (boxes.size() != run.inboxes.size()) {
    line.fail("inbox", fmt::format("{} lists, expected one for each of the {} nodes", boxes.size(),
                                   run.inboxes.size()));
  }
  for (std::size_t node = 0; node < boxes.size(); ++node) {
    for (const std::uint32_t message : line.items(boxes[node], "inbox"))
      read_message(line, message, run.inboxes[node]);
  }
}

void MessageLogSource::read_labels(const JsonView& line, Run& run) const {
  const auto list = line.find(0, "labels");
  if (!list) return;
  const std::vector<std::string>& known = declaration_.schema.labels;
  for (const std::uint32_t item : line.items(*list, "labels")) {
    const std::string label(line.text(item, "labels"));
    const auto found = std::find(known.begin(), known.end(), label);
    if (found == known.end()) {
      line.fail("labels", fmt::format("'{}' is not declared{}", label, suggestion(label, known)));
    }
    run.labels |= std::uint64_t{1} << (found - known.begin());
  }
}

void MessageLogSource::check_keys(const JsonView& line, std::uint32_t token,
                                  std::size_t kind) const {
  const Declaration::KindDetails& details = declaration_.details[kind];
  std::vector<std::string> known{"kind", "from"};
  for (const Field& field : declaration_.schema.kinds[kind].fields) known.push_back(field.name);
  if (!details.sender_field.empty()) known.push_back(details.sender_field);
  known.insert(known.end(), details.ignored.begin(), details.ignored.end());
  for (std::uint32_t key = token + 1; key < line[token].end; key = line[key + 1].end) {
    const std::string name(line[key].text);
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    line.fail(name, fmt::format("unknown field of {}{}", declaration_.schema.kinds[kind].name,
                                suggestion(name, known)));
  }
}

void MessageLogSource::read_message(const JsonView& line, std::uint32_t token, Inbox& inbox) {
  const Schema& schema = declaration_.schema;
  line.expect(token, Type::object, "inbox");
  const std::string name(line.text(line.at(token, "kind"), "kind"));
  std::size_t kind = 0;
  while (kind < schema.kinds.size() && schema.kinds[kind].name != name) ++kind;
  if (kind == schema.kinds.size()) {
    std::vector<std::string> known;
    for (const Kind& other : schema.kinds) known.push_back(other.name);
    line.fail("kind", fmt::format("'{}' is not declared{} (declared: {})", name,
                                  suggestion(name, known), fmt::join(known, ", ")));
  }
  check_keys(line, token, kind);
  const Declaration::KindDetails& details = declaration_.details[kind];
  const std::string_view author =
      details.sender_field.empty() ? std::string_view("from") : details.sender_field;
  inbox.add(
      static_cast<std::uint16_t>(kind),
      static_cast<std::uint16_t>(line.natural(line.at(token, author), author, schema.nodes - 1)));
  const std::vector<Field>& fields = schema.kinds[kind].fields;
  for (std::size_t field = 0; field < fields.size(); ++field) {
    const auto value = line.find(token, fields[field].name);
    const bool is_missing = !value || line[*value].type == Type::null;
    if (is_missing && !details.optional[field])
      line.fail(fields[field].name, fmt::format("missing in a {}", name));
    inbox.values.push_back(is_missing ? kMissing : read_value(line, *value, fields[field]));
  }
}

std::int64_t MessageLogSource::read_value(const JsonView& line, std::uint32_t token,
                                          const Field& field) {
  const auto last_node = static_cast<std::uint64_t>(declaration_.schema.nodes - 1);
  switch (field.type) {
    case SemanticType::boolean:
      return line.boolean(token, field.name) ? 1 : 0;
    case SemanticType::node:
      return static_cast<std::int64_t>(line.natural(token, field.name, last_node));
    case SemanticType::node_set: {
      NodeMask mask = 0;
      for (const std::uint32_t item : line.items(token, field.name))
        mask |= NodeMask{1} << line.natural(item, field.name, last_node);
      return static_cast<std::int64_t>(mask);
    }
    case SemanticType::hash:
    case SemanticType::value:
    case SemanticType::text:
      if (line[token].type == Type::text) return intern(fmt::format("\"{}", line[token].text));
      return intern(fmt::format("{}", line.integer(token, field.name)));
    default:
      return line.integer(token, field.name);
  }
}

std::int64_t MessageLogSource::intern(std::string_view text) {
  const auto next = static_cast<std::int64_t>(interned_.size());
  return interned_.emplace(std::string(text), next).first->second;
}

}  // namespace dissensus::isolate
