// Byzantine faults as JSON: exact round trips, clear errors, and the public tools' instances.
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "dissensus/faults.h"

#include "faults/fault_space.h"
#include "faults/schedule.h"
#include "faults/scripted_system.h"

namespace dissensus::faults {
namespace {

Schedule parse(std::string_view json, std::size_t nodes) {
  return parse_schedule(json, "s.json", scripted_description(), nodes);
}

std::string document(std::string_view fault, std::size_t nodes = 7) {
  return fmt::format(
      "{{\n\"format\": \"dissensus-schedule/1\",\n\"system\": \"scripted\",\n\"nodes\": {},\n"
      "\"faults\": [\n{}]}}",
      nodes, fault);
}

std::string error_of(std::string_view json, std::size_t nodes = 7) {
  try {
    parse(json, nodes);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

// The forms that people write and edit.
TEST(ByzantineFormat, FaultsAreReadAsWritten) {
  const char* const kLines[] = {
      R"({"type": "mutate", "node": 3, "round": 5, "receivers": [2, 4, 5], "seed": 3810346196})",
      R"({"type": "mutate", "node": 3, "round": 5, "seed": 1, "scope": "any", "field": "number"})",
      R"({"type": "round-partition", "round": 4, "groups": [[0], [1, 4], [2], [3, 5], [6]]})",
      R"({"type": "silence", "node": 1, "receivers": [0, 6], "round": 3})",
      R"({"type": "silence", "node": 1, "from": "2s", "until": "3s"})",
      R"({"type": "silence", "node": 1, "rounds": [2, 5]})",
      R"({"type": "replay", "node": 2, "round": 6, "receivers": [1], "seed": 9})",
      R"({"type": "noise", "node": 2, "drop": 0.1, "corrupt": 0.05, "seed": 4, "until": "9s"})",
      R"({"type": "noise", "drop": 0.25, "seed": 4})",
      R"({"type": "twins", "node": 3, "first": [0, 1, 2], "second": [4, 5, 6]})",
      R"({"type": "twins", "node": 3, "apart_until": "15s"})",
      R"({"type": "skew", "node": 0, "offset": "-1500ms", "drift_ppm": -200, "from": "1s"})"};
  for (const char* const line : kLines) {
    const Schedule schedule = parse(document(line), 7);
    ASSERT_EQ(schedule.faults.size(), 1u);
    const std::string json = to_json(schedule, scripted_description(), 7);
    EXPECT_NE(json.find(line), std::string::npos) << json;
    EXPECT_EQ(parse(json, 7), schedule);
  }
}

TEST(ByzantineFormat, RandomPlansSurviveTheRoundTrip) {
  const FaultSpace::Liars space = read_liars(
      Options::from_toml("process_faults = 2\nnetwork_faults = 2\nreplays = 1\nsilences = 2\n"
                         "twins = 1\ntwins_apart = \"9s\"\ndrop = 0.1\ncorrupt = [0.25, 0.5]\n"
                         "skew = \"2s\"\nnodes = [0, 3, 5]\nfaulty = 2\n",
                         "space"),
      scripted_description(), 7);
  Random random(2023);
  for (int i = 0; i < 300; ++i) {
    Schedule schedule;
    schedule.faults = random_lies(space, 7, random);
    const std::string json = to_json(schedule, scripted_description(), 7);
    ASSERT_EQ(parse(json, 7), schedule) << json;
  }
}

TEST(ByzantineFormat, ErrorsNameThePlace) {
  const std::pair<const char*, const char*> kCases[] = {
      {R"({"type": "mutate", "node": 3, "seed": 1})",
       "s.json:6: faults[0].round: missing, but it is required"},
      {R"({"type": "mutate", "node": 3, "round": 2, "seed": 1, "receivers": []})",
       "s.json:6: faults[0].receivers: expected at least one node, found none"},
      {R"({"type": "mutate", "node": 3, "round": 2, "seed": 1, "receivers": [3]})",
       "s.json:6: faults[0].receivers[0]: node 3 does not send to itself"},
      {R"({"type": "mutate", "node": 3, "round": 2, "seed": 1, "receivers": [1, 1]})",
       "s.json:6: faults[0].receivers[1]: node 1 is named twice, expected once"},
      {R"({"type": "mutate", "node": 3, "round": 2, "seed": -1})",
       "s.json:6: faults[0].seed: expected an integer from 0 to 9007199254740991, found -1"},
      {R"({"type": "mutate", "node": 3, "round": 2, "seed": 1, "field": "numbr"})",
       "s.json:6: faults[0].field: no message has a field 'numbr' that can be changed, did you "
       "mean 'number'?"},
      {R"({"type": "silence", "node": 3, "round": 2, "until": "3s"})",
       "s.json:6: faults[0].until: expected a protocol round or a span, found both"},
      {R"({"type": "noise", "corrupt": 0.5, "seed": 1})",
       "s.json:6: faults[0].corrupt: expected 'node' beside it: corrupted messages make their "
       "sender a liar"},
      {R"({"type": "round-partition", "round": 2, "groups": [[0, 1, 2, 3, 4, 5, 6]]})",
       "s.json:6: faults[0].groups: expected groups that separate some nodes from others"}};
  for (const auto& [line, error] : kCases) EXPECT_EQ(error_of(document(line)), error);
}

// ---- instances of the public tools

TEST(PublicInstance, ALineOfTheDataSetIsASchedule) {
  const Schedule schedule = parse(
      R"({"run": "1", "c": 1, "d": 2, "process_faults": "{5: ({4, 2, 5}, 3810346196)}",)"
      R"( "network_faults": "{4: [{0}, {4, 1}, {2}, {5, 3}, {6}], 2: [{4, 6, 2, 0}, {1}, {5, 3}]}"})",
      7);
  MutateFault mutate;
  mutate.node = 3;
  mutate.round = 5;
  mutate.receivers = {2, 4, 5};
  mutate.seed = 3810346196;
  const std::vector<Fault> expected{mutate, RoundPartitionFault{4, {{0}, {1, 4}, {2}, {3, 5}, {6}}},
                                    RoundPartitionFault{2, {{0, 2, 4, 6}, {1}, {3, 5}}}};
  EXPECT_EQ(schedule.faults, expected);
}

TEST(PublicInstance, SoIsTheirResultFile) {
  const Schedule schedule =
      parse("process faults {4: ({6}, 1131419591)}\nnetwork faults {}\n7\nreason: flags\n", 7);
  MutateFault mutate;
  mutate.node = 3;
  mutate.round = 4;
  mutate.receivers = {6};
  mutate.seed = 1131419591;
  EXPECT_EQ(schedule.faults, std::vector<Fault>{mutate});
}

TEST(PublicInstance, ErrorsNameThePlace) {
  EXPECT_EQ(error_of(R"({"process_faults": "{5: ({4, 9}, 1)}"})"),
            "s.json:1: process_faults: expected a number of at most 6 at column 10");
  EXPECT_EQ(error_of(R"({"process_faults": "{}", "network_faults": "{2: [{0}, {0}]}"})"),
            "s.json:1: network_faults: node 0 is in two groups at column 14");
  EXPECT_EQ(error_of("process faults {5: 3}\nnetwork faults {}\n"),
            "s.json:1: process faults: expected '(' at column 5");
  EXPECT_EQ(error_of("process faults {}\n"),
            "s.json:2: network faults: expected a line 'network faults {...}'");
}

TEST(PublicInstance, AllRunsOfTheDataSetAreRead) {
  std::ifstream file(std::string(DISSENSUS_SOURCE_DIR) + "/../shared/data/isolation/runs.jsonl");
  if (!file) GTEST_SKIP() << "needs ../shared/data/isolation/runs.jsonl";
  std::size_t runs = 0;
  std::size_t process_faults = 0;
  for (std::string line; std::getline(file, line); ++runs) {
    for (const Fault& fault : parse(line, 7).faults) {
      process_faults += (fault.as<MutateFault>() != nullptr) ? 1 : 0;
    }
  }
  EXPECT_EQ(runs, 1200u);
  EXPECT_EQ(process_faults, 1200u + 300u - 58u) << "c = 2 in 300 runs, one round twice in 58";
}

}  // namespace
}  // namespace dissensus::faults
