#include "run/result_codec.h"

#include <cstring>
#include <stdexcept>

namespace dissensus::run {

namespace {

class Writer {
 public:
  template <class Plain>
  requires std::is_trivially_copyable_v<Plain>
  void add(const Plain& value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void add(const std::string& text) {
    add(text.size());
    bytes_ += text;
  }
  void add(const FieldValue& value) {
    add(static_cast<std::uint8_t>(value.index()));
    if (const auto* nodes = std::get_if<NodeSet>(&value)) {
      add(nodes->size());
      for (const NodeId node : *nodes) add(node);
    } else {
      std::visit(
          [this](const auto& held) {
            if constexpr (!std::is_same_v<std::decay_t<decltype(held)>, NodeSet>) add(held);
          },
          value);
    }
  }
  void add(const trace::Record& record) {
    add(record.id);
    add(record.cause);
    add(record.time);
    add(record.type);
    add(record.detail);
    add(record.node);
    add(record.peer);
    add(record.kind);
    add(record.number);
    add(record.value);
    add(record.content);
    add(record.fields.size());
    for (const FieldValue& field : record.fields) add(field);
    add(record.request.size());
    for (const auto& [name, value] : record.request) {
      add(name);
      add(value);
    }
    add(record.text);
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}
  template <class Plain>
  requires std::is_trivially_copyable_v<Plain> Plain get() {
    Plain value{};
    need(sizeof value);
    std::memcpy(&value, bytes_.data(), sizeof value);
    bytes_.remove_prefix(sizeof value);
    return value;
  }
  std::string text() {
    const auto size = get<std::size_t>();
    need(size);
    std::string result(bytes_.substr(0, size));
    bytes_.remove_prefix(size);
    return result;
  }
  /// A number of things to come, each of at least one byte.
  std::size_t count() {
    const auto size = get<std::size_t>();
    need(size);
    return size;
  }
  FieldValue field() {
    switch (get<std::uint8_t>()) {
      case 0:
        return get<std::int64_t>();
      case 1:
        return get<std::uint64_t>();
      case 2:
        return get<Digest>();
      case 3: {
        NodeSet nodes(count());
        for (NodeId& node : nodes) node = get<NodeId>();
        return nodes;
      }
      default:
        return text();
    }
  }
  trace::Record record() {
    trace::Record record;
    record.id = get<EventId>();
    record.cause = get<EventId>();
    record.time = get<Time>();
    record.type = get<EventType>();
    record.detail = get<std::uint8_t>();
    record.node = get<NodeId>();
    record.peer = get<NodeId>();
    record.kind = get<MessageKind>();
    record.number = get<std::uint64_t>();
    record.value = get<Digest>();
    record.content = get<Digest>();
    record.fields.resize(count());
    for (FieldValue& value : record.fields) value = field();
    record.request.resize(count());
    for (auto& [name, value] : record.request) {
      name = text();
      value = field();
    }
    record.text = text();
    return record;
  }

 private:
  void need(std::size_t bytes) const {
    if (bytes_.size() < bytes) throw std::runtime_error("half an answer of a worker process");
  }
  std::string_view bytes_;
};

}  // namespace

std::string encode(const RunRequest& request) {
  Writer writer;
  writer.add(request.schedule);
  writer.add(request.seed);
  writer.add(request.detail);
  writer.add(request.metrics);
  writer.add(request.log);
  writer.add(request.observed);
  writer.add(request.branch_at);
  writer.add(request.branch_schedule);
  writer.add(request.branch_seed);
  writer.add(request.has_branch_seed);
  writer.add(request.online);
  writer.add(request.hold.count());
  return writer.take();
}

RunRequest decode_request(std::string_view bytes) {
  Reader reader(bytes);
  RunRequest request;
  request.schedule = reader.text();
  request.seed = reader.get<std::uint64_t>();
  request.detail = reader.get<trace::Detail>();
  request.metrics = reader.get<bool>();
  request.log = reader.get<bool>();
  request.observed = reader.get<bool>();
  request.branch_at = reader.get<std::uint64_t>();
  request.branch_schedule = reader.text();
  request.branch_seed = reader.get<std::uint64_t>();
  request.has_branch_seed = reader.get<bool>();
  request.online = reader.get<RunRequest::Online>();
  request.hold = Duration{reader.get<Duration::rep>()};
  return request;
}

std::string encode(const RunAnswer& answer) {
  const RunResult& result = answer.result;
  Writer writer;
  writer.add(answer.crashed);
  writer.add(answer.error);
  writer.add(answer.recorded);
  writer.add(result.hash);
  writer.add(oracle::to_json(result.verdict, -1));
  writer.add(result.history_margin);
  writer.add(result.ended_by);
  writer.add(result.events);
  writer.add(result.end);
  writer.add(result.counters);
  writer.add(result.sent.size());
  for (const std::uint64_t sent : result.sent) writer.add(sent);
  writer.add(result.records.size());
  for (const trace::Record& record : result.records) writer.add(record);
  writer.add(result.records_cut);
  writer.add(result.metrics_json);
  writer.add(result.attachments.size());
  for (const Outside::Attachment& attachment : result.attachments) {
    writer.add(attachment.name);
    writer.add(attachment.text);
  }
  writer.add(answer.seen.size());
  for (const SeenEvent& seen : answer.seen) {
    writer.add(seen.event.type);
    writer.add(seen.event.detail);
    writer.add(seen.event.node);
    writer.add(seen.event.peer);
    writer.add(seen.event.id);
    writer.add(seen.event.cause);
    writer.add(seen.event.time);
    writer.add(seen.event.number);
    writer.add(seen.event.value);
    writer.add(seen.text);
  }
  return writer.take();
}

RunAnswer decode_answer(std::string_view bytes) {
  Reader reader(bytes);
  RunAnswer answer;
  RunResult& result = answer.result;
  answer.crashed = reader.get<bool>();
  answer.error = reader.text();
  answer.recorded = reader.text();
  result.hash = reader.get<std::uint64_t>();
  result.verdict = oracle::parse_verdict(reader.text(), "verdict of a worker process");
  result.history_margin = reader.get<double>();
  result.ended_by = reader.text();
  result.events = reader.get<EventId>();
  result.end = reader.get<Time>();
  result.counters = reader.get<sim::WorldCounters>();
  result.sent.resize(reader.count());
  for (std::uint64_t& sent : result.sent) sent = reader.get<std::uint64_t>();
  result.records.resize(reader.count());
  for (trace::Record& record : result.records) record = reader.record();
  result.records_cut = reader.get<bool>();
  result.metrics_json = reader.text();
  result.attachments.resize(reader.count());
  for (Outside::Attachment& attachment : result.attachments) {
    attachment.name = reader.text();
    attachment.text = reader.text();
  }
  answer.seen.resize(reader.count());
  for (SeenEvent& seen : answer.seen) {
    seen.event.type = reader.get<EventType>();
    seen.event.detail = reader.get<std::uint8_t>();
    seen.event.node = reader.get<NodeId>();
    seen.event.peer = reader.get<NodeId>();
    seen.event.id = reader.get<EventId>();
    seen.event.cause = reader.get<EventId>();
    seen.event.time = reader.get<Time>();
    seen.event.number = reader.get<std::uint64_t>();
    seen.event.value = reader.get<Digest>();
    seen.text = reader.text();
  }
  return answer;
}

}  // namespace dissensus::run
