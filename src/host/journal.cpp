#include "host/journal.h"

#include <algorithm>

#include <fmt/format.h>

#include "dissensus/digest.h"

#include "host/call_names.h"

namespace dissensus::host {

void RollingHash::add(std::uint64_t word) {
  value_ = mix64(value_ ^ word, value_ + 0x2545F4914F6CDD1DULL) + (value_ << 7 | value_ >> 57);
}

void RollingHash::add(std::string_view bytes) {
  add(digest_of_text(bytes).low);
}

void Journal::add(JournalEntry entry, std::uint64_t what) {
  RollingHash& rolling = entry.call == kMessageEntry ? messages_ : calls_;
  rolling.add(static_cast<std::uint64_t>(entry.time_ns));
  rolling.add(std::uint64_t{entry.program} << 32 | std::uint64_t{entry.process} << 16 |
              entry.thread);
  rolling.add(static_cast<std::uint32_t>(entry.call));
  rolling.add(what);
  entry.hash = rolling.value();
  ++count_;
  if (entries_.size() < entries_max_) entries_.push_back(entry);
}

void Journal::end_step(std::int64_t time_ns) {
  if (!steps_.empty() && steps_.back().entries == count_) return;
  steps_.push_back({time_ns, count_, calls_.value(), messages_.value()});
}

std::uint64_t Journal::hash() const {
  return mix64(calls_.value(), messages_.value() + count_);
}

std::string call_name(std::int32_t number) {
  switch (number) {
    case kMessageEntry:
      return "message";
    case kOutputEntry:
      return "output";
    case kSignalEntry:
      return "signal";
    case kInstructionEntry:
      return "instruction";
    case kExitEntry:
      return "exit";
    default:
      break;
  }
  const std::string_view name = system_call_name(number);
  return name.empty() ? fmt::format("call {}", number) : std::string(name);
}

namespace {

std::string place_of(const JournalEntry& entry) {
  return fmt::format("program {} process {} thread {}: {} at {:.9f} s", entry.program,
                     entry.process, entry.thread, call_name(entry.call),
                     static_cast<double>(entry.time_ns) * 1e-9);
}

}  // namespace

std::optional<std::string> first_difference(const Journal& one, const Journal& other) {
  const auto [step, step_other] = std::mismatch(one.steps().begin(), one.steps().end(),
                                                other.steps().begin(), other.steps().end());
  if (step == one.steps().end() && step_other == other.steps().end() &&
      one.hash() == other.hash()) {
    return std::nullopt;
  }
  const auto number = step - one.steps().begin();
  const auto [entry, entry_other] = std::mismatch(
      one.entries().begin(), one.entries().end(), other.entries().begin(), other.entries().end(),
      [](const JournalEntry& a, const JournalEntry& b) { return a.hash == b.hash; });
  const bool has_one = entry != one.entries().end();
  const bool has_other = entry_other != other.entries().end();
  std::string text = fmt::format("step {}: ", number);
  if (has_one && has_other) {
    text += fmt::format("{}; the other run: {}", place_of(*entry), place_of(*entry_other));
  } else if (has_one || has_other) {
    text += fmt::format("{}, where {} has ended", place_of(has_one ? *entry : *entry_other),
                        has_one ? "the other run" : "this run");
  } else {
    text += "after the last call that is kept";
  }
  return text;
}

}  // namespace dissensus::host
