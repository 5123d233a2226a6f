#include "hunt/schedule_codec.h"

#include <utility>

#include "faults/schedule.h"
#include "hunt/bytes.h"

namespace dissensus::hunt {

namespace {

using faults::DelaySchedule;
using faults::MessageSchedule;
using faults::PriorityRate;
using faults::PrioritySchedule;
using faults::Schedule;

/// First byte: which scheduler; the rest is read accordingly.
enum class Tag : std::uint8_t { none = 0, delays = 1, priorities = 2, messages = 3 };

/// The members of a rate in the order in which they are stored.
constexpr double PriorityRate::*kRateMembers[] = {
    &PriorityRate::base,       &PriorityRate::min,      &PriorityRate::max,
    &PriorityRate::target,     &PriorityRate::overflow, &PriorityRate::underflow,
    &PriorityRate::sensitivity};

void write_scheduler(ByteWriter& writer, const Schedule& schedule) {
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

PrioritySchedule read_priorities(ByteReader& reader) {
  PrioritySchedule priorities;
  priorities.priority = reader.numbers();
  for (const auto member : kRateMembers) priorities.rate.*member = reader.real();
  return priorities;
}

MessageSchedule read_messages(ByteReader& reader) {
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
  ByteWriter writer;
  write_scheduler(writer, schedule);
  if (!schedule.faults.empty()) {
    // Rare and small beside the genes: the document's own form, which is versioned.
    writer.text(faults::to_json({std::monostate{}, schedule.faults}, description, nodes));
  }
  return writer.take();
}

Schedule decode_schedule(std::string_view bytes, const std::string& name,
                         const SystemDescription& description, std::size_t nodes) {
  ByteReader reader(bytes, name + ": its schedule");
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
