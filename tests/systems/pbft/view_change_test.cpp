// Votes, certificates and what new views begin with, as pure functions.
#include "systems/pbft/view_change.h"

#include <gtest/gtest.h>

#include "systems/pbft/client.h"
#include "systems/pbft/log.h"

namespace dissensus::pbft {
namespace {

Settings settings_of(const std::string& text) {
  return Settings{Options::from_toml(text, "test")};
}

const RequestId kFirst = request_id(1, 1, 5);
const RequestId kSecond = request_id(2, 1, 5);

TEST(PbftQuorums, TwoOfThemShareACorrectReplica) {
  for (std::size_t nodes = 4; nodes <= kReplicasMax; ++nodes) {
    EXPECT_GE(2 * quorum_of(nodes), nodes + faulty_max(nodes) + 1) << nodes;
    EXPECT_LE(quorum_of(nodes), nodes - faulty_max(nodes)) << nodes;
  }
  EXPECT_EQ(quorum_of(4), 3u);
  EXPECT_EQ(quorum_of(7), 5u);
  EXPECT_EQ(settings_of("nodes = 7\nbugs = [\"small-quorum\"]").quorum(), 4u);
}

TEST(PbftRequests, CarryTheirClientsSignature) {
  EXPECT_TRUE(is_signed(kFirst));
  EXPECT_FALSE(is_signed(kFirst ^ 1));
  EXPECT_FALSE(is_signed(kFirst ^ (1ULL << 33)));
  EXPECT_EQ(client_of(request_id(63, 0xFF'FFFF, 1)), 63);
  EXPECT_EQ(timestamp_of(request_id(63, 0xFF'FFFF, 1)), 0xFF'FFFFu);
}

TEST(PbftVotes, CountSendersOnceAndForgetOnlyALiarsOwn) {
  Votes votes;
  votes.add(0, kFirst, 1);
  votes.add(0, kFirst, 1);
  votes.add(0, kFirst, 2);
  ASSERT_NE(votes.find(0, kFirst), nullptr);
  EXPECT_EQ(size_of(votes.find(0, kFirst)->voters), 2u);
  EXPECT_EQ(votes.find(0, kFirst)->messages, 3u);
  for (std::uint64_t view = 1; view < 100; ++view) votes.add(view, kSecond, 1);
  ASSERT_NE(votes.find(0, kFirst), nullptr);
  EXPECT_EQ(votes.find(0, kFirst)->voters, mask_of(2));
  EXPECT_EQ(votes.find(50, kSecond), nullptr);
  EXPECT_NE(votes.find(99, kSecond), nullptr);
}

Slot slot_with(std::initializer_list<NodeId> prepares, std::initializer_list<NodeId> commits) {
  Slot slot;
  slot.accepted = PrePrepare{0, 1, kFirst};
  for (const NodeId node : prepares) slot.prepares.add(0, kFirst, node);
  for (const NodeId node : commits) slot.commits.add(0, kFirst, node);
  return slot;
}

TEST(PbftLog, PreparedTakesTwoBackupsAndCommittedAQuorum) {
  const Settings settings = settings_of("nodes = 4");
  const Log log(settings);
  Slot one = slot_with({1}, {0, 1, 2});
  EXPECT_FALSE(log.note_prepared(1, one));
  EXPECT_FALSE(log.note_committed(one));
  Slot two = slot_with({1, 2}, {0, 1});
  EXPECT_TRUE(log.note_prepared(1, two));
  EXPECT_FALSE(log.note_prepared(1, two));
  EXPECT_EQ(size_of(two.certificate->signers), 3u);
  EXPECT_FALSE(log.note_committed(two));
  two.commits.add(0, kFirst, 3);
  EXPECT_TRUE(log.note_committed(two));
  EXPECT_EQ(two.committed, kFirst);
}

TEST(PbftLog, VotesForAnotherRequestDoNotCountUnlessTheSwitchSaysSo) {
  const Settings correct = settings_of("nodes = 4");
  const Settings wrong = settings_of("nodes = 4\nbugs = [\"commit-any-request\"]");
  Slot slot = slot_with({1}, {});
  for (const int node : {0, 2, 3}) slot.commits.add(0, kSecond, static_cast<NodeId>(node));
  EXPECT_FALSE(Log(correct).note_committed(slot));
  EXPECT_TRUE(Log(wrong).note_committed(slot));
}

TEST(PbftLog, RepeatedVotesCountUnderTheSwitchOnly) {
  const Settings correct = settings_of("nodes = 4");
  const Settings wrong = settings_of("nodes = 4\nbugs = [\"votes-repeated\"]");
  Slot slot = slot_with({1, 1}, {});
  EXPECT_FALSE(Log(correct).note_prepared(1, slot));
  EXPECT_TRUE(Log(wrong).note_prepared(1, slot));
}

ViewChange change_of(NodeId replica, std::vector<Certificate> prepared,
                     StableCheckpoint stable = {}) {
  return {2, replica, stable, std::move(prepared)};
}

TEST(PbftViewChange, TheNewestCertificateWinsAndGapsAreNull) {
  const Settings settings = settings_of("nodes = 4");
  const std::vector<ViewChange> changes{change_of(0, {{0, 1, kFirst, 0b0111}}),
                                        change_of(1, {{1, 1, kSecond, 0b0111}}),
                                        change_of(3, {{0, 3, kFirst, 0b1101}})};
  const Start start = start_of(changes, settings);
  EXPECT_EQ(start.last, 3u);
  const std::vector<Proposal> expected{{1, kSecond}, {2, kNullRequest}, {3, kFirst}};
  EXPECT_EQ(start.proposals, expected);
  const Settings oldest = settings_of("nodes = 4\nbugs = [\"oldest-certificate\"]");
  EXPECT_EQ(start_of(changes, oldest).proposals.front().request, kFirst);
  // The primary of view 2 is replica 2, which has prepared nothing.
  const Settings own = settings_of("nodes = 4\nbugs = [\"own-certificates\"]");
  EXPECT_EQ(start_of(changes, own).proposals.front().request, kNullRequest);
  const Settings skipping = settings_of("nodes = 4\nbugs = [\"skips-gaps\"]");
  const std::vector<Proposal> without{{1, kSecond}, {3, kFirst}};
  EXPECT_EQ(start_of(changes, skipping).proposals, without);
}

TEST(PbftViewChange, ANewViewStartsAtTheNewestStableCheckpoint) {
  const Settings settings = settings_of("nodes = 4");
  const std::vector<ViewChange> changes{change_of(0, {{0, 1, kFirst, 0b0111}}),
                                        change_of(1, {}, {4, Digest{7}, 0b0111}),
                                        change_of(2, {{1, 6, kSecond, 0b0111}})};
  const Start start = start_of(changes, settings);
  EXPECT_EQ(start.stable.sequence, 4u);
  const std::vector<Proposal> expected{{5, kNullRequest}, {6, kSecond}};
  EXPECT_EQ(start.proposals, expected);
}

TEST(PbftViewChange, ProofsAreDemanded) {
  const Settings settings = settings_of("nodes = 4");
  EXPECT_TRUE(is_valid(change_of(0, {{0, 1, kFirst, 0b0111}}), settings));
  EXPECT_FALSE(is_valid(change_of(0, {{0, 1, kFirst, 0b0011}}), settings)) << "two signers";
  EXPECT_FALSE(is_valid(change_of(0, {{2, 1, kFirst, 0b0111}}), settings)) << "of the new view";
  EXPECT_FALSE(is_valid(change_of(0, {{0, 9, kFirst, 0b0111}}), settings)) << "above the window";
  EXPECT_FALSE(is_valid(change_of(0, {}, {4, Digest{7}, 0b0011}), settings)) << "not stable";
}

TEST(PbftViewChange, ANewViewMustFollowFromItsChanges) {
  const Settings settings = settings_of("nodes = 4");
  NewView view{2, {change_of(0, {{0, 1, kFirst, 0b0111}}), change_of(1, {}), change_of(3, {})}, {}};
  view.proposals = start_of(view.changes, settings).proposals;
  EXPECT_TRUE(is_valid(view, settings));
  NewView lie = view;
  lie.proposals.front().request = kSecond;
  EXPECT_FALSE(is_valid(lie, settings));
  EXPECT_TRUE(is_valid(lie, settings_of("nodes = 4\nbugs = [\"new-view-unchecked\"]")));
  NewView thin = view;
  thin.changes.pop_back();
  EXPECT_FALSE(is_valid(thin, settings));
  NewView twice = view;
  twice.changes[2] = twice.changes[1];
  EXPECT_FALSE(is_valid(twice, settings));
}

TEST(PbftClient, BelievesWhatOneCorrectReplicaMustHaveSaid) {
  const Settings settings = settings_of("nodes = 4");
  Client client(settings);
  client.next(0);
  EXPECT_FALSE(client.on_reply(1, {0, 1, Digest{5}}));
  EXPECT_FALSE(client.on_reply(1, {0, 1, Digest{5}})) << "the same replica again";
  EXPECT_FALSE(client.on_reply(2, {0, 1, Digest{6}}));
  EXPECT_FALSE(client.on_reply(3, {0, 2, Digest{5}})) << "another request's";
  EXPECT_EQ(client.on_reply(3, {0, 1, Digest{5}}), Digest{5});
  EXPECT_FALSE(client.waiting());
  const Settings hasty = settings_of("nodes = 4\nbugs = [\"first-reply\"]");
  Client other(hasty);
  other.next(0);
  EXPECT_EQ(other.on_reply(2, {0, 1, Digest{6}}), Digest{6});
}

TEST(PbftSettings, BadOptionsAreRefusedWithTheirPlace) {
  const auto message = [](const std::string& options) -> std::string {
    try {
      settings_of(options);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(message("nodes = 7"), "accepted");
  EXPECT_NE(message("nodes = 3").find("test:1: nodes"), std::string::npos);
  EXPECT_NE(message("clients = [0, 0]").find("named twice"), std::string::npos);
  EXPECT_NE(message("clients = [4]").find("test:1"), std::string::npos);
  EXPECT_NE(message("window = 2").find("at least checkpoint_interval, 4"), std::string::npos);
  EXPECT_NE(message("view_timeout = \"0s\"").find("more than zero"), std::string::npos);
  EXPECT_NE(message("bugs = [\"first-replay\"]").find("first-reply"), std::string::npos);
}

}  // namespace
}  // namespace dissensus::pbft
