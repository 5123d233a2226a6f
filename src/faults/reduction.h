// What can be made smaller in one fault, as units of a reduction (src/shrink/reduce.h).
#pragma once

#include <cstdint>
#include <optional>

#include "dissensus/schedule.h"
#include "dissensus/time.h"

namespace dissensus::faults {

/// What smaller levels a unit has between its own and 0.
enum class Scale : std::uint8_t {
  whole,         ///< none: it is there or not
  milliseconds,  ///< round durations
  count,         ///< small numbers
};

/// As a level of Scale::milliseconds: rounded up.
std::int64_t whole_milliseconds(Duration duration);

/// Hands out the levels of a fault's units, in a fixed order that depends on the fault alone.
class LevelSource {
 public:
  virtual ~LevelSource() = default;
  /// The level of the next unit, which has level `start` in the fault as it was found.
  virtual std::int64_t next(std::int64_t start, Scale scale) = 0;
};

/// Of one fault. `end` is when the failing run ended: a window without an end cannot be shortened
/// by trying times behind it.
struct Reduction {
  std::size_t nodes;
  Duration end;
  LevelSource& source;
};

/// The fault with its units at the levels of `source`; none where nothing of it is left. The same
/// fault for units at their start levels.
///
/// Units are what the parts of the fault (part.h) have: nodes, one by one; nodes of a partition,
/// which join the largest part; the length of a window, from its end and from its beginning; counts
/// and durations; probabilities. Twins are one piece: a twin that talks with fewer nodes is another
/// fault, not a smaller one.
std::optional<Fault> reduced(const Fault& fault, std::size_t nodes, Duration end,
                             LevelSource& source);

}  // namespace dissensus::faults
