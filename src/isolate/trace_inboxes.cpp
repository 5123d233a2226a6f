#include "isolate/trace_inboxes.h"

#include <algorithm>

#include <fmt/format.h>

#include "dissensus/options.h"

#include "core/suggestion.h"
#include "trace/trace_file.h"

namespace dissensus::isolate {
namespace {

/// `place` names the declaration and the kind.
std::size_t place_of(const std::vector<FieldDescription>& fields, const std::string& name,
                     const std::string& place) {
  std::vector<std::string> known;
  for (std::size_t field = 0; field < fields.size(); ++field) {
    if (fields[field].name == name) return field;
    known.push_back(fields[field].name);
  }
  throw InputError(fmt::format("{}: the system's messages have no field '{}'{}", place, name,
                               suggestion(name, known)));
}

/// A name that ends in * stands for all kinds that begin like it.
bool is_called(std::string_view kind, std::string_view name) {
  if (!name.ends_with('*')) return kind == name;
  return kind.starts_with(name.substr(0, name.size() - 1));
}

}  // namespace

InboxCollector::InboxCollector(const Declaration& declaration, const trace::Header& header)
    : schema_(declaration.schema), plans_(header.kinds.size(), KindPlan{kUnused, {}, {}}) {
  if (schema_.nodes != header.nodes) {
    throw InputError(fmt::format("{}: nodes: {} declared, but the run has {}", declaration.name,
                                 schema_.nodes, header.nodes));
  }
  for (std::size_t kind = 0; kind < schema_.kinds.size(); ++kind) {
    const std::string& name = schema_.kinds[kind].name;
    const std::string place = fmt::format("{}: kind {}", declaration.name, name);
    bool found = false;
    for (std::size_t index = 0; index < header.kinds.size(); ++index) {
      if (!is_called(header.kinds[index], name)) continue;
      found = true;
      KindPlan& plan = plans_[index];
      plan.kind = static_cast<std::uint16_t>(kind);
      plan.sender_field = KindPlan::kNone;
      const std::vector<FieldDescription>& fields = header.kind_fields[index];
      for (const Field& field : schema_.kinds[kind].fields)
        plan.fields.push_back(place_of(fields, field.name, place));
      const std::string& sender = declaration.details[kind].sender_field;
      if (!sender.empty()) plan.sender_field = place_of(fields, sender, place);
    }
    if (!found) {
      throw InputError(fmt::format("{}: kind: the system has no messages '{}'{}", declaration.name,
                                   name, suggestion(name, header.kinds)));
    }
  }
}

void InboxCollector::start(Run& run) {
  run.reset(schema_.nodes);
  contents_.clear();
  interned_.clear();
}

std::int64_t InboxCollector::number_of(const FieldValue& value, SemanticType type) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return *number;
  if (const auto* number = std::get_if<std::uint64_t>(&value))
    return static_cast<std::int64_t>(*number);
  if (const auto* nodes = std::get_if<NodeSet>(&value)) {
    NodeMask mask = 0;
    for (const NodeId node : *nodes) {
      if (node < kNodesMax) mask |= NodeMask{1} << node;
    }
    return static_cast<std::int64_t>(mask);
  }
  Digest digest;
  if (const auto* content = std::get_if<Digest>(&value)) {
    digest = *content;
  } else {
    digest = digest_of_text(std::get<std::string>(value));
  }
  // A digest where numbers are expected is a plain number (see Digest).
  if (type == SemanticType::sequence || type == SemanticType::round)
    return static_cast<std::int64_t>(digest.low);
  return interned_.emplace(digest, static_cast<std::int64_t>(interned_.size())).first->second;
}

void InboxCollector::add(const trace::Record& record, Run& run) {
  if (record.kind == kNoKind || record.kind >= plans_.size()) return;
  const KindPlan& plan = plans_[record.kind];
  if (plan.kind == kUnused) return;
  if (record.type == EventType::send || record.type == EventType::mutate) {
    if (contents_.contains(record.content)) return;
    Content content;
    if (plan.sender_field != KindPlan::kNone) {
      content.has_sender = true;
      content.sender = static_cast<std::uint16_t>(
          number_of(record.fields[plan.sender_field], SemanticType::node));
    }
    for (std::size_t field = 0; field < plan.fields.size(); ++field) {
      content.values.push_back(number_of(record.fields[plan.fields[field]],
                                         schema_.kinds[plan.kind].fields[field].type));
    }
    contents_.emplace(record.content, std::move(content));
    return;
  }
  if (record.type != EventType::deliver) return;
  const auto content = contents_.find(record.content);
  if (content == contents_.end()) {
    throw InputError(fmt::format(
        "event {}: a delivery of a message that was not recorded, expected a trace of everything",
        record.id));
  }
  const std::uint16_t sender = content->second.has_sender ? content->second.sender : record.peer;
  if (sender >= schema_.nodes) return;
  Inbox& inbox = run.inboxes[record.node];
  inbox.add(plan.kind, sender);
  inbox.values.insert(inbox.values.end(), content->second.values.begin(),
                      content->second.values.end());
}

void fill_inboxes(const Declaration& declaration, const trace::Trace& trace, Run& run) {
  InboxCollector collector(declaration, trace.header);
  collector.start(run);
  for (const trace::Record& record : trace.records) collector.add(record, run);
}

TraceSource::TraceSource(Declaration declaration, std::vector<std::string> paths)
    : declaration_(std::move(declaration)), paths_(std::move(paths)) {}

bool TraceSource::next(Run& run) {
  while (next_ < paths_.size()) {
    const std::string& path = paths_[next_++];
    trace::Reader reader(path);
    InboxCollector collector(declaration_, reader.header());
    collector.start(run);
    for (trace::Record record; reader.next(record);) collector.add(record, run);
    if (reader.footer().outcome != "pass" && reader.footer().outcome != "fail") {
      ++unknown_;
      continue;
    }
    run.name = path;
    run.link = path;
    run.failing = reader.footer().outcome == "fail";
    return true;
  }
  return false;
}

}  // namespace dissensus::isolate
