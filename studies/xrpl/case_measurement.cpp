#include "case_measurement.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "record_fields.h"

namespace dissensus::studies {
namespace {

constexpr Duration kStall = std::chrono::seconds(65);
/// A network that still builds ledgers does so more often than this.
constexpr Duration kStuck = std::chrono::seconds(35);
constexpr Duration kCaseMax = std::chrono::seconds(150);

/// Whether two nodes decided one instance of a level differently.
class Difference {
 public:
  void add(const trace::Record& record) {
    const auto [place, fresh] = first_.emplace(record.number, record.value);
    found_ = found_ || (!fresh && place->second != record.value);
  }
  bool found() const { return found_; }

 private:
  std::map<std::uint64_t, Digest> first_;
  bool found_ = false;
};

}  // namespace

CaseMeasurement::CaseMeasurement(std::span<const trace::Record> records,
                                 const SystemDescription& description, Time start)
    : description_(description), start_(start) {
  find_end(records);
  measure(records);
}

void CaseMeasurement::find_end(std::span<const trace::Record> records) {
  const RecordFields fields(description_);
  const std::size_t ledger = fields.level("ledger");
  const std::size_t settled = fields.observable("settled");
  std::array<Time, kNodes> last{};
  std::array<bool, kNodes> done{};
  const auto stop = [this](Time time, CaseOutcome outcome) {
    end_ = time;
    over_ = true;
    metrics_.outcome = outcome;
  };
  for (const trace::Record& record : records) {
    if (record.time > start_) {
      // The server that waited longest decides; a stall is noticed as soon as it lasts 65 s.
      const Time stalled = *std::min_element(last.begin(), last.end()) + kStall;
      const Time limit = start_ + kCaseMax;
      if (record.time > std::min(stalled, limit)) {
        return stop(std::min(stalled, limit),
                    stalled <= limit ? CaseOutcome::stalled : CaseOutcome::unsettled);
      }
    }
    if (record.type == EventType::decide && record.detail == ledger)
      last[record.node] = record.time;
    if (record.type == EventType::observe && record.detail == settled) {
      done[record.node] = record.number >= kPayments;
      if (std::all_of(done.begin(), done.end(), [](bool node) { return node; })) {
        return stop(record.time, CaseOutcome::settled);
      }
    }
  }
}

void CaseMeasurement::measure(std::span<const trace::Record> records) {
  const RecordFields fields(description_);
  const std::size_t sets = fields.level("transaction-set");
  const std::size_t built = fields.level("built");
  const std::size_t ledger = fields.level("ledger");
  const std::size_t validated = fields.observable("validated");
  const std::size_t failed = fields.observable("failed");
  const std::size_t acquisitions = fields.observable("failed_set_acquisitions");
  std::array<std::uint32_t, kNodes> given_up{};
  std::map<std::pair<Digest, std::uint64_t>, std::uint32_t> proposals;
  std::set<EventId> submissions;  // whose payments have not been relayed
  Difference differing_sets;
  Difference differing_built;
  Difference differing_ledgers;
  Time last_built = start_;
  for (const trace::Record& record : records) {
    if (record.time > end_) break;
    const bool inside = record.time >= start_;
    if (record.type == EventType::send && inside) {
      count_message(record);
      submissions.erase(record.cause);
      if (record.kind > 5 || fields.number(record, "origin") != record.node) continue;
      const auto seq = static_cast<std::uint32_t>(fields.number(record, "propose_seq"));
      metrics_.propose_seq_max = std::max(metrics_.propose_seq_max, seq);
      std::uint32_t& highest = proposals[{fields.digest(record, "previous_ledger"), record.node}];
      highest = std::max(highest, seq);
    } else if (record.type == EventType::submit) {
      submissions.insert(record.id);
    } else if (record.type == EventType::phase) {
      follow_phase(record);
    } else if (record.type == EventType::decide) {
      if (record.detail == ledger) follow_ledger(record);
      if (record.detail == ledger) differing_ledgers.add(record);
      if (record.detail == sets && inside) differing_sets.add(record);
      if (record.detail == built && inside) differing_built.add(record);
      if (record.detail == built) last_built = record.time;
    } else if (record.type == EventType::observe) {
      const auto value = static_cast<std::uint32_t>(record.number);
      if (record.detail == validated && record.node == 0) metrics_.succeeded = value;
      if (record.detail == failed && record.node == 0) metrics_.claimed = value;
      if (record.detail == acquisitions) given_up[record.node] = value;
    }
  }
  for (const auto& [round, seq] : proposals) metrics_.round_propose_seq.push_back(seq);
  for (const std::uint32_t count : given_up) metrics_.failed_acquisitions += count;
  metrics_.not_applied = static_cast<std::uint32_t>(submissions.size());
  metrics_.sets_differ = differing_sets.found();
  metrics_.built_differ = differing_built.found();
  metrics_.ledgers_differ = differing_ledgers.found();
  metrics_.stuck = metrics_.outcome == CaseOutcome::stalled && end_ - last_built > kStuck;
  metrics_.bow_outs /= static_cast<std::uint32_t>(kNodes - 1);
  metrics_.window_s = over_ ? seconds_since_start(end_) : 0;
}

void CaseMeasurement::count_message(const trace::Record& record) {
  const RecordFields fields(description_);
  ++metrics_.messages[record.kind];
  const std::size_t type = type_of_kind(record.kind);
  if (type == 5) ++metrics_.requests[fields.number(record, "item")];
  if (type == 6) ++metrics_.replies[fields.number(record, "item")];
  constexpr std::size_t kBowOutKind = 6;
  // Counted per copy here; a node sends one to each of its peers.
  if (record.kind == kBowOutKind && fields.number(record, "origin") == record.node) {
    ++metrics_.bow_outs;
  }
}

void CaseMeasurement::follow_phase(const trace::Record& record) {
  enum : std::uint64_t { kOpen, kEstablish, kAccepted };
  NodeState& node = nodes_[record.node];
  const bool inside = record.time >= start_;
  const auto length = [&](Time from) {
    return static_cast<double>((record.time - from).count()) / 1e6;
  };
  if (record.number == kEstablish) {
    if (node.accepted) metrics_.open_s.push_back(length(*node.accepted));
    node.accepted.reset();
    node.closed = inside ? std::optional(record.time) : std::nullopt;
  } else if (record.number == kAccepted) {
    if (node.closed) metrics_.establish_s.push_back(length(*node.closed));
    node.closed.reset();
    node.accepted = inside ? std::optional(record.time) : std::nullopt;
  }
}

void CaseMeasurement::follow_ledger(const trace::Record& record) {
  NodeState& node = nodes_[record.node];
  if (node.validated && record.time >= start_) {
    metrics_.intervals_s.push_back(static_cast<double>((record.time - *node.validated).count()) /
                                   1e6);
  }
  node.validated = record.time;
}

std::optional<Time> recovery_end(std::span<const trace::Record> records,
                                 const SystemDescription& description, Time since) {
  const std::size_t ledger = RecordFields(description).level("ledger");
  constexpr Duration kAtLeast = std::chrono::milliseconds(4200);
  std::array<int, kNodes> fresh{};
  for (const trace::Record& record : records) {
    if (record.time < since || record.type != EventType::decide || record.detail != ledger)
      continue;
    ++fresh[record.node];
    if (std::all_of(fresh.begin(), fresh.end(), [](int count) { return count >= 2; })) {
      return std::max(record.time, since + kAtLeast);
    }
  }
  return std::nullopt;
}

}  // namespace dissensus::studies
