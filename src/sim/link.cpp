#include "sim/link.h"

#include <algorithm>

namespace dissensus::sim {

Duration Latency::sample(Random& random) const {
  Duration result = a;
  switch (kind) {
    case Kind::constant:
      break;
    case Kind::uniform:
      result = Duration{random.between(a.count(), b.count())};
      break;
    case Kind::normal:
      result +=
          Duration{static_cast<std::int64_t>(random.normal() * static_cast<double>(b.count()))};
      break;
    case Kind::exponential:
      result += Duration{
          static_cast<std::int64_t>(random.exponential() * static_cast<double>(b.count()))};
      break;
  }
  return std::clamp(result, Duration{}, max);
}

}  // namespace dissensus::sim
