#include "hunt/batch.h"

#include "hunt/bytes.h"

namespace dissensus::hunt {

void write_result(ByteWriter& writer, const ItemRecord& record,
                  const std::vector<std::uint64_t>& states) {
  writer.number(record.number);
  writer.number(record.seed);
  writer.fixed(record.hash);
  writer.number(static_cast<std::uint64_t>(record.outcome));
  writer.counted_text(record.signature);
  writer.number(record.violations);
  writer.number(record.objectives.size());
  for (const double objective : record.objectives) writer.real(objective);
  writer.real(record.disagreement_margin);
  writer.real(record.termination_margin);
  writer.number(static_cast<std::uint64_t>(record.virtual_time.count()));
  writer.number(record.events);
  writer.number(static_cast<std::uint64_t>(record.stability));
  writer.number(states.size());
  for (const std::uint64_t state : states) writer.fixed(state);
}

void read_result(ByteReader& reader, ItemRecord& record, std::vector<std::uint64_t>& states) {
  record.number = reader.number();
  record.seed = reader.number();
  record.hash = reader.fixed();
  const std::uint64_t outcome = reader.number();
  if (outcome > 2) reader.fail();
  record.outcome = static_cast<oracle::Outcome>(outcome);
  record.signature = reader.counted_text();
  record.violations = reader.number();
  record.objectives.resize(reader.count());
  for (double& objective : record.objectives) objective = reader.real();
  record.disagreement_margin = reader.real();
  record.termination_margin = reader.real();
  record.virtual_time = Duration(static_cast<std::int64_t>(reader.number()));
  record.events = reader.number();
  const std::uint64_t stability = reader.number();
  if (stability > 2) reader.fail();
  record.stability = static_cast<Stability>(stability);
  states.resize(reader.count());
  for (std::uint64_t& state : states) state = reader.fixed();
}

std::string encode_orders(const std::vector<Order>& orders) {
  ByteWriter writer;
  writer.number(orders.size());
  for (const Order& order : orders) {
    writer.number(order.number);
    writer.number(order.seed);
    writer.counted_text(order.schedule);
  }
  return writer.take();
}

std::vector<Order> decode_orders(std::string_view bytes, const std::string& name) {
  ByteReader reader(bytes, name);
  std::vector<Order> orders(reader.count());
  for (Order& order : orders) {
    order.number = reader.number();
    order.seed = reader.number();
    order.schedule = reader.counted_text();
  }
  if (!reader.is_at_end()) reader.fail();
  return orders;
}

std::string encode_work(const DoneWork& work) {
  ByteWriter writer;
  writer.real(work.seconds);
  writer.number(work.deliveries.size());
  for (const Delivery& delivery : work.deliveries) {
    write_result(writer, delivery.record, delivery.states);
  }
  return writer.take();
}

DoneWork decode_work(std::string_view bytes, const std::string& name) {
  ByteReader reader(bytes, name);
  DoneWork work;
  work.seconds = reader.real();
  work.deliveries.resize(reader.count());
  for (Delivery& delivery : work.deliveries) {
    read_result(reader, delivery.record, delivery.states);
  }
  if (!reader.is_at_end()) reader.fail();
  return work;
}

}  // namespace dissensus::hunt
