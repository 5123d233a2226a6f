// Probabilistic concurrency testing of message passing (PCTCP: Ozkan et al., OOPSLA 2018), and its
// trace-aware form (taPCT: Ozkan, Majumdar and Oraee, OOPSLA 2019).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "dissensus/random.h"
#include "dissensus/scheduler.h"
#include "dissensus/search.h"

#include "search/pace.h"

namespace dissensus::search {

/// Messages of a link form a chain, and leave it in the order of sending. Chains have random
/// priorities, the highest goes first. After each of depth - 1 random steps the chain that has just
/// moved falls below all others. A bug that needs `depth` events in a certain order is hit with
/// probability 1 / (chains x steps^(depth - 1)) at least.
class PctScheduler final : public HoldingScheduler {
 public:
  struct Parameters {
    std::uint32_t depth = 3;
    std::uint64_t steps = 4000;  ///< messages of a run, as far as is known before
    /// taPCT: a step that races with nothing has one order, so only racing ones are counted, and
    /// the bound has their number instead of that of all steps. A message races when another one
    /// to the same receiver waits on another link.
    bool races_only = false;
  };
  PctScheduler(std::uint64_t seed, const Parameters& parameters);

  void start(std::size_t nodes, std::size_t kinds) override;
  std::size_t pick(std::span<const PendingMessage> inbox) override;

  /// Of the last run; taPCT: of its racing steps.
  std::uint64_t steps() const { return step_; }

 private:
  static bool races(std::span<const PendingMessage> inbox, std::size_t index);

  std::uint64_t seed_;
  Parameters parameters_;
  std::size_t nodes_ = 0;
  std::vector<std::uint64_t> priority_;  ///< by link, [from * nodes + to]
  std::vector<std::uint64_t> changes_;   ///< steps, by number of the change point
  std::uint64_t step_ = 0;
};

/// Both learn the number of steps from the runs they are told about.
std::unique_ptr<Search> make_pct(const SearchContext& context, const Options& options);
std::unique_ptr<Search> make_tapct(const SearchContext& context, const Options& options);

}  // namespace dissensus::search
