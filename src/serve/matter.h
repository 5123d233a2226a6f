// Does it matter? For each number of a schedule: between which values the run fails in the same
// way, found by making the run again with other values.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "serve/loaded_run.h"

namespace dissensus::serve {

/// One number of a schedule.
struct ScheduleValue {
  std::string words;  ///< "messages Commit from 1 to 2 arrive 400 ms late"
  std::string part;   ///< "delay", "from", "until", "at", "restart after"
  Duration value{};
  Duration most{};  ///< the largest value that is tried
  std::function<void(faults::Schedule&, Duration)> set;
};
std::vector<ScheduleValue> values_of(const LoadedRun& run);

struct Sample {
  Duration value{};
  bool fails = false;
};
struct ValueRange {
  std::vector<Sample> samples;  ///< ascending
  Duration low{};               ///< from here ...
  Duration high{};              ///< ... to here it fails, to the millisecond
  bool any = false;             ///< every value that was tried fails
  std::size_t runs = 0;
};

/// One value after another, so that a page can show the first while the last is being measured.
class RangeFinder {
 public:
  /// Throws InputError where the run does not fail or cannot be made again.
  explicit RangeFinder(std::shared_ptr<const LoadedRun> run);

  const std::vector<ScheduleValue>& values() const { return values_; }
  ValueRange measure(std::size_t value, const std::function<bool()>& keep_going);
  /// Of so many other seeds, how many fail in the same way.
  std::size_t failing_seeds(std::size_t seeds, const std::function<bool()>& keep_going);

 private:
  bool fails(const faults::Schedule& schedule, std::uint64_t seed);

  std::shared_ptr<const LoadedRun> run_;
  std::vector<ScheduleValue> values_;
  std::string signature_;
  run::Runner runner_;
};

}  // namespace dissensus::serve
