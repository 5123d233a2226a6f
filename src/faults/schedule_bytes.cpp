#include "faults/schedule_bytes.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "faults/kinds.h"
#include "faults/schedule.h"

namespace dissensus::faults {

template <class Visit>
constexpr void fields_of(const DelaySchedule*, const Visit& visit) {
  visit("delays_ms", &DelaySchedule::delay_ms);
}
template <class Visit>
constexpr void fields_of(const PriorityRate*, const Visit& visit) {
  visit("base", &PriorityRate::base);
  visit("min", &PriorityRate::min);
  visit("max", &PriorityRate::max);
  visit("target", &PriorityRate::target);
  visit("overflow", &PriorityRate::overflow);
  visit("underflow", &PriorityRate::underflow);
  visit("sensitivity", &PriorityRate::sensitivity);
}
template <class Visit>
constexpr void fields_of(const PrioritySchedule*, const Visit& visit) {
  visit("priorities", &PrioritySchedule::priority);
  visit("rate", &PrioritySchedule::rate);
}
template <class Visit>
constexpr void fields_of(const MessageSchedule::Delay*, const Visit& visit) {
  visit("gene", &MessageSchedule::Delay::gene);
  visit("nth", &MessageSchedule::Delay::nth);
  visit("delay", &MessageSchedule::Delay::delay);
}
template <class Visit>
constexpr void fields_of(const MessageSchedule*, const Visit& visit) {
  visit("messages", &MessageSchedule::delays);
}

namespace {

/// Before the faults, where there are any. Earlier versions wrote a document there, which begins
/// with a brace.
constexpr std::uint64_t kParts = 1;
constexpr char kDocument = '{';

/// A fault as its kind and its parts, each with its name and its length: what a later version adds
/// is left as it is by default where it was not known.
void put_fault(ByteWriter& writer, const Fault& fault) {
  const FaultKind& kind = fault.kind();
  writer.counted_text(kind.name);
  writer.number(kind.parts.size());
  for (const PartPtr& part : kind.parts) {
    ByteWriter value;
    part->put(fault.value(), value);
    writer.counted_text(part->key);
    writer.counted_text(value.bytes());
  }
}

/// Nothing where there are none.
void put_faults(ByteWriter& writer, const std::vector<Fault>& faults) {
  if (faults.empty()) return;
  writer.number(kParts);
  writer.number(faults.size());
  for (const Fault& fault : faults) put_fault(writer, fault);
}

Fault take_fault(ByteReader& reader) {
  const FaultKind* const kind = find_kind(reader.counted_text());
  if (kind == nullptr) reader.fail();
  const std::shared_ptr<void> fault = kind->copy(nullptr);
  for (std::size_t left = reader.count(); left > 0; --left) {
    const std::string_view key = reader.counted_text();
    const auto part = std::find_if(kind->parts.begin(), kind->parts.end(),
                                   [key](const PartPtr& each) { return each->key == key; });
    if (part == kind->parts.end()) reader.fail();
    ByteReader value = reader.part(reader.number());
    (*part)->take(fault.get(), value);
    if (!value.is_at_end()) reader.fail();
  }
  return Fault(*kind, fault);
}

void take_faults(ByteReader& reader, std::vector<Fault>& faults) {
  if (reader.number() != kParts) reader.fail();
  const std::size_t count = reader.count();
  if (count > kFaultsMax) reader.fail();
  faults.reserve(count);
  for (std::size_t i = 0; i < count; ++i) faults.push_back(take_fault(reader));
}

/// What faults may say is known to the reader of documents alone, so it is asked.
std::vector<Fault> checked(std::vector<Fault> faults, const std::string& name,
                           const SystemDescription& description, std::size_t nodes) {
  std::string document;
  try {
    document = to_json({std::monostate{}, faults}, description, nodes);
  } catch (const std::exception&) {  // a kind, a phase or a text that there cannot be
    throw InputError(name + ": its schedule: the bytes are damaged");
  }
  return parse_schedule(document, name, description, nodes).faults;
}

void check_genes(const Schedule& schedule, const ByteReader& reader,
                 const SystemDescription& description, std::size_t nodes) {
  const std::size_t genes = GeneSpace{nodes, description.kinds.size()}.size();
  if (const auto* delays = std::get_if<DelaySchedule>(&schedule.scheduler)) {
    if (delays->delay_ms.size() != genes) reader.fail();
  } else if (const auto* priorities = std::get_if<PrioritySchedule>(&schedule.scheduler)) {
    if (priorities->priority.size() != genes) reader.fail();
  }
}

}  // namespace

std::string encode_schedule(const Schedule& schedule) {
  ByteWriter writer;
  dissensus::put(writer, schedule.scheduler);
  put_faults(writer, schedule.faults);
  return writer.take();
}

Schedule decode_schedule(std::string_view bytes, const std::string& name,
                         const SystemDescription& description, std::size_t nodes) {
  ByteReader reader(bytes, name + ": its schedule");
  Schedule schedule;
  dissensus::take(reader, schedule.scheduler);
  check_genes(schedule, reader, description, nodes);
  if (reader.is_at_end()) return schedule;
  if (reader.rest().front() == kDocument) {
    schedule.faults = parse_schedule(reader.rest(), name, description, nodes).faults;
    return schedule;
  }
  take_faults(reader, schedule.faults);
  if (!reader.is_at_end()) reader.fail();
  schedule.faults = checked(std::move(schedule.faults), name, description, nodes);
  return schedule;
}

void put(ByteWriter& writer, const Schedule& schedule, Form form) {
  dissensus::put(writer, schedule.scheduler, form);
  writer.number(schedule.faults.empty() ? 0 : 1);
  put_faults(writer, schedule.faults);
}

void take(ByteReader& reader, Schedule& schedule, Form form) {
  dissensus::take(reader, schedule.scheduler, form);
  schedule.faults.clear();
  if (reader.number() != 0) take_faults(reader, schedule.faults);
}

}  // namespace dissensus::faults
