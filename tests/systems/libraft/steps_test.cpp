// Steps are told in the order in which the library took them within one call.
#include "systems/libraft/steps.h"

#include <gmock/gmock.h>

#include "systems/libraft/raft.h"

namespace dissensus::libraft {
namespace {

using testing::ElementsAre;

/// Notes what is told, and nothing else.
class Listener final : public Context {
 public:
  Listener() : Context(kDescription, pool_) {}
  NodeId self() const override { return 0; }
  std::size_t node_count() const override { return 4; }
  std::span<const NodeId> peers() const override { return {}; }
  Time now() const override { return {}; }
  void send_message(NodeId, const Message&) override {}
  TimerId set_timer(Duration, std::uint64_t) override { return TimerId::none; }
  void cancel_timer(TimerId) override {}
  Random& random() override { return random_; }
  void proposed(Level, std::uint64_t, const Digest&) override {}
  void decided(Level, std::uint64_t, const Digest&) override {}
  void phase(std::uint32_t) override {}
  void round(std::uint64_t) override {}
  void observe(std::uint32_t, std::int64_t) override {}
  void log(std::string_view) override {}
  bool logging() const override { return false; }
  void step(std::uint32_t step, std::span<const StateValue>) override {
    told.push_back(describe_steps()[step].name);
  }
  std::vector<std::string> told;

 private:
  static inline const SystemDescription kDescription{};
  MessagePool pool_;
  Random random_{1};
};

class StepsTest : public testing::Test {
 protected:
  StepsTest() {
    steps_.listen();
    leader_.role = ServerView::Role::leader;
    leader_.term = 2;
    leader_.commit = 2;
    leader_.stored = 3;
    leader_.log = {{1, RAFT_CHANGE}, {2, RAFT_BARRIER}, {2, RAFT_COMMAND}};
    leader_.voters = {0, 1, 2};
    steps_.tell(listener_, leader_);
    listener_.told.clear();
  }
  Listener listener_;
  Steps steps_{0};
  ServerView leader_;
};

// The acknowledgement that shows that a server has caught up makes it a voter; whether it is enough
// for a commit is asked afterwards, with the new voters.
TEST_F(StepsTest, APromotionComesBeforeTheCommitThatCountsWithIt) {
  steps_.stored(4, 2);
  leader_.log.push_back({2, RAFT_CHANGE});
  leader_.voters = {0, 1, 2, 3};
  leader_.commit = 3;
  steps_.tell(listener_, leader_);
  EXPECT_THAT(listener_.told, ElementsAre("store", "commit"));
}

// A client that hears of the commit asks for more, within the same call.
TEST_F(StepsTest, WhatIsAskedForBecauseOfACommitComesAfterIt) {
  steps_.stored(4, 3);
  leader_.log.push_back({2, RAFT_COMMAND});
  leader_.commit = 3;
  steps_.tell(listener_, leader_);
  EXPECT_THAT(listener_.told, ElementsAre("commit", "store"));
}

}  // namespace
}  // namespace dissensus::libraft
