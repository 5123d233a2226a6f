#include "search/pace.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "core/event.h"
#include "run/runner.h"

namespace dissensus::search {

namespace {

/// Times between decisions of one node, on each level by itself.
class DecisionGaps final : public EventSink {
 public:
  DecisionGaps(std::size_t nodes, std::size_t levels) : levels_(levels), last_(nodes * levels) {}
  EventMask wants() const override { return EventMask().with(EventType::decide); }
  void on_event(const Event& event) override {
    Time& last = last_[event.node * levels_ + event.detail];
    if (last != Time{} && event.time > last) gaps_.push_back(event.time - last);
    last = event.time;
  }
  Duration median() {
    if (gaps_.empty()) return {};
    const auto middle = gaps_.begin() + static_cast<std::ptrdiff_t>(gaps_.size() / 2);
    std::nth_element(gaps_.begin(), middle, gaps_.end());
    return *middle;
  }

 private:
  std::size_t levels_;
  std::vector<Time> last_;
  std::vector<Duration> gaps_;
};

/// Any seed does; one that no hunt uses.
constexpr std::uint64_t kPaceSeed = 0x70616365;

}  // namespace

TimeScales measure_pace(const run::Scenario& scenario) {
  const SystemDescription& description = scenario.system_description();
  const SystemTraits traits = scenario.system->traits();
  TimeScales scales{description.time_scale};
  if (traits.outside || !traits.repeatable) return scales;
  DecisionGaps gaps(scenario.nodes(), description.levels.size());
  run::RunOptions options;
  options.sinks = {&gaps};
  run::Runner runner;
  runner.run(scenario, faults::Schedule{}, kPaceSeed, options);
  // A system that decides much faster than its own timers waits for these.
  scales.round = std::max(scales.round, gaps.median());
  return scales;
}

HoldDraw::HoldDraw(const SearchContext& context, const Options& options) {
  static constexpr std::array<std::string_view, 2> kPaces{"system", "thesis"};
  const bool is_system = options.choice("pace", kPaces, 0) == 0;
  share_ = options.number("hold", 0, 0, 1000);
  if (is_system) round_ = context.times.round;
  // No message waits for longer, on average, than the scenario lets a schedule delay it.
  if (context.space.type == SearchSpace::Type::delay && context.space.size() > 0) {
    const double most = *std::max_element(context.space.high.begin(), context.space.high.end());
    most_ = std::chrono::milliseconds(static_cast<std::int64_t>(most));
  }
}

Duration HoldDraw::draw(Random& random) const {
  if (round_ == Duration{}) return {};
  const double share = share_ > 0 ? share_ : kHoldShares[random.below(kHoldShares.size())];
  const Duration hold{static_cast<std::int64_t>(share * static_cast<double>(round_.count()))};
  return std::clamp(hold, Duration{1}, std::max(most_, Duration{1}));
}

}  // namespace dissensus::search
