// A fault that did nothing is known afterwards, whatever kind it is of.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dissensus/faults.h"

#include "faults/kinds.h"
#include "faults/scripted_system.h"

namespace dissensus::faults {
namespace {

using std::chrono::milliseconds;

/// Node 0 enters round 1 and 2 and a phase, and speaks at 5, 15 and 25 ms.
std::vector<std::size_t> idle_of(const std::vector<Fault>& faults) {
  std::vector<Step> script{enter_round(1, 0, 1)};
  for (const int at_ms : {5, 15, 25}) {
    script.push_back(send(at_ms, 0, 1, kProposal, 100u + static_cast<unsigned>(at_ms)));
    if (at_ms == 15) script.push_back(enter_round(15, 0, 2));
  }
  script.push_back(enter_phase(26, 0, 1));
  script.push_back(send(27, 0, 1, kProposal, 127));
  ScriptedRun run(3, with_faults(faults), script);
  run.run();
  return run.idle_faults();
}

template <class Kind>
Fault at(Kind fault, int from_ms, int until_ms) {
  fault.when = during(from_ms, until_ms);
  return fault;
}

struct Pair {
  Fault acts;
  Fault does_not;
};

std::vector<Pair> pairs() {
  Window led = during(0, 20);
  led.after.emplace();
  led.after->phase = 1;
  Window never = led;
  never.after->nth = 2;
  MutateFault mutate;
  mutate.round = 2;
  mutate.receivers = {1};
  MutateFault mutate_never = mutate;
  mutate_never.round = 9;
  CrashFault crash;
  crash.node = 1;
  crash.at = milliseconds(10);
  CrashFault crash_never = crash;
  crash_never.at.reset();
  crash_never.at_round = 3;
  LinkFault links;
  links.senders = {0};
  links.receivers = {1};
  links.loss = 1;
  DelayFault delay;
  delay.by = milliseconds(1);
  return {
      {at(DropFault{}, 10, 20), at(DropFault{}, 16, 20)},
      {at(DuplicateFault{}, 10, 20), at(DuplicateFault{}, 16, 20)},
      {at(delay, 10, 20), at(delay, 16, 20)},
      {at(PartitionFault{{{0}}, {}}, 10, 20), at(PartitionFault{{{2}}, {}}, 10, 20)},
      {PartitionFault{{{0}}, led}, PartitionFault{{{0}}, never}},
      {crash, crash_never},
      {mutate, mutate_never},
      {RoundPartitionFault{2, {{0}}}, RoundPartitionFault{7, {{0}}}},
      {SilenceFault{0, {1}, 2, {}}, SilenceFault{0, {2}, 2, {}}},
      {ReplayFault{0, 2, {1}, 1}, ReplayFault{0, 1, {1}, 1}},
      {at(NoiseFault{0, 1, 0, 1, {}}, 10, 20), at(NoiseFault{0, 1, 0, 1, {}}, 16, 20)},
      {TwinsFault{0, {1}, {1}, std::nullopt}, TwinsFault{2, {1}, {1}, std::nullopt}},
      {at(SkewFault{2, milliseconds(1), 0, {}}, 10, 20), at(SkewFault{2, {}, 0, {}}, 10, 20)},
      {at(OutageFault{{1}, {}}, 10, 20), OutageFault{{1}, never}},
      {at(PauseFault{{1}, {}}, 10, 20), PauseFault{{1}, never}},
      {at(CutFault{CutFault::Shape::one_way, {0}, {}}, 10, 20),
       at(CutFault{CutFault::Shape::one_way, {1}, {}}, 10, 20)},
      {at(links, 10, 20), at(links, 16, 20)},
  };
}

TEST(IdleFaults, AreThoseWhoseMomentOrRoundNeverCame) {
  const std::vector<Pair> all = pairs();
  for (const Pair& pair : all) {
    EXPECT_TRUE(idle_of({pair.acts}).empty()) << pair.acts.kind().name;
    EXPECT_EQ(idle_of({pair.does_not}), (std::vector<std::size_t>{0})) << pair.acts.kind().name;
  }
}

TEST(IdleFaults, OfTwoThatDoTheSameBothAct) {
  const Fault apart = at(PartitionFault{{{0}}, {}}, 10, 20);
  EXPECT_TRUE(idle_of({apart, apart}).empty());
  const Fault unheard = at(CutFault{CutFault::Shape::one_way, {0}, {}}, 10, 20);
  EXPECT_TRUE(idle_of({unheard, unheard}).empty());
}

// Of pieces of a connection there are no second copies, whoever would make them.
TEST(IdleFaults, CopiesOfWhatArrivesOnceAreNone) {
  LinkFault links;
  links.senders = {0};
  links.receivers = {1};
  links.duplicate = 1;
  ReplayFault replay{0, 2, {1}, 1};
  const std::vector<Step> script{enter_round(1, 0, 1), send(5, 0, 1, kCommit, 1),
                                 enter_round(9, 0, 2), send(9, 0, 1, kCommit, 2)};
  const Schedule schedule = with_faults({DuplicateFault{}, links, replay});
  ScriptedRun run(2, schedule, script);
  run.make_once(kCommit);
  EXPECT_EQ(run.run(), (Lines{"5ms deliver Commit#1 0>1", "9ms deliver Commit#2 0>1"}));
  EXPECT_EQ(run.idle_faults(), (std::vector<std::size_t>{0, 1, 2}));
}

TEST(IdleFaults, ANodeThatIsDownAlreadyIsNotBroughtDownAgain) {
  const Fault outage = at(OutageFault{{1}, {}}, 10, 20);
  CrashFault crash;
  crash.node = 1;
  crash.at = milliseconds(12);
  EXPECT_EQ(idle_of({outage, crash}), (std::vector<std::size_t>{1}));
}

TEST(IdleFaults, ADiskInTroubleThatNobodyUsesIsOne) {
  DiskFault error;
  error.node = 1;
  error.trouble = DiskFault::Trouble::error;
  EXPECT_EQ(idle_of({at(error, 0, 100)}), (std::vector<std::size_t>{0}));
  EXPECT_EQ(idle_of({at(error, 0, 10)}), (std::vector<std::size_t>{0}));
}

}  // namespace
}  // namespace dissensus::faults
