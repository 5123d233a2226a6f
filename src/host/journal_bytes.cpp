// Journals as bytes: small numbers in few of them, times as differences.
#include "core/bytes.h"
#include "host/journal.h"

namespace dissensus::host {

namespace {

constexpr std::string_view kJournalFormat = "dissensus-journal/1\n";

/// A half of a hash is kept.
std::uint32_t half(std::uint64_t hash) {
  return static_cast<std::uint32_t>(hash);
}

/// No entry and no step is shorter than this.
constexpr std::size_t kLeast = 9;

template <class Entry>
std::size_t reserve_entries(ByteReader& reader, std::vector<Entry>& entries) {
  const std::uint64_t count = reader.number();
  if (count > reader.rest().size() / kLeast) reader.fail();
  entries.reserve(static_cast<std::size_t>(count));
  return static_cast<std::size_t>(count);
}

}  // namespace

std::string Journal::to_bytes() const {
  ByteWriter writer;
  writer.text(kJournalFormat);
  writer.number(count_);
  writer.number(entries_.size());
  std::int64_t time = 0;
  for (const JournalEntry& entry : entries_) {
    writer.signed_number(entry.time_ns - time);
    time = entry.time_ns;
    writer.number(entry.program);
    writer.number(entry.process);
    writer.number(entry.thread);
    writer.signed_number(entry.call);
    writer.fixed(half(entry.hash));
  }
  writer.number(steps_.size());
  std::uint64_t before = 0;
  time = 0;
  for (const Step& step : steps_) {
    writer.number(step.entries - before);
    writer.signed_number(step.time_ns - time);
    writer.fixed(half(step.calls));
    writer.fixed(half(step.messages));
    before = step.entries;
    time = step.time_ns;
  }
  writer.fixed(half(calls_.value()));
  writer.fixed(half(messages_.value()));
  return writer.take();
}

void Journal::read(ByteReader& reader) {
  count_ = reader.number();
  std::int64_t time = 0;
  for (std::size_t left = reserve_entries(reader, entries_); left > 0; --left) {
    JournalEntry& entry = entries_.emplace_back();
    time += reader.signed_number();
    entry.time_ns = time;
    entry.program = reader.number_as<std::uint32_t>();
    entry.process = reader.number_as<std::uint16_t>();
    entry.thread = reader.number_as<std::uint16_t>();
    entry.call = static_cast<std::int32_t>(reader.signed_number());
    entry.hash = reader.fixed<std::uint32_t>();
  }
  Step step;
  for (std::size_t left = reserve_entries(reader, steps_); left > 0; --left) {
    step.entries += reader.number();
    step.time_ns += reader.signed_number();
    step.calls = reader.fixed<std::uint32_t>();
    step.messages = reader.fixed<std::uint32_t>();
    steps_.push_back(step);
  }
  calls_ = RollingHash(reader.fixed<std::uint32_t>());
  messages_ = RollingHash(reader.fixed<std::uint32_t>());
  if (!reader.is_at_end()) reader.fail();
}

std::optional<Journal> Journal::from_bytes(std::string_view bytes) {
  if (!bytes.starts_with(kJournalFormat)) return std::nullopt;
  ByteReader reader(bytes.substr(kJournalFormat.size()), "a journal");
  Journal journal;
  try {
    journal.read(reader);
  } catch (const InputError&) {
    return std::nullopt;
  }
  return journal;
}

}  // namespace dissensus::host
