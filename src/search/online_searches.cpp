#include "search/online_searches.h"

#include "search/partial_order.h"
#include "search/pct.h"
#include "search/q_learning.h"

namespace dissensus::search {

const std::vector<SearchEntry>& online_searches() {
  static const std::vector<SearchEntry> entries{
      {"pct",
       "Random priorities of links with change points (PCTCP): depth, steps, pace, hold",
       {},
       make_pct,
       true},
      {"tapct",
       "As pct, with change points among racing messages only (taPCT): depth, steps, pace, hold",
       {},
       make_tapct,
       true},
      {"pos",
       "Partial-order sampling: messages to one receiver race anew: pace, hold",
       {},
       make_partial_order,
       true},
      {"rapos",
       "Batches of messages that do not race, each begun by what raced with the one before "
       "(RAPOS): "
       "pace, hold",
       {},
       make_rapos,
       true},
      {"q-learning",
       "Learns to deliver what earlier runs did not: learning_rate, discount, reward, refresh",
       {},
       make_q_learning,
       true},
  };
  return entries;
}

namespace {
std::unique_ptr<Scheduler> make_random_walk(std::uint64_t seed, const Options&) {
  return std::make_unique<RandomWalkScheduler>(seed);
}
}  // namespace

const std::vector<SchedulerEntry>& online_schedulers() {
  static const std::vector<SchedulerEntry> entries{
      {"random-walk", "Delivers any message that waits, all as likely", make_random_walk},
  };
  return entries;
}

}  // namespace dissensus::search
