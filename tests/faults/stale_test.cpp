// A stale disk answers reads with what it held before the last sync.
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dissensus/disk.h"
#include "dissensus/options.h"

#include "faults/fault_space.h"
#include "faults/kinds.h"
#include "faults/schedule_interposer.h"
#include "faults/words.h"
#include "sim/world.h"

namespace dissensus::faults {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

struct NoLetter {
  static constexpr MessageKind kind() { return 0; }
  std::uint64_t number = 0;
};

/// Writes and syncs "a" at 10 ms and "b" at 20 ms; reads at 15, 25 and 45 ms.
class DiskWriter final : public Node {
 public:
  explicit DiskWriter(std::vector<std::string>& seen) : seen_(seen) {}
  void start(Context& context) override {
    for (const std::uint64_t at_ms : {10u, 15u, 20u, 25u, 45u}) {
      context.set_timer(milliseconds(at_ms), at_ms);
    }
  }
  void restart(Context&, const Node&) override {}
  void receive(Context&, NodeId, const Message&) override {}
  void timer(Context& context, TimerId, std::uint64_t at_ms) override {
    if (at_ms % 10 == 0) {
      const std::byte letter{static_cast<unsigned char>(at_ms == 10 ? 'a' : 'b')};
      context.disk().write(1, 0, {&letter, 1});
      context.disk().sync(1, 0);
      return;
    }
    std::string text;
    for (const std::byte byte : context.disk().read(1)) text += static_cast<char>(byte);
    seen_.push_back(text);
  }

 private:
  std::vector<std::string>& seen_;
};

class Disks final : public System {
 public:
  Disks() {
    description_.name = "disks";
    description_.nodes = NodeKind::simulated_with_disk;
    description_.disks = 2;
    description_.message<NoLetter>("Nothing").field("number", SemanticType::number,
                                                    &NoLetter::number);
  }
  const SystemDescription& description() const override { return description_; }
  std::size_t node_count() const override { return 2; }
  std::unique_ptr<Node> make_node(NodeId node) const override {
    return std::make_unique<DiskWriter>(seen[node]);
  }
  mutable std::vector<std::string> seen[2];

 private:
  SystemDescription description_;
};

class Deaf final : public EventSink {
 public:
  void on_event(const Event&) override {}
};

Schedule read_stale(const std::string& fault) {
  return parse_schedule(R"({"format": "dissensus-schedule/1", "system": "disks", "nodes": 2,)"
                        R"( "faults": [)" +
                            fault + "]}",
                        "s.json", Disks().description(), 2);
}

const std::string kStale = R"({"type": "stale-reads", "node": 0, "from": "12ms", "until": "40ms"})";

TEST(StaleReads, AnswerWithWhatWasThereBeforeTheLastSync) {
  const Schedule schedule = read_stale(kStale);
  Disks system;
  const auto interposer = make_interposer(schedule, 2, 1);
  sim::WorldPlan plan;
  plan.nodes = 2;
  for (NodeId node = 0; node < 2; ++node) plan.peers.push_back(system.links_of(node));
  plan.models = {sim::LinkModel{}};
  plan.link_model.assign(4, 0);
  sim::WorldMemory memory;
  Deaf nobody_listens;
  sim::World world(plan, system, 1, nobody_listens, interposer.get(), nullptr, memory);
  world.run();
  EXPECT_EQ(system.seen[0], (std::vector<std::string>{"", "a", "b"}));
  EXPECT_EQ(system.seen[1], (std::vector<std::string>{"a", "b", "b"}));
  EXPECT_TRUE(interposer->idle_faults(world).empty());
}

TEST(StaleReads, AreWrittenSaidAndShrunkLikeAllFaults) {
  const Schedule schedule = read_stale(kStale);
  const SystemDescription description = Disks().description();
  EXPECT_THAT(to_json(schedule, description, 2), HasSubstr(kStale));
  EXPECT_EQ(in_words(schedule, description, 2).front(),
            "node 0's disk answers reads with what it held before the last sync from 12 ms to "
            "40 ms");
  EXPECT_EQ(numbers_of(schedule.faults[0]).size(), 2u) << "from and until";
  EXPECT_THAT(faults_schema(), HasSubstr("\"stale-reads\""));
}

TEST(StaleReads, AreDrawnWhereASpaceAsksForThem) {
  const FaultSpace space =
      read_fault_space(Options::from_toml("stale_reads = 2\nuntil = \"3s\"\n", "space"),
                       Disks().description(), 2, 2);
  std::set<NodeId> nodes;
  for (std::uint64_t i = 0; i < 50; ++i) {
    Random random(1, "stale", i);
    const std::vector<Fault> plan = random_plan(space, 2, 2, random);
    ASSERT_FALSE(plan.empty());
    EXPECT_LE(plan.size(), 2u);
    const std::string text = to_json({{}, plan}, Disks().description(), 2);
    EXPECT_EQ(parse_schedule(text, "plan", Disks().description(), 2).faults, plan);
    nodes.insert(text.find("\"node\": 1") != std::string::npos ? 1 : 0);
  }
  EXPECT_EQ(nodes.size(), 2u);
}

}  // namespace
}  // namespace dissensus::faults
