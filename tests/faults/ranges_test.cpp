// A space of faults names ranges for the parts of a kind; searches draw from these and from no
// others.
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "dissensus/faults.h"

#include "faults/fault_space.h"
#include "faults/fault_strategy.h"
#include "faults/kinds.h"
#include "faults/reduction.h"
#include "faults/scripted_system.h"

namespace dissensus::faults {
namespace {

using Value = nlohmann::json;
using testing::HasSubstr;

constexpr std::size_t kFive = 5;

SystemDescription with_disks() {
  SystemDescription description = scripted_description();
  description.nodes = NodeKind::simulated_with_disk;
  description.disks = kFive;
  description.first_round = 1;
  description.round_steps = 1;
  return description;
}

FaultSpace space_of(const std::string& text, const SystemDescription& description = with_disks()) {
  const Options options = Options::from_json(text, "space");
  FaultSpace space = read_fault_space(options, description, kFive, kFive);
  options.finish();
  return space;
}

/// By kind: a key of spaces, and ranges for all parts that it may have together.
const std::multimap<std::string, std::pair<std::string, std::string>>& all_ranges() {
  static const std::string kSpan = R"("from": ["1s", "2s"], "until": ["3s", "4s"])";
  static const std::multimap<std::string, std::pair<std::string, std::string>> kRanges{
      {"partition", {"partition", R"("groups": [[[0], [1, 2]], [[3, 4]]], )" + kSpan}},
      {"cut",
       {"cut", R"("shape": ["one-way", "bridge"], "nodes": [[0, 1, 2], [3, 4]], "from": "7ms",
                  "after": {"phase": "leading", "nth": [2, 3]})"}},
      {"round-partition", {"round_partition", R"("round": [3, 5], "groups": [[[0, 1]], [[2]]])"}},
      {"silence", {"silence", R"("node": [1, 2], "receivers": [[0, 2], [3]], "round": [2, 4])"}},
      {"silence", {"silence", R"("node": 4, "receivers": [[0, 2]], "rounds": [3, 9])"}},
      {"crash",
       {"crash", R"("node": [0, 3], "at": ["2s", "3s"], "restart_after": ["5ms", "9ms"])"}},
      {"crash", {"crash", R"("node": 2, "at": {"file_operation": [3, 40]})"}},
      {"crash", {"crash", R"("node": [2], "at": {"message": "Commit", "nth": [2, 7]})"}},
      {"crash", {"crash", R"("node": [2], "at_round": [2, 7])"}},
      {"outage", {"crashes", R"("nodes": [[0, 1]], )" + kSpan}},
      {"pause", {"pauses", R"("nodes": [[0, 1], [4]], )" + kSpan}},
      {"skew", {"clocks", R"("node": [0, 4], "offset": ["-2s", "-1s"], )" + kSpan}},
      {"skew", {"clocks", R"("drift_ppm": [100, 900])"}},
      {"links", {"links", R"("senders": [[0, 1]], "receivers": [[2, 3]], "loss": [0.1, 0.2],
                    "jitter": ["1ms", "9ms"], "seed": [3, 9], "rounds": [1, 4])"}},
      {"links", {"links", R"("duplicate": 0.5)"}},
      {"disk", {"disks", R"("node": [1, 3], "trouble": "slow", "extra": ["2ms", "8ms"])"}},
      {"disk", {"disks", R"("trouble": ["error", "corrupt"], )" + kSpan}},
      {"stale-reads", {"stale_reads", R"("node": [1], )" + kSpan}},
      {"drop",
       {"drop", R"("message": ["Commit"], "sender": [0, 1], "receiver": [2], "count": [2, 4])"}},
      {"delay", {"delay", R"("message": "Proposal", "sender": 3, "by": ["1ms", "2ms"])"}},
      {"duplicate", {"duplicate", R"("receiver": [2, 3], "gap": ["1ms", "2ms"])"}},
      {"mutate",
       {"mutate", R"("round": [2, 4], "receivers": [[0, 1]], "scope": "any", "field": "number",
                     "seed": [1, 9])"}},
      {"noise", {"noise", R"("drop": [0.5, 0.6], "corrupt": 0.25, "seed": [1, 4])"}},
      {"replay", {"replay", R"("round": [2, 4], "receivers": [[0, 1, 2]], "seed": 7)"}},
      {"twins", {"twins", R"("first": [[0, 1]], "second": [[2, 3]], "apart_until": ["1s", "2s"])"}},
  };
  return kRanges;
}

bool is_between(const Value& range, const Value& value) {
  const Value least = range.is_array() ? range.front() : range;
  const Value most = range.is_array() ? range.back() : range;
  if (value.is_number()) return least <= value && value <= most;
  const auto time = [](const Value& text) { return *parse_duration(text.get<std::string>()); };
  return time(least) <= time(value) && time(value) <= time(most);
}

bool is_one_of(const Value& range, const Value& value) {
  if (!range.is_array()) return range == value;
  return std::find(range.begin(), range.end(), value) != range.end();
}

bool is_subset(const Value& range, const Value& value) {
  return std::any_of(range.begin(), range.end(), [&](const Value& pool) {
    return std::all_of(value.begin(), value.end(),
                       [&](const Value& node) { return is_one_of(pool, node); });
  });
}

bool is_inside(const std::string& key, const Value& range, const Value& value) {
  static const std::set<std::string> kNames{"node",  "sender",  "receiver", "message", "shape",
                                            "scope", "trouble", "field",    "phase",   "groups"};
  if (range.is_object()) {
    return std::all_of(range.items().begin(), range.items().end(), [&](const auto& item) {
      return value.contains(item.key()) && is_inside(item.key(), item.value(), value[item.key()]);
    });
  }
  if (kNames.contains(key)) return is_one_of(range, value);
  if (key == "rounds") return value[0] >= range[0] && value[1] <= range[1].get<int>() + 1;
  if (value.is_array()) return !value.empty() && is_subset(range, value);
  return is_between(range, value);
}

TEST(Ranges, AreKeptByEveryKindHoweverAFaultIsDrawnOrVaried) {
  const SystemDescription description = with_disks();
  std::set<std::string> kinds;
  for (const auto& [kind, table] : all_ranges()) {
    const auto& [key, ranges] = table;
    const FaultSpace space = space_of("{\"" + key + "\": {\"most\": 3, " + ranges + "}}");
    const auto strategy = make_fault_strategy(space, kFive, kFive);
    const Value range = Value::parse("{" + ranges + "}");
    std::set<std::string> seen;
    for (std::uint64_t i = 0; i < 20; ++i) {
      Random random(3, kind, i);
      std::vector<Fault> plan = random_plan(space, kFive, kFive, random);
      EXPECT_EQ(admitted(plan, space), plan);
      EXPECT_LE(byzantine_nodes(plan).size(), 1u);
      if (plan.empty()) ADD_FAILURE() << kind;
      plan.push_back(strategy->vary(plan.front(), random));
      plan.push_back(strategy->draw(random));
      for (const Fault& fault : plan) {
        const std::string text = to_json(fault, description, kFive);
        EXPECT_EQ(fault.kind().name, kind);
        EXPECT_EQ(mistake_in(fault, description, kFive), std::nullopt) << text;
        EXPECT_TRUE(is_inside("", range, Value::parse(text))) << ranges << "\n" << text;
        seen.insert(text);
      }
    }
    EXPECT_GT(seen.size(), 1u) << kind << ": draws differ";
    kinds.insert(kind);
  }
  for (const FaultKind* const kind : fault_kinds()) {
    EXPECT_TRUE(kinds.contains(kind->name)) << kind->name << " has no ranges here";
  }
}

// Of several parts of which one suffices, those that a table names are drawn, and no others.
TEST(Ranges, OfLinksThatOnlyLoseNothingElseIsDrawn) {
  const FaultSpace space = space_of(R"({"links": {"most": 1, "loss": [0.1, 0.3]}})");
  for (std::uint64_t i = 0; i < 50; ++i) {
    Random random(i);
    const Fault fault = random_fault(space, kFive, random);
    const auto* links = fault.as<LinkFault>();
    ASSERT_NE(links, nullptr);
    EXPECT_TRUE(links->loss >= 0.1 && links->loss <= 0.3);
    EXPECT_EQ(links->duplicate, 0);
    EXPECT_EQ(links->jitter, Duration{});
  }
}

TEST(Ranges, WhoLiesIsOneNodeOfAPlanWhateverTheKind) {
  const FaultSpace space = space_of(
      R"({"mutate": 3, "replay": 3, "noise": {"most": 2, "corrupt": 0.5},
          "liars": {"nodes": [1, 2, 3], "faulty": 1}})");
  std::set<NodeId> liars;
  for (std::uint64_t i = 0; i < 100; ++i) {
    Random random(i);
    const NodeSet lying = byzantine_nodes(random_plan(space, kFive, kFive, random));
    EXPECT_LE(lying.size(), 1u);
    liars.insert(lying.begin(), lying.end());
  }
  EXPECT_EQ(liars, (std::set<NodeId>{1, 2, 3}));
}

TEST(Ranges, MistakesAreNamed) {
  const auto refuse = [](const std::string& text, const SystemDescription& description) {
    try {
      space_of(text, description);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  const SystemDescription disks = with_disks();
  EXPECT_THAT(refuse(R"({"crash": {"at": ["1s", "2s"]}})", disks), HasSubstr("crash.most"));
  EXPECT_THAT(refuse(R"({"crash": {"most": 1, "at": ["2s", "1s"]}})", disks),
              HasSubstr("crash.at: expected [least, most], least <= most"));
  EXPECT_THAT(refuse(R"({"links": {"most": 1, "los": 0.5}})", disks), HasSubstr("links.los"));
  EXPECT_THAT(refuse(R"({"mutate": {"most": 1, "node": 1}})", disks),
              HasSubstr("mutate.node: expected who lies in 'liars'"));
  EXPECT_THAT(refuse(R"({"partitions": {"most": 1}})", disks),
              HasSubstr("expected a number, or a table for 'partition' or 'cut'"));
  EXPECT_THAT(refuse(R"({"partitions": 1, "cut": 1})", disks),
              HasSubstr("cut: expected either this or 'partitions'"));
  EXPECT_THAT(refuse(R"({"crash": {"most": 1, "at": {"nth": 3}}})", disks),
              HasSubstr("either 'file_operation' or 'message'"));
  SystemDescription diskless = scripted_description();
  diskless.nodes = NodeKind::simulated;
  EXPECT_THAT(refuse(R"({"crash": {"most": 1, "at": {"file_operation": [1, 9]}}})", diskless),
              HasSubstr("crash: no fault fits these ranges: it:1: at: 'crash: file_operation' is"));
  EXPECT_THAT(refuse(R"({"cut": {"most": 1, "shape": "ring", "nodes": [[0, 1]]}})", disks),
              HasSubstr("expected at least 4 nodes for this shape"));
}

TEST(Ranges, AreInTheSchema) {
  const Value schema = Value::parse(fault_space_schema());
  const Value& properties = schema["properties"];
  EXPECT_TRUE(properties.contains("liars"));
  for (const auto& [kind, table] : all_ranges()) {
    ASSERT_TRUE(properties.contains(table.first)) << kind;
    const Value& parts = properties[table.first]["oneOf"][1]["properties"];
    const Value ranges = Value::parse("{" + table.second + "}");
    for (const auto& [key, range] : ranges.items()) EXPECT_TRUE(parts.contains(key)) << key;
  }
}

/// Takes the level away that it is told to, and counts the units.
class Lower final : public LevelSource {
 public:
  std::int64_t next(std::int64_t start, Scale scale) override {
    if (scale == Scale::count) last_start = start;
    return scale == Scale::count ? std::min<std::int64_t>(start, 2) : start;
  }
  std::int64_t last_start = 0;
};

// An earlier operation, or an earlier message, may do.
TEST(CrashPoint, IsShrunkTowardsTheFirst) {
  CrashFault crash;
  crash.point = CrashPoint{17, std::nullopt, 1};
  Lower source;
  const auto operation = reduced(crash, kFive, std::chrono::seconds(1), source);
  ASSERT_TRUE(operation);
  EXPECT_EQ(source.last_start, 16);
  EXPECT_EQ(operation->as<CrashFault>()->point->file_operation, 3u);
  crash.point = CrashPoint{std::nullopt, kCommit, 9};
  const auto message = reduced(crash, kFive, std::chrono::seconds(1), source);
  ASSERT_TRUE(message);
  EXPECT_EQ(message->as<CrashFault>()->point->nth, 3u);
  EXPECT_EQ(message->as<CrashFault>()->point->message, kCommit);
}

}  // namespace
}  // namespace dissensus::faults
