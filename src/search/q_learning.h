// Q-learning scheduling (Mukherjee et al., OOPSLA 2020; thesis 2.3.3): the scheduler is an agent
// that is punished for each step, and so learns to take steps that earlier runs did not.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "dissensus/random.h"
#include "dissensus/scheduler.h"
#include "dissensus/search.h"

#include "search/pace.h"

namespace dissensus::search {

/// Values of (state, action) pairs; 0 for those that were never tried.
class QTable {
 public:
  /// Further pairs are not remembered.
  static constexpr std::size_t kPairsMax = 1'000'000;

  QTable() : cells_(1024) {}
  double value(std::uint64_t pair) const { return cells_[place_of(pair)].value; }
  void set(std::uint64_t pair, double value);
  std::size_t size() const { return size_; }

 private:
  struct Cell {
    std::uint64_t pair = 0;  ///< 0: free
    double value = 0;
  };
  std::size_t place_of(std::uint64_t pair) const;

  std::vector<Cell> cells_;  ///< open addressing; a power of two of them
  std::size_t size_ = 0;
};

struct QParameters {
  double learning_rate = 0.3;
  double discount = 0.7;
  double reward = -1;  ///< of each step
};

/// One run with the values as they were when it was asked for. The state is what nodes last said of
/// their phase and round; an action is a sender, receiver and kind. Actions are drawn with
/// probabilities in proportion to e^value.
class QScheduler final : public HoldingScheduler {
 public:
  QScheduler(std::uint64_t seed, std::shared_ptr<const QTable> values)
      : seed_(seed), values_(std::move(values)) {}

  void start(std::size_t nodes, std::size_t kinds) override;
  std::size_t pick(std::span<const PendingMessage> inbox) override;
  void state_changed(NodeId node, std::uint64_t state) override;

  /// The current state with the delivery of this message.
  std::uint64_t pair_of(const PendingMessage& message) const;
  /// Adds what the last run taught to `values`.
  void teach(QTable& values, const QParameters& parameters) const;

 private:
  struct Step {
    std::uint64_t pair = 0;
    double best = 0;  ///< the highest value among all that could be done then
  };

  std::uint64_t seed_;
  std::shared_ptr<const QTable> values_;
  Random random_;
  std::vector<std::uint64_t> node_state_;  ///< mixed, by node
  std::uint64_t state_ = 0;                ///< their sum
  std::vector<Step> steps_;
  std::vector<double> weights_;
};

/// Learns in the order of telling. A scheduler under way works on a copy of the values, which is
/// renewed every `refresh` results, so that no two threads meet.
std::unique_ptr<Search> make_q_learning(const SearchContext& context, const Options& options);

}  // namespace dissensus::search
