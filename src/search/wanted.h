// What is measured of the runs of a hunt, beyond what every hunt needs.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace dissensus::search {

/// What counts as new (Evaluation::new_states).
enum class Novelty : std::uint8_t {
  states,          ///< abstract states (measurement.h)
  happens_before,  ///< what nodes had heard when they decided or went on
  both,
  none,  ///< nothing ever is: the control
};
inline constexpr std::array<std::string_view, 4> kNoveltyNames{"states", "happens-before", "both",
                                                               "none"};

struct Wanted {
  bool rules = false;  ///< margins of the scenario's rules
  Novelty novelty = Novelty::states;
};

}  // namespace dissensus::search
