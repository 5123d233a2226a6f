#include "generated_logs.h"

#include <algorithm>

#include <fmt/format.h>

namespace dissensus::study {
namespace {

using isolate::Run;

enum Kind : std::uint16_t { kPropose, kVote, kCommit, kChange, kAlarm };

isolate::Schema schema_of(const GeneratedFamily& family) {
  isolate::Schema schema;
  schema.nodes = family.nodes;
  const isolate::Field round{"round", SemanticType::round, "round"};
  const isolate::Field value{"value", SemanticType::hash, "value"};
  schema.kinds = {{"propose", {round, value}},
                  {"vote", {round, value}},
                  {"commit", {round, value}},
                  {"change", {round}},
                  {"alarm", {round}}};
  schema.trust_everybody();
  for (const GeneratedCause& cause : family.causes) schema.labels.push_back(cause.name);
  return schema;
}

struct Sent {
  double time = 0;
  std::uint16_t kind = 0;
  std::uint16_t sender = 0;
  std::vector<std::int64_t> values;
};

std::int64_t value_of(std::size_t round, std::size_t rival = 0) {
  return static_cast<std::int64_t>(1000 * round + rival);
}

/// One run: what is sent, and then who receives it when.
class Story {
 public:
  Story(const GeneratedFamily& family, std::uint64_t seed) : family_(family), random_(seed) {
    rounds_ = family.rounds + random_.below(family.rounds / 2 + 1);
    culprit_ = pick();
  }

  /// As far as the cause goes; none: the run goes well.
  void tell(const GeneratedCause* cause) {
    // A mistake shows in the first two thirds, its symptom in the last quarter.
    const std::size_t first = 2 + random_.below(rounds_ / 3);
    const std::size_t last = rounds_ * 2 / 3;
    const std::size_t end = rounds_ - rounds_ / 4;
    const Symptom* symptom =
        cause == nullptr ? nullptr : &cause->symptoms[random_.below(cause->symptoms.size())];
    for (std::size_t round = 1; round <= rounds_; ++round) {
      const bool is_marked = cause != nullptr && round >= first && round <= last;
      const bool is_symptom = symptom != nullptr && round > end;
      say_round(round, is_symptom ? symptom : nullptr);
      if (is_marked) {
        for (const Mark mark : cause->marks) leave(mark, round);
      }
      if (is_symptom) show(*symptom, round);
    }
  }
  /// A mark of a mistake that does no harm this time.
  void leave_once(Mark mark) { leave(mark, 2 + random_.below(rounds_ - 2)); }

  void deliver(Run& run) {
    struct Arrival {
      double time;
      const Sent* message;
    };
    for (std::size_t node = 0; node < family_.nodes; ++node) {
      std::vector<Arrival> arrivals;
      for (const Sent& message : sent_) {
        if (random_.chance(family_.loss)) continue;
        const double time = message.time + 0.05 + 0.5 * random_.unit();
        arrivals.push_back({time, &message});
        if (random_.chance(family_.loss)) arrivals.push_back({time + random_.unit(), &message});
      }
      std::stable_sort(arrivals.begin(), arrivals.end(),
                       [](const Arrival& a, const Arrival& b) { return a.time < b.time; });
      isolate::Inbox& inbox = run.inboxes[node];
      for (const Arrival& arrival : arrivals) {
        inbox.add(arrival.message->kind, arrival.message->sender);
        inbox.values.insert(inbox.values.end(), arrival.message->values.begin(),
                            arrival.message->values.end());
      }
    }
  }

 private:
  std::size_t pick() { return random_.below(family_.nodes); }

  void say(double time, Kind kind, std::size_t sender, std::vector<std::int64_t> values) {
    sent_.push_back({time, kind, static_cast<std::uint16_t>(sender), std::move(values)});
  }

  static constexpr double kRoundLasts = 2;
  double begin_of(std::size_t round) const { return kRoundLasts * static_cast<double>(round); }

  void say_round(std::size_t round, const Symptom* symptom) {
    const auto number = static_cast<std::int64_t>(round);
    const double time = begin_of(round);
    say(time, kPropose, round % family_.nodes, {number, value_of(round)});
    for (std::size_t node = 0; node < family_.nodes; ++node) {
      if (skips_ && node == culprit_ && round % 2 == 0) continue;
      if (random_.chance(family_.giving_up)) {
        say(time + 1.2 + random_.unit(), kChange, node, {number});
        continue;
      }
      if (!silent_ || node != culprit_)
        say(time + 0.6 + 0.3 * random_.unit(), kVote, node, {number, value_of(round)});
      if (symptom != nullptr && *symptom == Symptom::stall) continue;
      const bool other_camp =
          symptom != nullptr && *symptom == Symptom::fork && node >= family_.nodes / 2;
      say(time + 1.3 + 0.3 * random_.unit(), kCommit, node,
          {number, value_of(round, other_camp ? 1 : 0)});
    }
  }

  void leave(Mark mark, std::size_t round) {
    const auto number = static_cast<std::int64_t>(round);
    const double time = begin_of(round);
    switch (mark) {
      case Mark::votes_twice:
        say(time + 0.8, kVote, culprit_, {number, value_of(round)});
        say(time + 0.9, kVote, culprit_, {number, value_of(round, 7)});
        break;
      case Mark::votes_late:
        if (round > 3) say(time + 0.9, kVote, culprit_, {number - 3, value_of(round - 3)});
        break;
      case Mark::votes_unproposed:
        for (std::size_t node = 0; node < family_.nodes; node += 2)
          say(time + 0.9, kVote, node, {number, value_of(round, 9)});
        break;
      case Mark::commits_alone:
        say(time + 1.4, kCommit, culprit_, {number, value_of(round, 3)});
        break;
      case Mark::commits_again:
        for (int i = 0; i < 3; ++i)
          say(time + 1.5 + 0.4 * i, kCommit, culprit_, {number - 1, value_of(round - 1)});
        break;
      case Mark::skips_rounds:
        skips_ = true;
        break;
      case Mark::proposes_stale:
        say(time + 0.2, kPropose, culprit_, {number, value_of(round - 1)});
        break;
      case Mark::falls_silent:
        silent_ = true;
        break;
    }
  }

  void show(Symptom symptom, std::size_t round) {
    const auto number = static_cast<std::int64_t>(round);
    const double time = begin_of(round);
    switch (symptom) {
      case Symptom::alarm:
        for (std::size_t node = 0; node < family_.nodes; ++node) {
          if (random_.chance(0.8)) say(time + 1.8, kAlarm, node, {number});
        }
        break;
      case Symptom::stall:
        for (std::size_t node = 0; node < family_.nodes; ++node)
          say(time + 1.7, kChange, node, {number});
        break;
      case Symptom::restart:
        say(time + 1.7, kPropose, culprit_, {1, value_of(1)});
        say(time + 1.8, kVote, culprit_, {1, value_of(1)});
        break;
      case Symptom::fork:
        break;  // the round itself tells
    }
  }

  const GeneratedFamily& family_;
  Random random_;
  std::size_t rounds_ = 0;
  std::size_t culprit_ = 0;
  bool skips_ = false;
  bool silent_ = false;
  std::vector<Sent> sent_;
};

}  // namespace

const std::vector<GeneratedFamily>& generated_families() {
  using enum Mark;
  using enum Symptom;
  static const std::vector<GeneratedFamily> kFamilies{
      // One predicate holds in all failing runs: the symptom that all causes share.
      {.name = "one-symptom",
       .causes = {{"votes twice", {votes_twice}, {alarm}},
                  {"commits alone", {commits_alone}, {alarm}},
                  {"falls silent", {falls_silent}, {alarm}},
                  {"proposes stale", {proposes_stale}, {alarm}}}},
      {.name = "own-symptoms",
       .nodes = 5,
       .causes = {{"unproposed", {votes_unproposed}, {fork}},
                  {"falls silent", {falls_silent}, {stall}},
                  {"commits again", {commits_again}, {alarm}},
                  {"votes late", {votes_late}, {restart}}}},
      // The most frequent cause and the third show in two ways each.
      {.name = "two-symptoms",
       .causes = {{"votes twice", {votes_twice}, {fork, stall}},
                  {"skips rounds", {skips_rounds}, {alarm}},
                  {"commits again", {commits_again}, {alarm, restart}},
                  {"proposes stale", {proposes_stale}, {stall}}}},
      // Frequent and rare causes end alike in pairs.
      {.name = "shared-in-pairs",
       .nodes = 7,
       .rounds = 6,
       .causes = {{"commits alone", {commits_alone}, {fork}},
                  {"votes late", {votes_late}, {stall}},
                  {"votes twice", {votes_twice}, {fork}},
                  {"falls silent", {falls_silent}, {stall}}}},
      // Slow links that lose a lot, nodes that give up all the time, marks that do no harm.
      {.name = "noisy",
       .nodes = 5,
       .loss = 0.1,
       .giving_up = 0.25,
       .harmless = 0.03,
       .causes = {{"unproposed", {votes_unproposed}, {alarm}},
                  {"commits again", {commits_again}, {stall}},
                  {"commits alone", {commits_alone}, {alarm}},
                  {"skips rounds", {skips_rounds}, {stall}}}},
      // Marks that two causes share: only both together tell them apart.
      {.name = "shared-marks",
       .causes = {{"twice and late", {votes_twice, votes_late}, {alarm}},
                  {"twice and again", {votes_twice, commits_again}, {alarm}},
                  {"unproposed", {votes_unproposed}, {stall}},
                  {"stale", {proposes_stale}, {fork}}}},
  };
  return kFamilies;
}

GeneratedLogs::GeneratedLogs(const GeneratedFamily& family, std::uint64_t seed,
                             const std::vector<std::size_t>& failing, std::size_t successful)
    : family_(family), schema_(schema_of(family)), seed_(seed) {
  for (std::size_t cause = 0; cause < failing.size(); ++cause)
    plan_.insert(plan_.end(), failing[cause], cause);
  plan_.insert(plan_.end(), successful, family.causes.size());
  Random random(seed, "generated-order");
  for (std::size_t i = plan_.size(); i > 1; --i) std::swap(plan_[i - 1], plan_[random.below(i)]);
}

bool GeneratedLogs::next(Run& run) {
  if (made_ == plan_.size()) return false;
  const std::size_t number = made_++;
  const std::size_t cause = plan_[number];
  run.reset(family_.nodes);
  run.name = fmt::format("{} {}", family_.name, number);
  run.failing = cause < family_.causes.size();
  run.labels = run.failing ? std::uint64_t{1} << cause : 0;
  Story story(family_, derive_seed(seed_, family_.name, number));
  Random random(seed_, "harmless", number);
  story.tell(run.failing ? &family_.causes[cause] : nullptr);
  if (!run.failing && random.chance(family_.harmless)) {
    const std::size_t some = random.below(family_.causes.size());
    story.leave_once(family_.causes[some].marks.front());
  }
  story.deliver(run);
  return true;
}

}  // namespace dissensus::study
