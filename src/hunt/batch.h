// What travels between the coordinator of a hunt and its workers, as bytes in the store: items to
// be run, and what came of them. Whoever can write to the store may have written them, so every
// byte is checked (core/bytes.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/describe.h"
#include "hunt/item.h"

namespace dissensus::hunt {

/// One run that a worker is to make.
struct Order {
  std::uint64_t number = 0;
  std::uint64_t seed = 0;
  std::string schedule;  ///< faults/schedule_bytes.h
};
template <class Visit>
constexpr void fields_of(const Order*, const Visit& visit) {
  visit("number", &Order::number);
  visit("seed", &Order::seed);
  visit("schedule", &Order::schedule);
}

/// How it went, and all states that it reached.
struct Delivery {
  RunFacts facts;
  std::vector<std::uint64_t> states;
};
template <class Visit>
constexpr void fields_of(const Delivery*, const Visit& visit) {
  visit("facts", &Delivery::facts);
  visit("states", &Delivery::states, Form::fixed);
}

/// What came of a batch, and how long it took.
struct DoneWork {
  double seconds = 0;
  std::vector<Delivery> deliveries;
};
template <class Visit>
constexpr void fields_of(const DoneWork*, const Visit& visit) {
  visit("seconds", &DoneWork::seconds);
  visit("deliveries", &DoneWork::deliveries);
}

}  // namespace dissensus::hunt
