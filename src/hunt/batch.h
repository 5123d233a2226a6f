// What travels between the coordinator of a hunt and its workers, as bytes in the store: items to
// be run, and what came of them. Whoever can write to the store may have written them, so every
// byte is checked.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hunt/item.h"

namespace dissensus::hunt {

class ByteReader;
class ByteWriter;

/// One run that a worker is to make.
struct Order {
  std::uint64_t number = 0;
  std::uint64_t seed = 0;
  std::string schedule;  ///< schedule_codec.h
};

/// How it went: what the record tells of the run, and all states that it reached.
struct Delivery {
  ItemRecord record;
  std::vector<std::uint64_t> states;
};

std::string encode_orders(const std::vector<Order>& orders);
/// Throws InputError that begins with `name`.
std::vector<Order> decode_orders(std::string_view bytes, const std::string& name);

/// What came of a batch, and how long it took.
struct DoneWork {
  double seconds = 0;
  std::vector<Delivery> deliveries;
};

/// What a record tells of a run (no schedule, member or origin), and states of it.
void write_result(ByteWriter& writer, const ItemRecord& record,
                  const std::vector<std::uint64_t>& states);
void read_result(ByteReader& reader, ItemRecord& record, std::vector<std::uint64_t>& states);

std::string encode_work(const DoneWork& work);
/// Throws InputError that begins with `name`.
DoneWork decode_work(std::string_view bytes, const std::string& name);

}  // namespace dissensus::hunt
