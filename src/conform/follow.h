// Logs of running nodes against a model: lines are joined by causality, read as soon as they can
// be, and forgotten. Formats: docs/formats/node-log.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "conform/bound_mapping.h"
#include "conform/model_steps.h"
#include "conform/node_log.h"
#include "conform/pairing.h"
#include "conform/violation.h"
#include "tla/logs/causal_matcher.h"
#include "tla/logs/log_event.h"

namespace dissensus::conform {

struct FollowOptions {
  tla::MatchLimits limits{1'000, 10'000};
  /// Of logs that are being written: a line comes after all that other nodes wrote longer ago than
  /// this, and whoever is silent for so long is not waited for. 0: no such order, wait for ever.
  double lag_seconds = 5;
  /// By the times `at` in lines: what lies further apart is in this order. Nullopt: times say
  /// nothing.
  std::optional<double> skew_seconds;
  std::size_t messages_most = 200'000;                ///< that were sent, and may still be received
  std::size_t ahead_most = 20'000;                    ///< lines of one log that wait for others
  std::size_t collect_bytes = std::size_t{64} << 20;  ///< of values, until unused ones are freed
};

/// What a line could not be read for.
struct LogRefusal {
  std::string log;
  std::uint64_t line = 0;
  std::uint32_t node = 0;
  std::string text;
  Violation violation;
  std::vector<std::pair<std::string, std::string>> state;  ///< variables of the model
  std::vector<std::string> others;  ///< "log:line" of other lines that could not come next either
};

struct FollowReport {
  enum class Result : std::uint8_t { conforms, violation, unknown };
  Result result = Result::unknown;
  std::optional<LogRefusal> refusal;  ///< also of an unknown result, where a limit made it one
  std::vector<std::string> not_covered;
  std::uint64_t lines = 0;
  std::uint64_t steps = 0;  ///< that the model was asked for
  std::size_t nodes = 0;
  std::uint64_t sends = 0;
  std::uint64_t receives = 0;
  std::uint64_t lone_receives = 0;  ///< no log has the send: not ordered by it
  std::size_t waiting = 0;          ///< lines that are not judged yet
  std::size_t most_readings = 0;
  std::uint64_t model_steps = 0;
  std::uint64_t checked_pairs = 0;  ///< stable events that were tried in both orders
  BoundMapping::Coverage coverage;
};
std::string_view to_string(FollowReport::Result result);

class Follower final : private tla::SeenEvents {
 public:
  /// Throws InputError. The mapping must outlive it.
  Follower(const Mapping& mapping, const Variant& variant, const SystemRegistry& systems,
           std::vector<std::string> logs, const FollowOptions& options = {});
  ~Follower() override;

  /// A line of a log; `now` in seconds, for logs that are being written. Throws InputError.
  void add(std::size_t log, std::string_view text, std::optional<double> now = std::nullopt);
  /// Nothing more comes from there. `is_cut`: its last line is incomplete.
  void end(std::size_t log, bool is_cut = false);
  /// False: it is far ahead of the others.
  bool wants(std::size_t log) const;

  /// Reads what can be read. False: it is over, the report says why.
  bool advance(std::optional<double> now = std::nullopt);
  FollowReport report();

  std::size_t messages_known() const { return messages_.size(); }
  std::size_t store_bytes() { return machine_.store().bytes(); }

 private:
  /// A line that the matcher may ask for.
  struct Seen {
    std::size_t number = 0;
    std::size_t log = 0;
    std::uint64_t line = 0;
    std::string text;
    std::optional<double> at_seconds;
    Observation observation;
    std::vector<tla::Label> labels;
    bool is_step = false;  ///< otherwise it is about messages alone
    bool is_unmapped = false;
    bool is_compared = false;
  };
  /// A line that waits until the sends of what it received are known.
  struct Held {
    std::size_t log = 0;
    std::uint64_t line = 0;
    std::string text;
    NodeLogLine content;
    std::uint64_t position = 0;
    std::optional<double> arrived;
  };
  struct Log {
    std::string name;
    std::uint64_t lines = 0;
    bool is_ended = false;
    bool is_cut = false;
    std::optional<double> latest;  ///< when its last line came
  };
  /// Positions of lines with their times, as far back as they may order another line.
  using Times = std::deque<std::pair<double, std::uint64_t>>;
  struct Process {
    std::uint32_t node = 0;
    std::size_t log = 0;
    std::uint64_t lines = 0;
    std::deque<Held> held;
    Times arrivals, times;
  };

  std::size_t process_of(std::uint32_t node, std::size_t log);
  /// Messages that the line received and that nobody is known to have sent.
  bool has_lone_receive(const Held& held) const;
  bool must_wait(const Held& held, std::optional<double> now) const;
  std::optional<std::size_t> next_to_release(std::optional<double> now) const;
  void release(std::optional<double> now);
  void release_first(std::size_t process);
  void enter(std::size_t process, Held held);
  void order_by_messages(const Held& held, tla::CausalEvent& event);
  void order_by_time(std::size_t process, double time, double apart, Times Process::*times,
                     tla::CausalEvent& event);
  void note_sends(std::size_t process, const NodeLogLine& line, std::uint64_t position);
  Observation observe(const NodeLogLine& line, const std::string& place);
  bool is_silent(const Log& log, std::optional<double> now) const;
  bool has_begun(std::optional<double> now) const;
  void break_deadlock();
  bool steps(std::size_t event, const tla::State& from,
             tla::FunctionRef<bool(const tla::State&)> visit) override;
  const Seen& seen_at(std::size_t number) const;
  void forget();
  void collect();
  std::string place_of(const Seen& seen) const;
  bool is_earlier(const Seen& a, const Seen& b) const;
  LogRefusal refusal();

  const Mapping& mapping_;
  FollowOptions options_;
  std::unique_ptr<System> system_;  ///< of a mapping with steps of its own
  std::optional<run::Scenario> scenario_;
  tla::Machine machine_;
  BoundMapping bound_;
  tla::JsonValues json_;
  ModelSteps model_;
  tla::CausalMatcher matcher_;
  std::vector<Log> logs_;
  std::vector<Process> processes_;
  std::map<std::uint32_t, std::size_t> process_of_node_;
  std::deque<Seen> seen_;
  std::optional<double> began_;
  std::size_t next_number_ = 0;
  /// Where a message was sent: process and position there.
  std::unordered_map<std::string, std::pair<std::size_t, std::uint64_t>> messages_;
  std::deque<std::string> message_order_;
  bool forgot_messages_ = false;
  std::size_t collect_at_ = 0;
  tla::Match match_ = tla::Match::admitted;
  FollowReport report_;
};

}  // namespace dissensus::conform
