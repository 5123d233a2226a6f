// What an island sends to the store: sums over all of its runs since the last time, and the runs
// that others may want to know of. Whoever can write to the store may have written it, so every
// byte is checked (core/bytes.h).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/describe.h"
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
template <class Visit>
constexpr void fields_of(const RunSums*, const Visit& visit) {
  visit("runs", &RunSums::runs);
  visit("failed", &RunSums::failed);
  visit("unknown", &RunSums::unknown);
  visit("new_states", &RunSums::new_states);
  visit("virtual_us", &RunSums::virtual_time);
}
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

template <class Visit>
constexpr void fields_of(const Shipment*, const Visit& visit) {
  visit("sums", &Shipment::sums);
  visit("failures", &Shipment::failures);
  visit("events", &Shipment::events);
  visit("repeated", &Shipment::repeated);
  visit("equal", &Shipment::equal);
  visit("best", &Shipment::best);
  visit("disagreement_margin", &Shipment::disagreement_margin);
  visit("termination_margin", &Shipment::termination_margin);
  visit("items", &Shipment::items);
}

}  // namespace dissensus::hunt
