#include <algorithm>
#include <charconv>
#include <map>

#include <fmt/format.h>

#include "history/describe.h"
#include "history/findings.h"
#include "history/index.h"
#include "history/linear_objects.h"
#include "history/value_table.h"
#include "history/workloads.h"

namespace dissensus::history {

namespace {

/// A message that was sent or polled.
struct Message {
  std::uint32_t sent_by = kNone;    ///< operation
  std::uint32_t polled_by = kNone;  ///< the first one
  std::int64_t offset = -1;         ///< that was told first
  bool is_acknowledged = false;
  bool is_failed = false;
};

struct Log {
  ValueTable values;
  std::vector<Message> messages;
  std::map<std::int64_t, std::uint32_t> by_offset;  ///< to message
  std::int64_t highest_polled = -1;

  Message& message(const Value& value) {
    const std::uint32_t number = values.id(value);
    if (number == messages.size()) messages.emplace_back();
    return messages[number];
  }
};

class KafkaChecker {
 public:
  KafkaChecker(const History& history, const std::vector<Operation>& operations)
      : history_(history), operations_(operations) {}

  Verdict run() {
    // What is known of offsets comes first: a skip can only be seen by who knows what is there.
    for (std::uint32_t i = 0; i < operations_.size(); ++i)
      visit(i, &KafkaChecker::learn_send, &KafkaChecker::learn_poll);
    // The answers of a process are in the order of its operations, since it waits for each.
    for (std::uint32_t i = 0; i < operations_.size(); ++i)
      visit(i, &KafkaChecker::follow_send, &KafkaChecker::follow_poll);
    std::size_t unseen = 0;
    std::size_t messages = 0;
    for (std::uint32_t key = 0; key < logs_.size(); ++key) {
      messages += logs_[key].messages.size();
      unseen += judge(key);
    }
    Verdict verdict;
    // Empty polls say enough of logs that nobody is known to have written to.
    verdict.outcome = Outcome::pass;
    if (answered_polls_ == 0) verdict.reason = "nothing was polled: nothing was checked";
    if (answered_polls_ > 0 && polls_ == 0 && unseen > 0) {
      verdict.reason = "nothing that was acknowledged was polled: nothing was checked";
    }
    if (!verdict.reason.empty()) verdict.outcome = Outcome::unknown;
    verdict.figures = {{"logs", fmt::to_string(logs_.size())},
                       {"messages", fmt::to_string(messages)},
                       {"polls with messages", fmt::to_string(polls_)},
                       {"acknowledged and not polled so far", fmt::to_string(unseen)}};
    findings_.move_to(verdict);
    return verdict;
  }

 private:
  using Send = void (KafkaChecker::*)(std::uint32_t, std::uint32_t, const Value&);
  using Poll = void (KafkaChecker::*)(std::uint32_t, std::uint32_t, std::span<const Value>);

  /// Keys of JSON's maps are texts, whatever they were when they were sent.
  std::uint32_t key_of(const Value& key) {
    const std::uint32_t number = key.is_integer() ? numbers_.id(key) : numbers_.id(as_number(key));
    if (number == logs_.size()) logs_.emplace_back();
    return number;
  }
  static Value as_number(const Value& key) {
    std::int64_t whole = 0;
    const std::string_view text = key.text();
    const auto result = std::from_chars(text.data(), text.data() + text.size(), whole);
    const bool is_number =
        !text.empty() && result.ec == std::errc{} && result.ptr == text.data() + text.size();
    return is_number ? Value::integer(whole) : key;
  }

  void visit(std::uint32_t index, Send send, Poll poll) {
    const Asked asked{history_, operations_[index]};
    const std::string_view function = asked.invoked().function;
    if (function == "assign" || function == "subscribe" || function == "crash") {
      const std::int64_t process = asked.invoked().process;
      std::erase_if(polled_, [&](const auto& item) { return item.first.first == process; });
      return;
    }
    if (function != "send" && function != "poll" && function != "txn") return;
    const Event& event = asked.is_ok() ? asked.answered() : asked.invoked();
    for (const Value& micro : event.value.items()) {
      const std::span<const Value> parts = micro.items();
      const std::string_view name = parts.empty() ? std::string_view() : parts[0].text();
      if (name == "send" && parts.size() == 3) {
        (this->*send)(index, key_of(parts[1]), parts[2]);
      } else if (name != "poll") {
        asked.fail(
            fmt::format("expected [send key value] or [poll {{key [[offset value] ...]}}], "
                        "found {}",
                        to_string(micro, 40)));
      } else if (asked.is_ok() && parts.size() >= 2) {
        if (parts[1].type() == Value::Type::map) ++answered_polls_;
        const std::span<const Value> logs = parts[1].items();
        for (std::size_t i = 0; i + 1 < logs.size(); i += 2) {
          if (!logs[i + 1].items().empty()) {
            (this->*poll)(index, key_of(logs[i]), logs[i + 1].items());
          }
        }
      }
    }
  }

  /// [offset value] of an answer.
  bool split(std::uint32_t operation, const Value& pair, std::int64_t& offset, Value& value) const {
    const std::span<const Value> parts = pair.items();
    if (parts.size() != 2 || !(parts[0].is_integer() || parts[0].is_nil())) {
      Asked{history_, operations_[operation]}.fail(
          fmt::format("expected [offset value], found {}", to_string(pair, 40)));
    }
    value = parts[1];
    offset = parts[0].integer();
    return parts[0].is_integer();
  }

  std::string where(std::uint32_t key) const {
    return fmt::format("key {}", to_string(numbers_.value(key), 40));
  }

  void place(std::uint32_t key, const Value& value, std::int64_t offset, std::uint32_t operation) {
    Log& log = logs_[key];
    Message& message = log.message(value);
    const std::uint32_t number = log.values.find(value);
    const auto [found, is_first] = log.by_offset.try_emplace(offset, number);
    if (!is_first && found->second != number) {
      const Message& other = log.messages[found->second];
      findings_.add(
          "inconsistent-offsets",
          fmt::format("{}: offset {} holds {} and {}", where(key), offset,
                      to_string(log.values.value(found->second), 40), to_string(value, 40)),
          {other.polled_by != kNone ? other.polled_by : other.sent_by, operation});
    }
    if (message.offset >= 0 && message.offset != offset) {
      findings_.add("duplicate",
                    fmt::format("{}: {} is at offsets {} and {}", where(key), to_string(value, 40),
                                message.offset, offset),
                    {message.polled_by != kNone ? message.polled_by : message.sent_by, operation});
    }
    if (message.offset < 0) message.offset = offset;
  }

  void learn_send(std::uint32_t operation, std::uint32_t key, const Value& sent) {
    const bool is_ok = operations_[operation].outcome == EventKind::ok;
    std::int64_t offset = -1;
    Value value = sent;
    const bool has_offset = is_ok && sent.is_list() && split(operation, sent, offset, value);
    Message& message = logs_[key].message(value);
    message.sent_by = operation;
    message.is_acknowledged = is_ok;
    message.is_failed = operations_[operation].outcome == EventKind::fail;
    if (has_offset) place(key, value, offset, operation);
  }

  void learn_poll(std::uint32_t operation, std::uint32_t key, std::span<const Value> pairs) {
    ++polls_;
    for (const Value& pair : pairs) {
      std::int64_t offset = -1;
      Value value;
      if (!split(operation, pair, offset, value)) continue;
      place(key, value, offset, operation);
      Message& message = logs_[key].message(value);
      if (message.polled_by == kNone) message.polled_by = operation;
      logs_[key].highest_polled = std::max(logs_[key].highest_polled, offset);
    }
  }

  void follow_send(std::uint32_t operation, std::uint32_t key, const Value& sent) {
    std::int64_t offset = -1;
    Value value;
    const bool is_ok = operations_[operation].outcome == EventKind::ok;
    if (!is_ok || !sent.is_list() || !split(operation, sent, offset, value)) return;
    const std::int64_t process = history_.events()[operations_[operation].invoked].process;
    const auto [last, is_first] = sent_.try_emplace({process, key}, Position{offset, operation});
    if (is_first) return;
    if (offset <= last->second.offset) {
      findings_.add("nonmonotonic-send",
                    fmt::format("{}: process {} sent to offset {} and then to {}", where(key),
                                process, last->second.offset, offset),
                    {last->second.operation, operation});
    }
    last->second = {offset, operation};
  }

  void follow_poll(std::uint32_t operation, std::uint32_t key, std::span<const Value> pairs) {
    const std::int64_t process = history_.events()[operations_[operation].invoked].process;
    for (const Value& pair : pairs) {
      std::int64_t offset = -1;
      Value value;
      if (!split(operation, pair, offset, value)) continue;
      const auto [last, is_first] =
          polled_.try_emplace({process, key}, Position{offset, operation});
      if (is_first) continue;
      const Position before = last->second;
      last->second = {offset, operation};
      if (offset <= before.offset) {
        findings_.add("nonmonotonic-poll",
                      fmt::format("{}: process {} polled offset {} and then {}", where(key),
                                  process, before.offset, offset),
                      {before.operation, operation});
        continue;
      }
      const auto skipped = logs_[key].by_offset.upper_bound(before.offset);
      if (skipped == logs_[key].by_offset.end() || skipped->first >= offset) continue;
      const Message& message = logs_[key].messages[skipped->second];
      findings_.add("poll-skip",
                    fmt::format("{}: process {} polled offset {} and then {}; there is one between",
                                where(key), process, before.offset, offset),
                    {before.operation, operation,
                     message.sent_by != kNone ? message.sent_by : message.polled_by});
    }
  }

  /// Lost, failed and unknown messages of a log; how many were acknowledged and not seen so far.
  std::size_t judge(std::uint32_t key) {
    const Log& log = logs_[key];
    std::size_t unseen = 0;
    for (std::uint32_t i = 0; i < log.messages.size(); ++i) {
      const Message& message = log.messages[i];
      const std::string text = to_string(log.values.value(i), 40);
      if (message.polled_by != kNone) {
        if (message.sent_by == kNone) {
          findings_.add("garbage-read",
                        fmt::format("{}: {} was polled, and nobody sent it", where(key), text),
                        {message.polled_by});
        } else if (message.is_failed) {
          findings_.add(
              "G1a", fmt::format("{}: {} was polled, and sending it had failed", where(key), text),
              {message.sent_by, message.polled_by});
        }
      } else if (message.is_acknowledged) {
        ++unseen;
        if (message.offset < 0 || message.offset >= log.highest_polled) continue;
        findings_.add(
            "lost-write",
            fmt::format("{}: {} was acknowledged at offset {}, and nobody polled it, though "
                        "offset {} was polled",
                        where(key), text, message.offset, log.highest_polled),
            {message.sent_by});
      }
    }
    return unseen;
  }

  struct Position {
    std::int64_t offset = -1;
    std::uint32_t operation = 0;
  };
  using ProcessAndKey = std::pair<std::int64_t, std::uint32_t>;

  const History& history_;
  const std::vector<Operation>& operations_;
  ValueTable numbers_;  ///< of keys
  std::vector<Log> logs_;
  std::map<ProcessAndKey, Position> sent_;
  std::map<ProcessAndKey, Position> polled_;
  std::size_t answered_polls_ = 0;  ///< each counted twice, since visited twice
  std::size_t polls_ = 0;           ///< with messages, by key
  FindingList findings_;
};

}  // namespace

Verdict check_kafka(const History& history, const std::vector<Operation>& operations) {
  return KafkaChecker(history, operations).run();
}

}  // namespace dissensus::history
