// Every address gives the JSON that docs/formats/api.md promises, whatever a run's texts hold.
#include "serve/explorer.h"

#include <algorithm>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dissensus/options.h"

#include "hunt/hunt.h"
#include "hunt/parts.h"
#include "hunt/sample_search.h"
#include "hunt/store.h"
#include "postgres/private_postgres.h"
#include "serve/campaign_view.h"
#include "serve/pages.h"
#include "serve/run_view.h"
#include "serve/runs.h"

namespace dissensus::serve {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class ExplorerTest : public testing::Test {
 protected:
  ExplorerTest()
      : library_(simulated_systems()), explorer_(library_, {folder_.path() + "/runs", ""}) {}

  void add_run(const std::string& name) {
    const std::string place = folder_.path() + "/" + name;
    std::filesystem::create_directories(place);
    run::record_run(place, recipe_of(name));
    library_.add_source(place);
  }
  Response ask(const std::string& path, const std::string& body = "") {
    Request request;
    request.method = body.empty() ? "GET" : "POST";
    request.body = body;
    const auto target = parse_target(path);
    EXPECT_TRUE(target) << path;
    return explorer_.answer(request, *target);
  }
  json get(const std::string& path) {
    const Response response = ask(path);
    EXPECT_EQ(response.status, 200u) << path;
    return json::parse(response.body);
  }
  std::string error_of(const std::string& path, const std::string& body = "") {
    try {
      ask(path, body);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }

  TemporaryFolder folder_;
  Library library_;
  Explorer explorer_;
};

TEST_F(ExplorerTest, ARunHasItsColumns) {
  add_run("majority-overtaken-commit");
  const json head = get("/api/runs/1");
  EXPECT_EQ(head["outcome"], "fail");
  EXPECT_THAT(head["replay"].get<std::string>(), HasSubstr("dissensus replay "));
  ASSERT_FALSE(head["violations"].empty());
  const json columns = get("/api/runs/1/events");
  const auto count = columns["count"].get<std::size_t>();
  EXPECT_EQ(count, head["records"].get<std::size_t>());
  for (const char* name : {"id", "time_us", "type", "node", "peer", "kind", "cause", "round",
                           "phase", "variant", "label"}) {
    EXPECT_EQ(columns[name].size(), count) << name;
  }
  // Every delivery is caused by the send of the same kind from its peer.
  const auto type_of = [&](std::size_t i) {
    return head["event_types"][columns["type"][i].get<std::size_t>()].get<std::string>();
  };
  for (std::size_t i = 0; i < count; ++i) {
    if (type_of(i) != "deliver") continue;
    const std::size_t send = i - columns["cause"][i].get<std::size_t>();
    EXPECT_EQ(type_of(send), "send");
    EXPECT_EQ(columns["node"][send], columns["peer"][i]);
    EXPECT_EQ(columns["kind"][send], columns["kind"][i]);
  }
  const bool disputed = std::any_of(columns["variant"].begin(), columns["variant"].end(),
                                    [](const json& value) { return value.get<int>() >= 256; });
  EXPECT_TRUE(disputed);
}

// A list of runs says how each ended before anybody has opened one.
TEST_F(ExplorerTest, RunsSayHowTheyEnded) {
  add_run("majority-overtaken-commit");
  const json run = get("/api/")["runs"][0];
  EXPECT_EQ(run["outcome"], "fail");
  EXPECT_THAT(run["violation"].get<std::string>(), HasSubstr("decided"));
}

TEST_F(ExplorerTest, WhereNoRunPassesThereIsAnAnswerToo) {
  run::Recipe recipe;
  recipe.scenario = run::parse_scenario(R"(
format = "dissensus-scenario/1"
name = "always"
[system]
kind = "majority"
values = [1, 1, 0]
[schedule]
type = "delay"
max_delay = "5ms"
[[oracle.rule]]
name = "never"
check = "1 == 0"
when = "end"
[limits]
virtual_time = "50ms"
)",
                                        "always.toml", simulated_systems());
  recipe.seed = 1;
  const std::string place = folder_.path() + "/always";
  std::filesystem::create_directories(place);
  run::record_run(place, recipe);
  library_.add_source(place);
  const json answer = get("/api/runs/1/compare");
  EXPECT_EQ(answer["failing"], 1);
  EXPECT_THAT(answer["trouble"].get<std::string>(), HasSubstr("no run near it passes"));
}

TEST_F(ExplorerTest, AnEventHasItsNodeBeforeAndAfter) {
  add_run("xrpl-b3");
  const json found = get("/api/runs/1/search?q=deliver");
  ASSERT_FALSE(found["records"].empty());
  const std::string record = std::to_string(found["records"].back().get<std::size_t>());
  const json event = get("/api/runs/1/events/" + record);
  // The chain of causes is cut, and says so.
  const std::size_t last = get("/api/runs/1")["records"].get<std::size_t>() - 1;
  bool is_cut = false;
  for (std::size_t at = last - 20; at <= last; ++at) {
    const json one = get(fmt::format("/api/runs/1/events/{}", at));
    EXPECT_LE(one["causes"].size(), 60u);
    is_cut = is_cut || one["causes_left_out"].get<std::size_t>() > 0;
  }
  EXPECT_TRUE(is_cut);
  EXPECT_FALSE(event["fields"].empty());
  EXPECT_FALSE(event["causes"].empty());
  EXPECT_EQ(event["causes"][0]["type"], "send");
  EXPECT_FALSE(event["node_state"]["reported"].empty());
  const json lines = get("/api/runs/1/lines?at=0," + record + ",99999999");
  EXPECT_EQ(lines["lines"].size(), 2u);
}

TEST_F(ExplorerTest, BranchesAndComparesOverItsAddresses) {
  add_run("majority-overtaken-commit");
  const json sends = get("/api/runs/1/search?q=deliver");
  const json made = json::parse(
      ask("/api/runs/1/branch",
          json{{"type", "delay"}, {"record", sends["records"][0]}, {"time_ms", 50}}.dump())
          .body);
  EXPECT_EQ(made["run"], 2);
  EXPECT_TRUE(std::filesystem::exists(made["folder"].get<std::string>() + "/run.json"));
  EXPECT_EQ(get("/api/runs/2")["hash"], made["hash"]);
  EXPECT_EQ(get("/api/runs/2")["parent"], 1);
  const json nearest = get("/api/runs/1/compare");
  EXPECT_EQ(nearest["failing"], 1);
  EXPECT_FALSE(nearest["words"].empty());
  EXPECT_FALSE(nearest["first"].is_null());
  EXPECT_EQ(get("/api/runs/1/compare")["passing"], nearest["passing"]) << "it is made once";
}

TEST_F(ExplorerTest, SaysWhatIsNotThere) {
  add_run("majority-overtaken-commit");
  for (const char* path :
       {"/api/nothing", "/other.js", "/api/runs/1/sing", "/api/stores", "/a/b"}) {
    EXPECT_EQ(ask(path).status, 404u) << path;
  }
  EXPECT_THAT(error_of("/api/runs/9"), HasSubstr("no run 9, expected 1 to 1"));
  EXPECT_THAT(error_of("/api/runs/x"), HasSubstr("expected a number"));
  EXPECT_THAT(error_of("/api/stores/1"), HasSubstr("no store 1"));
  EXPECT_THAT(error_of("/api/runs/1/events/100000"), HasSubstr("no such event"));
  EXPECT_THAT(error_of("/api/runs/1/lines?at=1,,2"), HasSubstr("expected a number"));
  EXPECT_THAT(error_of("/api/compare?first=1"), HasSubstr("expected STORE/HUNT"));
}

// HTML, escapes, marks of direction, broken UTF-8 and a line of a megabyte: valid JSON, and cut.
TEST_F(ExplorerTest, HostileTextsStayTexts) {
  auto run = std::make_shared<LoadedRun>(*corpus_run("majority-overtaken-commit"));
  const std::string hostile = "<script>alert(1)</script>\x1b[31m\xe2\x80\xae\"'\xff\x00";
  run->trace.header.scenario_name = hostile;
  run->trace.header.kinds[0] = hostile;
  trace::Record line = run->trace.records.back();
  line.type = EventType::log;
  line.text = hostile + std::string(1 << 20, 'x');
  run->trace.records.push_back(line);
  line.type = EventType::fault;
  run->trace.records.push_back(line);
  run->verdict.violations[0].text = line.text;
  index_run(*run);
  const std::size_t last = run->records().size() - 1;
  const std::string head = run_json(*run);
  const std::string columns = columns_json(*run);
  const std::size_t both[] = {last - 1, last};
  const std::string lines = lines_json(*run, both);
  const std::string event = event_json(*run, last);
  for (const std::string& text : {head, columns, lines, event}) {
    EXPECT_TRUE(json::accept(text)) << text.substr(0, 200);
    EXPECT_LT(text.size(), 400'000u);
  }
  EXPECT_THAT(json::parse(head)["scenario"].get<std::string>(), HasSubstr("<script>"));
  EXPECT_THAT(json::parse(lines)["lines"][0].get<std::string>(), HasSubstr("bytes)"));
}

TEST_F(ExplorerTest, WithoutPagesItSaysHowToGetThem) {
  const Response response = ask("/");
  if (has_pages()) {
    EXPECT_EQ(response.status, 200u);
    EXPECT_THAT(response.body, HasSubstr("app.js"));
  } else {
    EXPECT_EQ(response.status, 503u);
    EXPECT_EQ(std::count(response.body.begin(), response.body.end(), '\n'), 1);
    EXPECT_THAT(response.body, HasSubstr("esbuild"));
  }
}

// ---- stores

hunt::ItemRecord item(std::uint64_t number, bool fails, const std::string& member) {
  hunt::ItemRecord record;
  record.number = number;
  record.outcome = fails ? oracle::Outcome::fail : oracle::Outcome::pass;
  record.signature = fails ? "agreement/decided-differently/ledger" : "";
  record.disagreement_margin = static_cast<double>(number % 100) / 100;
  record.member = member;
  record.origin = number % 2 == 0 ? "random" : "crossover";
  record.events = 100 + number;
  record.new_states = {number, number + 1};
  return record;
}

void write_hunt(hunt::Store& store, std::uint64_t items, std::uint64_t every) {
  hunt::HuntRecord record;
  record.scenario_name = "sample";
  record.scenario = "text";
  record.options = R"({"search": "nsga2"})";
  record.program = "dissensus 0";
  store.begin(record);
  for (std::uint64_t i = 0; i < items; ++i) {
    store.add(item(i, i % every == every - 1, i % 3 == 0 ? "nsga2" : "random"));
  }
  store.flush();
}

TEST_F(ExplorerTest, AStoreIsShownWhileAHuntGoesOn) {
  const std::string path = folder_.path() + "/store.sqlite";
  hunt::Store store(path);
  write_hunt(store, 1000, 10);
  library_.add_source(path);
  library_.store(1).wait_until_read();
  json hunt = get("/api/stores/1/hunts/1");
  EXPECT_EQ(hunt["items"], 1000);
  EXPECT_EQ(hunt["failed"], 100);
  EXPECT_EQ(hunt["finished"], false);
  EXPECT_EQ(hunt["findings_list"][0]["count"], 100);
  EXPECT_EQ(hunt["members"].size(), 2u);
  std::uint64_t states = 0;
  for (const json& value : hunt["course"]["states"]) states += value.get<std::uint64_t>();
  EXPECT_EQ(states, 2000u);
  const auto before = library_.store(1).version();
  store.add(item(1000, true, "random"));
  store.flush();
  library_.store(1).wait_until_read();
  EXPECT_GT(library_.store(1).version(), before);
  EXPECT_EQ(get("/api/stores/1/hunts/1")["failed"], 101);
}

TEST_F(ExplorerTest, RunsOfAStoreAreFilteredAndOrdered) {
  const std::string path = folder_.path() + "/store.sqlite";
  {
    hunt::Store store(path);
    write_hunt(store, 1000, 10);
    store.finish();
  }
  library_.add_source(path);
  library_.store(1).wait_until_read();
  const json failing =
      get("/api/stores/1/hunts/1/items?outcome=fail&count=5&sort=events&order=falling");
  EXPECT_EQ(failing["total"], 100);
  ASSERT_EQ(failing["items"].size(), 5u);
  EXPECT_EQ(failing["items"][0]["run"], 1000);
  EXPECT_EQ(failing["items"][1]["run"], 990);
  EXPECT_EQ(get("/api/stores/1/hunts/1/items?member=nsga2")["total"], 334);
  EXPECT_EQ(get("/api/stores/1/hunts/1/items?member=nobody")["total"], 0);
  EXPECT_EQ(get("/api/stores/1/hunts/1/items?from=999")["items"].size(), 1u);
  EXPECT_EQ(get("/api/stores/1/hunts/1/items?from=5000")["items"].size(), 0u);
  EXPECT_THAT(error_of("/api/stores/1/hunts/1/items?sort=beauty"), HasSubstr("expected number"));
  EXPECT_THAT(error_of("/api/stores/1/hunts/1/items?outcome=x"), HasSubstr("expected pass"));
  EXPECT_THAT(error_of("/api/stores/1/hunts/2"), HasSubstr("no hunt 2, expected 1 to 1"));
}

// A database is read like a file.
TEST_F(ExplorerTest, AStoreInPostgresIsShownToo) {
  if (!test::PrivatePostgres::is_installed()) {
    GTEST_SKIP() << "PostgreSQL is not installed (scripts/setup test)";
  }
  const std::string url = test::PrivatePostgres::instance().create_database();
  hunt::Store store(url);
  write_hunt(store, 300, 10);
  library_.add_source(url);
  library_.store(1).wait_until_read();
  const json hunt = get("/api/stores/1/hunts/1");
  EXPECT_EQ(hunt["items"], 300);
  EXPECT_EQ(hunt["failed"], 30);
  std::uint64_t states = 0;
  for (const json& value : hunt["course"]["states"]) states += value.get<std::uint64_t>();
  EXPECT_EQ(states, 600u);
  EXPECT_EQ(get("/api/stores/1/hunts/1/items?outcome=fail&sort=events&from=29")["items"].size(),
            1u);
}

TEST_F(ExplorerTest, AModelIsCheckedAndItsStatesAreCounted) {
  library_.add_source(DISSENSUS_SOURCE_DIR "/specs/examples/Jugs.tla");
  EXPECT_EQ(get("/api/")["models"].size(), 1u);
  const json model = get("/api/models/1");
  EXPECT_EQ(model["result"], "violation");
  EXPECT_EQ(model["steps"].size(), 7u);
  EXPECT_EQ(model["steps"][1]["state"].size(), model["variables"].size());
  EXPECT_GE(model["graph"]["states"].size(), model["distinct"].get<std::size_t>());
  for (const json& edge : model["graph"]["edges"]) {
    EXPECT_LT(edge[1].get<std::size_t>(), model["graph"]["states"].size());
  }
  EXPECT_THAT(error_of("/api/models/2"), HasSubstr("no such model"));
}

void write_real_hunt(const std::string& path) {
  const run::Scenario scenario = run::load_scenario(
      DISSENSUS_SOURCE_DIR "/scenarios/majority/overtaken-commit.toml", simulated_systems());
  hunt::HuntOptions options;
  options.budget.runs = 60;
  options.all = true;
  hunt::HuntParts parts;
  parts.search = hunt::make_sample_search(scenario, options.seed);
  hunt::Store store(path);
  store.begin(hunt::describe_hunt(scenario, options));
  hunt::hunt(scenario, parts, options, nullptr, &store);
}

// Real runs, made again from their store: their causes are counted, as isolate does.
TEST_F(ExplorerTest, FailingRunsOfAStoreHaveCauses) {
  const std::string path = folder_.path() + "/store.sqlite";
  write_real_hunt(path);
  library_.add_source(path);
  library_.store(1).wait_until_read();
  const json causes = get("/api/stores/1/causes");
  EXPECT_EQ(causes["sampled"], nullptr);
  ASSERT_FALSE(causes["causes"]["list"].empty());
  std::size_t runs = 0;
  for (const json& cause : causes["causes"]["list"]) {
    runs += cause["runs"].size();
    EXPECT_NE(std::find(cause["runs"].begin(), cause["runs"].end(), cause["representative"]),
              cause["runs"].end());
  }
  EXPECT_EQ(runs, causes["failing"].get<std::size_t>());
}

// The test that R's fisher.test would make of the same counts.
TEST_F(ExplorerTest, TwoHuntsAreComparedWithTheirStatistics) {
  const std::string path = folder_.path() + "/store.sqlite";
  {
    hunt::Store store(path);
    write_hunt(store, 1000, 10);
    write_hunt(store, 500, 50);
  }
  library_.add_source(path);
  library_.store(1).wait_until_read();
  const json both = get("/api/compare?first=1/1&second=1/2");
  EXPECT_EQ(both["failed"]["first"]["count"], 100);
  EXPECT_EQ(both["failed"]["second"]["count"], 10);
  EXPECT_LT(both["failed"]["p_value"].get<double>(), 1e-6);
  EXPECT_EQ(both["common_runs"], 500);
  EXPECT_EQ(both["first_failure"]["first"], 10);
  EXPECT_EQ(both["first_failure"]["second"], 50);
  EXPECT_EQ(both["signatures"].size(), 1u);
  const json same = get("/api/compare?first=1/1&second=1/1");
  EXPECT_DOUBLE_EQ(same["failed"]["p_value"].get<double>(), 1);
}

}  // namespace
}  // namespace dissensus::serve
