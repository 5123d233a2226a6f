#include "search/sequence.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "dissensus/digest.h"
#include "dissensus/scheduler.h"

#include "search/delay_bounds.h"

namespace dissensus::search {

namespace {

/// Which numbers of a link are late.
enum class LateNumbers : std::uint8_t { one, first, every, window };

class SequenceScheduler final : public Scheduler {
 public:
  SequenceScheduler(std::shared_ptr<const DelayBounds> bounds, std::uint64_t seed)
      : bounds_(std::move(bounds)), seed_(seed) {
    draw();
  }
  bool picks() const override { return false; }
  void start(std::size_t, std::size_t) override { count_.assign(bounds_->most.size(), 0); }

  Duration delay(const PendingMessage& message) override {
    if (message.kind >= bounds_->kinds) return {};
    const std::size_t place = bounds_->place(message.from, message.to, message.kind);
    const double most = bounds_->most[place];
    const std::uint64_t number = count_[place]++;
    if (most <= 0) return {};
    // A draw of its own for each message, whatever came before it.
    Random chance(mix64(seed_ ^ place, number + 1));
    const double share = concerns(message) && is_late(number, place)
                             ? level_ + (1 - level_) * chance.unit()
                             : background_ * chance.unit();
    return DelayBounds::late_by(share, most);
  }

 private:
  void draw() {
    Random random(seed_, "sequence");
    constexpr std::array<double, 4> kLevels{0.25, 0.5, 0.75, 1};
    level_ = kLevels[random.below(kLevels.size())];
    // Half of the networks are prompt but for what is late by plan.
    background_ = random.chance(0.5) ? 0 : 0.5 * random.unit();
    late_ = static_cast<LateNumbers>(random.below(4));
    from_ = random.below(4) * random.below(4);
    length_ = 1 + random.below(late_ == LateNumbers::every ? 3 : 4);
    own_numbers_ = random.chance(0.3);
    kinds_ = mask(bounds_->kinds, random);
    senders_ = random.chance(0.5) ? ~std::uint64_t{0} : mask(bounds_->nodes, random);
    receivers_ = random.chance(0.25) ? ~std::uint64_t{0} : mask(bounds_->nodes, random);
  }
  /// Half of them, and at least one.
  static std::uint64_t mask(std::size_t count, Random& random) {
    return random.next() | std::uint64_t{1} << random.below(std::min<std::size_t>(count, 64));
  }
  bool concerns(const PendingMessage& message) const {
    const auto has = [](std::uint64_t set, std::uint64_t index) {
      return (set >> (index % 64) & 1) != 0;
    };
    return has(kinds_, message.kind) && has(senders_, message.from) && has(receivers_, message.to);
  }
  bool is_late(std::uint64_t number, std::size_t place) const {
    const std::uint64_t from = own_numbers_ ? mix64(seed_, place) % 8 : from_;
    switch (late_) {
      case LateNumbers::one:
        return number == from;
      case LateNumbers::first:
        return number < length_;
      case LateNumbers::every:
        return (number + from) % (length_ + 1) == 0;
      case LateNumbers::window:
        return number >= from && number < from + 4 * length_;
    }
    return false;
  }

  std::shared_ptr<const DelayBounds> bounds_;
  std::uint64_t seed_;
  double level_ = 1;
  double background_ = 0;
  LateNumbers late_ = LateNumbers::one;
  std::uint64_t from_ = 0;
  std::uint64_t length_ = 1;
  bool own_numbers_ = false;  ///< each link and kind has a number of its own to begin with
  std::uint64_t kinds_ = 0;
  std::uint64_t senders_ = 0;
  std::uint64_t receivers_ = 0;
  std::vector<std::uint64_t> count_;
};

}  // namespace

std::unique_ptr<Search> make_sequence(const SearchContext& context, const Options& options) {
  options.finish();
  return make_scheduler_draws(context, "sequence",
                              [](std::shared_ptr<const DelayBounds> bounds, std::uint64_t seed) {
                                return std::make_shared<SequenceScheduler>(std::move(bounds), seed);
                              });
}

}  // namespace dissensus::search
