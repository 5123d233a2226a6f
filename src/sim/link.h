// Links: how long a message takes from one node to another, and what may happen to it on the way.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dissensus/ids.h"
#include "dissensus/random.h"
#include "dissensus/time.h"

namespace dissensus::sim {

/// A distribution of latencies. Samples are never negative and never above `max`.
struct Latency {
  enum class Kind : std::uint8_t { constant, uniform, normal, exponential };
  Kind kind = Kind::constant;
  Duration a{};  ///< constant: the value; uniform: minimum; normal: mean; exponential: offset
  Duration b{};  ///< uniform: maximum; normal: standard deviation; exponential: mean beyond offset
  Duration max = std::chrono::seconds(60);

  Duration sample(Random& random) const;
  bool is_constant() const { return kind == Kind::constant; }
  friend bool operator==(const Latency&, const Latency&) = default;
};

/// What one directed link does. The default is the plain network: instant, lossless, in order.
struct LinkModel {
  Latency latency{};
  /// True: messages of a link arrive in the order of sending, as on a TCP connection.
  bool fifo = true;
  double loss = 0;           ///< probability that a message vanishes
  double duplicate = 0;      ///< probability that it arrives twice
  std::uint32_t buffer = 0;  ///< messages under way at most; more are lost; 0 = no bound

  /// Every message arrives once, after the same time; in order, then, without further care.
  bool is_plain() const { return !is_random() && buffer == 0; }
  bool is_random() const { return !latency.is_constant() || loss > 0 || duplicate > 0; }
  friend bool operator==(const LinkModel&, const LinkModel&) = default;
};

}  // namespace dissensus::sim
