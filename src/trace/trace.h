// A recorded run in memory: events with their message fields rendered, causes, and a header that
// makes the trace replayable alone. docs/formats/trace.md specifies the file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dissensus/description.h"

#include "core/describe.h"
#include "core/event.h"

namespace dissensus::trace {

inline constexpr std::string_view kTraceFormat = "dissensus-trace/1";

/// How much of a run is kept.
enum class Detail : std::uint8_t {
  hash,        ///< the trace hash only
  decisions,   ///< reports, faults, submissions
  everything,  ///< all events with the fields of all messages
};
constexpr Detail last_of(Detail) {
  return Detail::everything;
}
std::string_view to_string(Detail detail);
bool parse_detail(std::string_view text, Detail& detail);

/// One recorded event; Event without borrowed parts. Numbers among its fields are canonical: a
/// std::uint64_t unless negative, so that a record equals the one that a file gives back.
struct Record {
  EventId id = 0;
  EventId cause = 0;
  Time time{};
  EventType type = EventType::start;
  std::uint8_t detail = 0;
  NodeId node = kNoNode;
  NodeId peer = kNoNode;
  MessageKind kind = kNoKind;  ///< of the message, if there is one
  std::uint64_t number = 0;
  Digest value{};    ///< of a decision or proposal
  Digest content{};  ///< digest of the message, if there is one
  /// Of the message (send and mutate events), in the order of its description.
  std::vector<FieldValue> fields;
  std::vector<std::pair<std::string, FieldValue>> request;  ///< of a submission
  std::string text;

  friend bool operator==(const Record&, const Record&) = default;
};
template <class Visit>
constexpr void fields_of(const Record*, const Visit& visit) {
  visit("id", &Record::id);
  visit("cause", &Record::cause);
  visit("time", &Record::time);
  visit("type", &Record::type);
  visit("detail", &Record::detail);
  visit("node", &Record::node);
  visit("peer", &Record::peer);
  visit("kind", &Record::kind);
  visit("number", &Record::number);
  visit("value", &Record::value);
  visit("content", &Record::content);
  visit("fields", &Record::fields);
  visit("request", &Record::request);
  visit("text", &Record::text);
}

/// What a reader needs to know to name things and to replay.
struct Header {
  std::string program;   ///< name and version of the writer
  std::string scenario;  ///< the scenario file's text
  std::string scenario_name;
  std::string schedule;  ///< the schedule document's text
  std::string branch;    ///< how the run was continued differently (JSON); empty: it was not
  std::uint64_t seed = 0;
  Detail detail = Detail::everything;
  std::string system;
  std::size_t nodes = 0;
  std::vector<std::string> kinds;
  /// Per kind: names and semantic types of its fields.
  std::vector<std::vector<FieldDescription>> kind_fields;
  std::vector<std::string> levels;
  /// LevelDescription::scope_bits per level; levels beyond its end have none.
  std::vector<std::uint8_t> level_scope_bits;
  /// LevelDescription::final per level; levels beyond its end are final.
  std::vector<bool> level_final;
  /// LevelDescription::agreement per level; nodes agree on levels beyond its end.
  std::vector<bool> level_agreement;
  /// LevelDescription::value_names per level; levels beyond its end have none.
  std::vector<std::vector<std::pair<Digest, std::string>>> level_values;
  std::vector<std::string> phases;
  std::vector<std::string> observables;
};

/// What is known only at the end.
struct Footer {
  std::string hash;            ///< trace hash, 16 hexadecimal digits
  std::uint64_t events = 0;    ///< number of events of the run (recorded or not)
  std::uint64_t recorded = 0;  ///< number of records in the file
  std::string stop;            ///< why the run ended
  std::string outcome;         ///< pass, fail, unknown
};

struct Trace {
  Header header;
  std::vector<Record> records;
  Footer footer;
};

/// Fills the naming part of a header.
void describe(const SystemDescription& description, std::size_t nodes, Header& header);

/// The trace hash: everything that matters, in order. Log lines do not matter.
class TraceHash {
 public:
  void add(const Event& event) {
    // Most events of a run, and all that matters of them in one product.
    if (event.message != nullptr &&
        (event.type == EventType::send || event.type == EventType::deliver)) {
      const Digest& content = event.message->digest();
      const std::uint64_t what = static_cast<std::uint64_t>(microseconds_of(event.time)) +
                                 rotate(content.high, 32) + content.low;
      state_ = mix64(state_ ^ place_of(event, event.message->kind()), what) + rotate(state_, 7);
      return;
    }
    add_other(event);
  }
  std::uint64_t value() const { return state_; }

 private:
  static constexpr std::uint64_t rotate(std::uint64_t word, int bits) {
    return (word << bits) | (word >> (64 - bits));
  }
  static std::uint64_t place_of(const Event& event, MessageKind kind) {
    return event.word() | std::uint64_t{kind} << 48;
  }
  void add_other(const Event& event);

  std::uint64_t state_ = 0xC0FFEE5EED5ULL;
};
std::string to_hex(std::uint64_t hash);

/// Turns events into records: send and mutate carry the fields of their message, the other message
/// events its kind and digest only.
Record to_record(const Event& event, const SystemDescription& description);

}  // namespace dissensus::trace
