#include "hunt/schedule_codec.h"

#include <bit>
#include <vector>

#include <fmt/format.h>

#include "dissensus/options.h"

#include "faults/schedule.h"

namespace dissensus::hunt {

namespace {

using faults::DelaySchedule;
using faults::MessageSchedule;
using faults::PriorityRate;
using faults::PrioritySchedule;
using faults::Schedule;

/// First byte: which scheduler; the rest is read accordingly.
enum class Tag : std::uint8_t { none = 0, delays = 1, priorities = 2, messages = 3 };

class Writer {
 public:
  /// Seven bits per byte, low ones first; the highest bit says that more follow.
  void number(std::uint64_t value) {
    while (value >= 0x80) {
      bytes_.push_back(static_cast<char>(value | 0x80));
      value >>= 7;
    }
    bytes_.push_back(static_cast<char>(value));
  }
  void real(double value) {
    auto bits = std::bit_cast<std::uint64_t>(value);
    for (int i = 0; i < 8; ++i, bits >>= 8) bytes_.push_back(static_cast<char>(bits & 0xFF));
  }
  void numbers(const std::vector<std::uint32_t>& values) {
    bytes_.reserve(bytes_.size() + values.size() * 2 + 16);
    number(values.size());
    for (const std::uint32_t value : values) number(value);
  }
  void text(std::string_view text) { bytes_ += text; }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class Reader {
 public:
  Reader(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {}
  [[noreturn]] void fail() const {
    throw InputError(fmt::format("{}: the bytes of its schedule are damaged", name_));
  }
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const std::uint64_t byte = next();
      value |= (byte & 0x7F) << shift;
      if (byte < 0x80) return value;
    }
    fail();
  }
  std::uint32_t small_number() {
    const std::uint64_t value = number();
    if (value > UINT32_MAX) fail();
    return static_cast<std::uint32_t>(value);
  }
  double real() {
    std::uint64_t bits = 0;
    for (int i = 0; i < 8; ++i) bits |= std::uint64_t{next()} << (8 * i);
    return std::bit_cast<double>(bits);
  }
  std::size_t count() {
    const std::uint64_t value = number();
    if (value > bytes_.size()) fail();  // every element takes a byte at least
    return static_cast<std::size_t>(value);
  }
  std::vector<std::uint32_t> numbers() {
    std::vector<std::uint32_t> values(count());
    for (std::uint32_t& value : values) value = small_number();
    return values;
  }
  std::string_view rest() const { return bytes_; }

 private:
  std::uint8_t next() {
    if (bytes_.empty()) fail();
    const auto byte = static_cast<std::uint8_t>(bytes_.front());
    bytes_.remove_prefix(1);
    return byte;
  }
  std::string_view bytes_;
  const std::string& name_;
};

/// The members of a rate in the order in which they are stored.
constexpr double PriorityRate::*kRateMembers[] = {
    &PriorityRate::base,       &PriorityRate::min,      &PriorityRate::max,
    &PriorityRate::target,     &PriorityRate::overflow, &PriorityRate::underflow,
    &PriorityRate::sensitivity};

void write_scheduler(Writer& writer, const Schedule& schedule) {
  if (const auto* delays = std::get_if<DelaySchedule>(&schedule.scheduler)) {
    writer.number(static_cast<std::uint8_t>(Tag::delays));
    writer.numbers(delays->delay_ms);
  } else if (const auto* priorities = std::get_if<PrioritySchedule>(&schedule.scheduler)) {
    writer.number(static_cast<std::uint8_t>(Tag::priorities));
    writer.numbers(priorities->priority);
    for (const auto member : kRateMembers) writer.real(priorities->rate.*member);
  } else if (const auto* messages = std::get_if<MessageSchedule>(&schedule.scheduler)) {
    writer.number(static_cast<std::uint8_t>(Tag::messages));
    writer.number(messages->delays.size());
    for (const MessageSchedule::Delay& delay : messages->delays) {
      writer.number(delay.gene);
      writer.number(delay.nth);
      writer.number(static_cast<std::uint64_t>(delay.delay.count()));
    }
  } else {
    writer.number(static_cast<std::uint8_t>(Tag::none));
  }
}

PrioritySchedule read_priorities(Reader& reader) {
  PrioritySchedule priorities;
  priorities.priority = reader.numbers();
  for (const auto member : kRateMembers) priorities.rate.*member = reader.real();
  return priorities;
}

MessageSchedule read_messages(Reader& reader) {
  MessageSchedule messages;
  messages.delays.resize(reader.count());
  for (MessageSchedule::Delay& delay : messages.delays) {
    delay.gene = reader.small_number();
    delay.nth = reader.small_number();
    delay.delay = Duration(static_cast<std::int64_t>(reader.number()));
  }
  return messages;
}

}  // namespace

std::string encode_schedule(const Schedule& schedule, const SystemDescription& description,
                            std::size_t nodes) {
  Writer writer;
  write_scheduler(writer, schedule);
  if (!schedule.faults.empty()) {
    // Rare and small beside the genes: the document's own form, which is versioned.
    writer.text(faults::to_json({std::monostate{}, schedule.faults}, description, nodes));
  }
  return writer.take();
}

Schedule decode_schedule(std::string_view bytes, const std::string& name,
                         const SystemDescription& description, std::size_t nodes) {
  Reader reader(bytes, name);
  Schedule schedule;
  const std::size_t genes = faults::GeneSpace{nodes, description.kinds.size()}.size();
  switch (static_cast<Tag>(reader.number())) {
    case Tag::none:
      break;
    case Tag::delays: {
      DelaySchedule delays{reader.numbers()};
      if (delays.delay_ms.size() != genes) reader.fail();
      schedule.scheduler = std::move(delays);
      break;
    }
    case Tag::priorities: {
      PrioritySchedule priorities = read_priorities(reader);
      if (priorities.priority.size() != genes) reader.fail();
      schedule.scheduler = std::move(priorities);
      break;
    }
    case Tag::messages:
      schedule.scheduler = read_messages(reader);
      break;
    default:
      reader.fail();
  }
  if (!reader.rest().empty()) {
    schedule.faults = faults::parse_schedule(reader.rest(), name, description, nodes).faults;
  }
  return schedule;
}

}  // namespace dissensus::hunt
