#include "search/passing_split.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <utility>
#include <vector>

#include "dissensus/scheduler.h"

#include "search/delay_bounds.h"

namespace dissensus::search {

namespace {

/// The unit of trouble and calm is this share of a round; each doubling is as likely as the next.
constexpr std::int64_t kPartsOfRound = 8;
constexpr std::uint64_t kDoublings = 6;
/// Systems whose pace is unknown are taken to be as fast as this.
constexpr Duration kRoundMin = std::chrono::milliseconds(8);

class PassingSplitScheduler final : public Scheduler {
 public:
  PassingSplitScheduler(std::shared_ptr<const DelayBounds> bounds, Duration round,
                        std::uint64_t seed)
      : bounds_(std::move(bounds)),
        seed_(seed),
        unit_(std::max<Duration>(round, kRoundMin) / kPartsOfRound) {}

  bool picks() const override { return false; }

  void start(std::size_t, std::size_t) override {
    random_ = Random(seed_, "passing-split");
    level_ = random_.chance(0.5) ? 1 : random_.unit();
    trouble_ = unit_ * (std::int64_t{1} << random_.below(kDoublings));
    calm_ = unit_ * (std::int64_t{1} << random_.below(kDoublings));
    is_even_ = random_.chance(0.5);
    is_apart_ = false;
    until_ = Time{} + about(calm_);
  }

  Duration delay(const PendingMessage& message) override {
    if (message.kind >= bounds_->kinds) return {};
    while (message.sent >= until_) {
      is_apart_ = !is_apart_;
      if (is_apart_) part();
      until_ += about(is_apart_ ? trouble_ : calm_);
    }
    if (!is_apart_ || is_on_side_[message.from] == is_on_side_[message.to]) return {};
    const double most = bounds_->most[bounds_->place(message.from, message.to, message.kind)];
    return DelayBounds::late_by(level_ + (1 - level_) * random_.unit(), most);
  }

 private:
  /// Half of it, all of it, or half as much again.
  Duration about(Duration length) {
    return length / 2 * static_cast<std::int64_t>(1 + random_.below(3));
  }
  void part() {
    std::vector<std::size_t> order(bounds_->nodes);
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random_.below(i)]);
    const std::size_t half = std::max<std::size_t>(order.size() / 2, 1);
    const std::size_t count = is_even_ ? half : 1 + random_.below(half);
    is_on_side_.assign(order.size(), false);
    for (std::size_t i = 0; i < count; ++i) is_on_side_[order[i]] = true;
  }

  std::shared_ptr<const DelayBounds> bounds_;
  std::uint64_t seed_;
  Duration unit_;
  Random random_{0};
  double level_ = 1;  ///< of the longest delay, at least
  Duration trouble_{};
  Duration calm_{};
  bool is_even_ = true;  ///< halves; else one node to half of them
  bool is_apart_ = false;
  Time until_{};
  std::vector<bool> is_on_side_;
};

}  // namespace

std::unique_ptr<Search> make_passing_split(const SearchContext& context, const Options& options) {
  options.finish();
  return make_scheduler_draws(
      context, "passing-split",
      [round = context.times.round](std::shared_ptr<const DelayBounds> bounds, std::uint64_t seed) {
        return std::make_shared<PassingSplitScheduler>(std::move(bounds), round, seed);
      });
}

}  // namespace dissensus::search
