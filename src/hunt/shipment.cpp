#include "hunt/shipment.h"

#include "hunt/batch.h"
#include "hunt/bytes.h"

namespace dissensus::hunt {

namespace {

void write_sums(ByteWriter& writer, const RunSums& sums) {
  writer.number(sums.runs);
  writer.number(sums.failed);
  writer.number(sums.unknown);
  writer.number(sums.new_states);
  writer.number(static_cast<std::uint64_t>(sums.virtual_time.count()));
}

RunSums read_sums(ByteReader& reader) {
  RunSums sums;
  sums.runs = reader.number();
  sums.failed = reader.number();
  sums.unknown = reader.number();
  sums.new_states = reader.number();
  sums.virtual_time = Duration(static_cast<std::int64_t>(reader.number()));
  return sums;
}

}  // namespace

void RunSums::add(const ItemRecord& record) {
  ++runs;
  failed += record.outcome == oracle::Outcome::fail ? 1 : 0;
  unknown += record.outcome == oracle::Outcome::unknown ? 1 : 0;
  new_states += record.new_states.size();
  virtual_time += record.virtual_time;
}

void RunSums::add(const RunSums& other) {
  runs += other.runs;
  failed += other.failed;
  unknown += other.unknown;
  new_states += other.new_states;
  virtual_time += other.virtual_time;
}

std::string encode_shipment(const Shipment& shipment) {
  ByteWriter writer;
  writer.number(shipment.sums.size());
  for (const auto& [key, sums] : shipment.sums) {
    writer.counted_text(key.first);
    writer.counted_text(key.second);
    write_sums(writer, sums);
  }
  writer.number(shipment.failures.size());
  for (const auto& [signature, count] : shipment.failures) {
    writer.counted_text(signature);
    writer.number(count);
  }
  writer.number(shipment.events);
  writer.number(shipment.repeated);
  writer.number(shipment.equal);
  writer.number(shipment.best.size());
  for (const double value : shipment.best) writer.real(value);
  writer.real(shipment.disagreement_margin);
  writer.real(shipment.termination_margin);
  writer.number(shipment.items.size());
  for (const ItemRecord& item : shipment.items) {
    write_result(writer, item, item.new_states);
    writer.counted_text(item.schedule);
    writer.counted_text(item.member);
    writer.counted_text(item.origin);
  }
  return writer.take();
}

Shipment decode_shipment(std::string_view bytes, const std::string& name) {
  ByteReader reader(bytes, name);
  Shipment shipment;
  for (std::size_t left = reader.count(); left > 0; --left) {
    std::string member(reader.counted_text());
    std::string origin(reader.counted_text());
    shipment.sums[{std::move(member), std::move(origin)}] = read_sums(reader);
  }
  for (std::size_t left = reader.count(); left > 0; --left) {
    std::string signature(reader.counted_text());
    shipment.failures[std::move(signature)] = reader.number();
  }
  shipment.events = reader.number();
  shipment.repeated = reader.number();
  shipment.equal = reader.number();
  shipment.best.resize(reader.count());
  for (double& value : shipment.best) value = reader.real();
  shipment.disagreement_margin = reader.real();
  shipment.termination_margin = reader.real();
  shipment.items.resize(reader.count());
  for (ItemRecord& item : shipment.items) {
    read_result(reader, item, item.new_states);
    item.schedule = reader.counted_text();
    item.member = reader.counted_text();
    item.origin = reader.counted_text();
  }
  if (!reader.is_at_end()) reader.fail();
  return shipment;
}

}  // namespace dissensus::hunt
