// What a run shows beside pairs of messages: evidence for decisions, conflicts, who is left doing
// what.
#include "isolate/signs.h"

#include <algorithm>

#include <gmock/gmock.h>

namespace dissensus::isolate {
namespace {

constexpr MessageKind kVote = 0;

/// Three nodes that vote for values and decide blocks, with one phase and one observable.
trace::Header signs_header() {
  trace::Header header;
  header.nodes = 3;
  header.kinds = {"Vote"};
  header.kind_fields = {{{"round", SemanticType::round}, {"value", SemanticType::value}}};
  header.levels = {"block"};
  header.phases = {"voting", "waiting"};
  header.observables = {"view"};
  return header;
}

class SignsTest : public testing::Test {
 protected:
  /// Everybody hears it; returns the event of the last delivery.
  EventId vote(NodeId sender, std::uint64_t round, std::uint64_t value) {
    trace::Record sent = record(EventType::send, sender);
    sent.kind = kVote;
    sent.content.low = value * 100 + round * 10 + sender;
    sent.fields = {round, value};
    records_.push_back(sent);
    for (NodeId node = 0; node < 3; ++node) {
      if (node == sender) continue;
      trace::Record heard = record(EventType::deliver, node);
      heard.peer = sender;
      heard.kind = kVote;
      heard.content = sent.content;
      records_.push_back(heard);
      last_heard_[node] = heard.id;
    }
    return records_.back().id;
  }
  EventId decide(NodeId node, std::uint64_t value) {
    trace::Record decision = record(EventType::decide, node);
    decision.cause = last_heard_[node];
    decision.number = 1;
    decision.value.low = value;
    records_.push_back(decision);
    return decision.id;
  }
  void report(EventType type, NodeId node, std::uint64_t number) {
    records_.push_back(record(type, node));
    records_.back().number = number;
  }
  std::vector<std::string> words(const std::vector<Failure>& failures = {}) const {
    std::vector<std::string> result;
    for (const Sign& sign : signs_of(signs_header(), records_, failures))
      result.push_back(sign.words);
    return result;
  }
  std::vector<trace::Record> records_;

 private:
  trace::Record record(EventType type, NodeId node) {
    trace::Record result;
    result.id = records_.size() + 1;
    result.type = type;
    result.node = node;
    return result;
  }
  EventId last_heard_[3] = {};
};

std::string evidence(int count) {
  return "Some block is decided after a Vote although at most " + std::to_string(count) +
         " of 3 nodes spoke of it (value of a Vote) to that node.";
}

TEST_F(SignsTest, TheEvidenceForADecisionIsCountedWithOnesOwnVoice) {
  vote(0, 1, 7);
  vote(1, 1, 7);
  decide(0, 7);
  EXPECT_THAT(words(), testing::Contains(evidence(2)));
  EXPECT_THAT(words(), testing::Not(testing::Contains(evidence(1))));
  vote(2, 1, 8);
  decide(1, 8);
  EXPECT_THAT(words(), testing::Contains(evidence(1))) << "the weakest decision counts";
}

TEST_F(SignsTest, AConflictTellsTheRoundsAndWhatBothFollowed) {
  vote(0, 1, 7);
  decide(1, 7);
  vote(0, 2, 8);
  const EventId broken = decide(2, 8);
  const std::vector<std::string> shown = words({{"agreement/decided-differently", broken, {1, 2}}});
  EXPECT_THAT(shown, testing::IsSupersetOf(
                         {"Different blocks are decided for one instance after a Vote and a Vote.",
                          "Different blocks are decided for one instance in another round.",
                          "It violates agreement/decided-differently.",
                          "agreement/decided-differently concerns several nodes.",
                          "The decision that breaks agreement/decided-differently follows a "
                          "Vote."}));
}

TEST_F(SignsTest, OfTheFirstConflictItIsToldOnHowLittleOneSideWasDecided) {
  const auto conflict = [](int count) {
    return "One of the first two different blocks of one instance is decided although at most " +
           std::to_string(count) + " of 3 nodes spoke of it (value of a Vote) to that node.";
  };
  vote(0, 1, 7);
  vote(1, 1, 7);
  decide(0, 7);
  decide(1, 7);
  EXPECT_THAT(words(), testing::Not(testing::Contains(conflict(2)))) << "they agree";
  vote(2, 1, 8);
  decide(2, 8);
  decide(2, 9);  // a later conflict, of which nobody spoke
  EXPECT_THAT(words(), testing::Contains(conflict(1)));
  EXPECT_THAT(words(), testing::Not(testing::Contains(conflict(0))));
}

TEST_F(SignsTest, TheEndTellsWhoIsWhereAndWhoStillSpeaks) {
  vote(0, 1, 7);
  decide(1, 7);
  report(EventType::phase, 0, 0);
  report(EventType::phase, 1, 1);
  report(EventType::observe, 0, 4);
  report(EventType::observe, 1, 5);
  vote(2, 2, 9);
  EXPECT_THAT(words(), testing::IsSupersetOf({"At the end some nodes are in phase voting.",
                                              "At the end one node is in phase waiting.",
                                              "At the end nodes have different values of view.",
                                              "Not every node ever decides a block.",
                                              "After the last decision one node sends a Vote."}));
}

TEST_F(SignsTest, ARestartOfWhoTakesPartIsToldOnlyWhereThereIsAViolation) {
  vote(0, 1, 7);
  report(EventType::crash, 1, 0);
  report(EventType::restart, 1, 0);
  const EventId decision = decide(1, 7);
  const std::string restarted = "A node that takes part in the violation has restarted before.";
  EXPECT_THAT(words(), testing::Not(testing::Contains(restarted)));
  EXPECT_THAT(words({{"integrity/x", decision, {1}}}), testing::Contains(restarted));
}

}  // namespace
}  // namespace dissensus::isolate
