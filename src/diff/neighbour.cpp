#include "diff/neighbour.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "diff/steps.h"
#include "faults/words.h"
#include "regression/parts.h"
#include "run/recording.h"

namespace dissensus::diff {

namespace {

struct Attempt {
  faults::Schedule schedule;
  std::uint64_t seed = 0;
  std::string words;
};

std::vector<std::string> words_of(const run::Recipe& recipe, const faults::Schedule& schedule) {
  return faults::in_words(schedule, recipe.scenario.system_description(), recipe.scenario.nodes());
}

/// What the one has and the other has not, as a schedule of its own.
faults::Schedule difference_of(const faults::Schedule& all, const faults::Schedule& rest) {
  faults::Schedule only = all;
  if (auto* genes = std::get_if<faults::DelaySchedule>(&only.scheduler)) {
    if (const auto* left = std::get_if<faults::DelaySchedule>(&rest.scheduler)) {
      for (std::size_t i = 0; i < std::min(genes->delay_ms.size(), left->delay_ms.size()); ++i) {
        if (genes->delay_ms[i] == left->delay_ms[i]) genes->delay_ms[i] = 0;
      }
    }
  } else if (auto* messages = std::get_if<faults::MessageSchedule>(&only.scheduler)) {
    if (const auto* left = std::get_if<faults::MessageSchedule>(&rest.scheduler)) {
      std::erase_if(messages->delays, [left](const faults::MessageSchedule::Delay& delay) {
        return std::find(left->delays.begin(), left->delays.end(), delay) != left->delays.end();
      });
    }
  } else if (rest.scheduler.index() == all.scheduler.index()) {
    only.scheduler = std::monostate{};
  }
  // Parts are left out one at a time.
  const auto missing =
      std::mismatch(all.faults.begin(), all.faults.end(), rest.faults.begin(), rest.faults.end());
  only.faults.clear();
  if (all.faults.size() > rest.faults.size()) only.faults.push_back(*missing.first);
  return only;
}

/// The part of the schedule that is left out, in words.
std::string left_out(const run::Recipe& recipe, const faults::Schedule& without) {
  const std::vector<std::string> lines = words_of(recipe, difference_of(recipe.schedule, without));
  return fmt::format("without: {}", fmt::join(lines, "; "));
}

class Search {
 public:
  Search(const run::Recipe& failing, const trace::Trace& trace, const NeighbourOptions& options)
      : failing_(failing), trace_(trace), options_(options) {}

  /// The best of these; false: the limit was reached.
  bool add(const std::vector<Attempt>& attempts) {
    for (const Attempt& attempt : attempts) {
      if (events_ > options_.events_max || (options_.keep_going && !options_.keep_going())) {
        return false;
      }
      const run::RunOptions recording = run::with_everything();
      run::RunResult result =
          runner_.run(failing_.scenario, attempt.schedule, attempt.seed, recording);
      events_ += result.events;
      // A property may be left unjudged; what counts is that nothing is violated to the end.
      if (!result.verdict.violations.empty() || !result.verdict.cut_by.empty()) continue;
      run::Recipe recipe = failing_;
      recipe.schedule = attempt.schedule;
      recipe.seed = attempt.seed;
      recipe.hash = trace::to_hex(result.hash);
      trace::Trace passing = run::to_trace(recipe, recording.detail, std::move(result));
      const std::size_t common = common_steps(passing);
      if (best_ && common <= best_common_) continue;
      best_common_ = common;
      best_ = Neighbour{std::move(recipe), std::move(passing), attempt.words};
    }
    return true;
  }
  bool found() const { return best_.has_value(); }
  std::optional<Neighbour> take() { return std::move(best_); }

 private:
  std::size_t common_steps(const trace::Trace& passing) const {
    Steps a(trace_);
    Steps b(passing);
    align(a, b);
    return static_cast<std::size_t>(std::count_if(
        a.all.begin(), a.all.end(), [](const Step& step) { return step.equal != kNone; }));
  }

  const run::Recipe& failing_;
  const trace::Trace& trace_;
  const NeighbourOptions& options_;
  run::Runner runner_;
  std::uint64_t events_ = 0;
  std::size_t best_common_ = 0;
  std::optional<Neighbour> best_;
};

}  // namespace

std::optional<Neighbour> nearest_passing(const run::Recipe& failing, const trace::Trace& trace,
                                         const NeighbourOptions& options) {
  if (failing.branch) return std::nullopt;
  Search search(failing, trace, options);
  std::vector<Attempt> attempts;
  for (faults::Schedule& without : regression::without_each_part(failing.schedule)) {
    std::string words = left_out(failing, without);
    attempts.push_back({std::move(without), failing.seed, std::move(words)});
  }
  if (!search.add(attempts) || search.found()) return search.take();
  if (!search.add({{{}, failing.seed, "without any schedule"}}) || search.found()) {
    return search.take();
  }
  attempts.clear();
  for (std::size_t i = 1; i <= options.seeds; ++i) {
    const std::uint64_t seed = failing.seed + i;
    attempts.push_back({failing.schedule, seed, fmt::format("with seed {}", seed)});
  }
  search.add(attempts);
  return search.take();
}

}  // namespace dissensus::diff
