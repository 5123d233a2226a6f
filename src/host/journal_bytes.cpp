// Journals as bytes: small numbers in few of them, times as differences.
#include <algorithm>

#include "host/journal.h"

namespace dissensus::host {

namespace {

constexpr std::string_view kJournalFormat = "dissensus-journal/1\n";

void put_number(std::string& to, std::uint64_t number) {
  while (number >= 0x80) {
    to += static_cast<char>(number | 0x80);
    number >>= 7;
  }
  to += static_cast<char>(number);
}

void put_signed(std::string& to, std::int64_t number) {
  put_number(to,
             static_cast<std::uint64_t>(number) << 1 ^ static_cast<std::uint64_t>(number >> 63));
}

void put_word(std::string& to, std::uint32_t word) {
  for (int shift = 0; shift < 32; shift += 8) to += static_cast<char>(word >> shift);
}

/// Reads what was put; once something is missing everything is 0.
class JournalReader {
 public:
  explicit JournalReader(std::string_view bytes) : bytes_(bytes) {}

  std::uint64_t number() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const std::uint64_t byte = next();
      value |= (byte & 0x7F) << shift;
      if ((byte & 0x80) == 0) return value;
    }
    is_whole_ = false;
    return 0;
  }
  std::int64_t signed_number() {
    const std::uint64_t value = number();
    return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
  }
  std::uint32_t word() {
    std::uint32_t value = 0;
    for (int shift = 0; shift < 32; shift += 8)
      value |= static_cast<std::uint32_t>(next()) << shift;
    return value;
  }
  bool is_whole() const { return is_whole_; }
  bool is_at_end() const { return position_ == bytes_.size(); }
  std::size_t left() const { return bytes_.size() - position_; }

 private:
  std::uint8_t next() {
    is_whole_ = is_whole_ && position_ < bytes_.size();
    return is_whole_ ? static_cast<std::uint8_t>(bytes_[position_++]) : std::uint8_t{0};
  }

  std::string_view bytes_;
  std::size_t position_ = 0;
  bool is_whole_ = true;
};

}  // namespace

std::string Journal::to_bytes() const {
  std::string bytes(kJournalFormat);
  put_number(bytes, count_);
  put_number(bytes, entries_.size());
  std::int64_t time = 0;
  for (const JournalEntry& entry : entries_) {
    put_signed(bytes, entry.time_ns - time);
    time = entry.time_ns;
    put_number(bytes, entry.program);
    put_number(bytes, entry.process);
    put_number(bytes, entry.thread);
    put_signed(bytes, entry.call);
    put_word(bytes, static_cast<std::uint32_t>(entry.hash));
  }
  put_number(bytes, steps_.size());
  std::uint64_t before = 0;
  time = 0;
  for (const Step& step : steps_) {
    put_number(bytes, step.entries - before);
    put_signed(bytes, step.time_ns - time);
    put_word(bytes, static_cast<std::uint32_t>(step.calls));
    put_word(bytes, static_cast<std::uint32_t>(step.messages));
    before = step.entries;
    time = step.time_ns;
  }
  put_word(bytes, static_cast<std::uint32_t>(calls_.value()));
  put_word(bytes, static_cast<std::uint32_t>(messages_.value()));
  return bytes;
}

std::optional<Journal> Journal::from_bytes(std::string_view bytes) {
  if (!bytes.starts_with(kJournalFormat)) return std::nullopt;
  JournalReader reader(bytes.substr(kJournalFormat.size()));
  Journal journal;
  journal.count_ = reader.number();
  // No entry and no step is shorter than nine bytes.
  const std::uint64_t entries = reader.number();
  journal.entries_.reserve(std::min<std::uint64_t>(entries, reader.left() / 9));
  std::int64_t time = 0;
  for (std::uint64_t i = 0; i < entries && reader.is_whole(); ++i) {
    JournalEntry& entry = journal.entries_.emplace_back();
    time += reader.signed_number();
    entry.time_ns = time;
    entry.program = static_cast<std::uint32_t>(reader.number());
    entry.process = static_cast<std::uint16_t>(reader.number());
    entry.thread = static_cast<std::uint16_t>(reader.number());
    entry.call = static_cast<std::int32_t>(reader.signed_number());
    entry.hash = reader.word();
  }
  const std::uint64_t steps = reader.number();
  journal.steps_.reserve(std::min<std::uint64_t>(steps, reader.left() / 9));
  Step step;
  for (std::uint64_t i = 0; i < steps && reader.is_whole(); ++i) {
    step.entries += reader.number();
    step.time_ns += reader.signed_number();
    step.calls = reader.word();
    step.messages = reader.word();
    journal.steps_.push_back(step);
  }
  journal.calls_ = RollingHash(reader.word());
  journal.messages_ = RollingHash(reader.word());
  if (!reader.is_whole() || !reader.is_at_end()) return std::nullopt;
  return journal;
}

}  // namespace dissensus::host
