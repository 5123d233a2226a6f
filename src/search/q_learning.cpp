#include "search/q_learning.h"

#include <algorithm>
#include <utility>

#include "dissensus/digest.h"

#include "search/portable_math.h"

namespace dissensus::search {

// ---- values

std::size_t QTable::place_of(std::uint64_t pair) const {
  std::size_t place = static_cast<std::size_t>(pair) & (cells_.size() - 1);
  while (cells_[place].pair != 0 && cells_[place].pair != pair) {
    place = (place + 1) & (cells_.size() - 1);
  }
  return place;
}

void QTable::set(std::uint64_t pair, double value) {
  Cell& cell = cells_[place_of(pair)];
  if (cell.pair == 0) {
    if (size_ == kPairsMax) return;
    ++size_;
  }
  cell = {pair, value};
  if (size_ * 2 <= cells_.size()) return;
  std::vector<Cell> old(cells_.size() * 2);
  old.swap(cells_);
  for (const Cell& moved : old) {
    if (moved.pair != 0) cells_[place_of(moved.pair)] = moved;
  }
}

// ---- one run

void QScheduler::start(std::size_t nodes, std::size_t /*kinds*/) {
  random_ = Random(seed_, "q-learning");
  node_state_.assign(nodes, 0);
  state_ = 0;
  steps_.clear();
}

void QScheduler::state_changed(NodeId node, std::uint64_t state) {
  const std::uint64_t mixed = mix64(state, node);
  state_ += mixed - node_state_[node];
  node_state_[node] = mixed;
}

std::uint64_t QScheduler::pair_of(const PendingMessage& message) const {
  const std::uint64_t action = std::uint64_t{message.from} << 32 | std::uint64_t{message.to} << 16 |
                               std::uint64_t{message.kind};
  return std::max<std::uint64_t>(mix64(state_, action), 1);
}

std::size_t QScheduler::pick(std::span<const PendingMessage> inbox) {
  double best = 0;
  weights_.resize(inbox.size());
  for (std::size_t i = 0; i < inbox.size(); ++i) {
    weights_[i] = values_->value(pair_of(inbox[i]));
    best = i == 0 ? weights_[i] : std::max(best, weights_[i]);
  }
  double sum = 0;
  for (double& weight : weights_) {
    weight = weight == best ? 1 : portable_exp(weight - best);
    sum += weight;
  }
  double left = random_.unit() * sum;
  std::size_t chosen = 0;
  while (chosen + 1 < inbox.size() && left >= weights_[chosen]) left -= weights_[chosen++];
  steps_.push_back({pair_of(inbox[chosen]), best});
  return chosen;
}

void QScheduler::teach(QTable& values, const QParameters& parameters) const {
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const double next = i + 1 < steps_.size() ? steps_[i + 1].best : 0;
    const double old = values.value(steps_[i].pair);
    const double target = parameters.reward + parameters.discount * next;
    values.set(steps_[i].pair, old + parameters.learning_rate * (target - old));
  }
}

// ---- many runs

namespace {
class QSearch final : public Search {
 public:
  QSearch(const SearchContext& context, const QParameters& parameters, std::uint64_t refresh,
          const HoldDraw& hold)
      : random_(context.seed, "q-learning-search"),
        parameters_(parameters),
        refresh_(refresh),
        hold_(hold),
        copy_(std::make_shared<const QTable>()) {}

  std::optional<Candidate> ask() override {
    Candidate candidate;
    const auto scheduler = std::make_shared<QScheduler>(random_.next(), copy_);
    scheduler->set_hold(hold_.draw(random_));
    candidate.scheduler = scheduler;
    candidate.origin = "q-learning";
    return candidate;
  }
  void tell(const Candidate& candidate, const Evaluation&) override {
    if (const auto* scheduler = dynamic_cast<const QScheduler*>(candidate.scheduler.get())) {
      scheduler->teach(values_, parameters_);
    }
    if (++told_ % refresh_ == 0) copy_ = std::make_shared<const QTable>(values_);
  }

 private:
  Random random_;
  QParameters parameters_;
  std::uint64_t refresh_;
  HoldDraw hold_;
  QTable values_;
  std::shared_ptr<const QTable> copy_;
  std::uint64_t told_ = 0;
};
}  // namespace

std::unique_ptr<Search> make_q_learning(const SearchContext& context, const Options& options) {
  QParameters parameters;
  parameters.learning_rate = options.number("learning_rate", parameters.learning_rate, 0, 1);
  parameters.discount = options.number("discount", parameters.discount, 0, 1);
  parameters.reward = options.number("reward", parameters.reward, -1e6, 1e6);
  const auto refresh = static_cast<std::uint64_t>(options.integer("refresh", 16, 1, 1'000'000));
  return std::make_unique<QSearch>(context, parameters, refresh, HoldDraw(context, options));
}

}  // namespace dissensus::search
