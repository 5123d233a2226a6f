// What an island sends to the store: sums over all of its runs since the last time, and the runs
// that others may want to know of. Whoever can write to the store may have written it, so every
// byte is checked.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hunt/item.h"

namespace dissensus::hunt {

/// Over the runs of one member and origin.
struct RunSums {
  std::uint64_t runs = 0;
  std::uint64_t failed = 0;
  std::uint64_t unknown = 0;
  std::uint64_t new_states = 0;
  Duration virtual_time{};
  void add(const ItemRecord& record);
  void add(const RunSums& other);
};
/// By member and origin.
using RunSumsByOrigin = std::map<std::pair<std::string, std::string>, RunSums>;

struct Shipment {
  RunSumsByOrigin sums;
  std::map<std::string, std::uint64_t> failures;  ///< by signature: how many runs
  std::uint64_t events = 0;
  std::uint64_t repeated = 0;  ///< runs made twice
  std::uint64_t equal = 0;     ///< of these, with equal hash
  std::vector<double> best;    ///< smallest value of each objective
  double disagreement_margin = 0;
  double termination_margin = 0;
  /// Runs with states that the island had not seen, and the first failure of each signature.
  std::vector<ItemRecord> items;
};

std::string encode_shipment(const Shipment& shipment);
/// Throws InputError that begins with `name`.
Shipment decode_shipment(std::string_view bytes, const std::string& name);

}  // namespace dissensus::hunt
