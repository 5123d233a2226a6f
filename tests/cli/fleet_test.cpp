// Workers and coordinator as programs, killed at any moment: the hunt is that of one machine.
#include <chrono>
#include <memory>
#include <thread>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "dissensus/random.h"

#include "cli/command.h"
#include "cli/victim.h"
#include "hunt/items.h"
#include "hunt/store.h"
#include "hunt/store_care.h"
#include "postgres/private_postgres.h"

namespace dissensus::cli_test {
namespace {

using hunt::expect_equal;
using hunt::items_of;
using std::chrono::milliseconds;
using test::PrivatePostgres;
using testing::HasSubstr;
using testing::IsEmpty;

std::size_t setting(const char* name, std::size_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::stoul(text);
}

using Environment = std::vector<std::pair<std::string, std::string>>;

/// For one of the workers: leases must not depend on its clock. Sanitizers want to be loaded first.
Environment an_hour_off() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return {};
#else
  const std::string library = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1";
  if (!fs::exists(library)) return {};
  return {{"LD_PRELOAD", library}, {"FAKETIME", "+1h"}, {"DONT_FAKE_MONOTONIC", "1"}};
#endif
}

class Fleet : public testing::Test {
 protected:
  void SetUp() override {
    if (!PrivatePostgres::is_installed())
      GTEST_SKIP() << "PostgreSQL is not installed: scripts/setup test";
    url_ = PrivatePostgres::instance().create_database();
  }

  /// A search that learns, so that one lost or doubled result would change all that follow.
  std::vector<std::string> hunt(const std::string& store) const {
    return {"hunt",
            kBuggyScenario,
            "--search",
            "hill-climbing",
            "--seed",
            "5",
            "--all",
            "--window",
            "512",
            "--budget",
            std::to_string(runs_) + "runs",
            "--no-shrink",
            "--no-report",
            "--json",
            "--store",
            store};
  }
  std::unique_ptr<Victim> start_worker(std::size_t number) const {
    return std::make_unique<Victim>(
        folder_, std::vector<std::string>{"work", url_, "--jobs", "1", "--lease", "1"},
        "worker" + std::to_string(number), number == 0 ? an_hour_off() : Environment{});
  }
  std::unique_ptr<Victim> start_coordinator() const {
    std::vector<std::string> words = hunt(url_);
    words.insert(words.end(), {"--jobs", "0"});
    if (has_begun()) words.push_back("--resume");
    return std::make_unique<Victim>(folder_, words, "coordinator");
  }
  bool has_begun() const {
    try {
      return !hunt::StoreReader(url_).hunts().empty();
    } catch (const InputError&) {
      return false;
    }
  }
  std::size_t items() const {
    try {
      return hunt::StoreReader(url_).totals(1).items;
    } catch (const InputError&) {
      return 0;
    }
  }

  WorkFolder folder_;
  std::string url_;
  std::size_t runs_ = setting("FLEET_RUNS", 10'000);
};

// FLEET_RUNS, FLEET_KILLS, FLEET_RESTARTS and FLEET_WORKERS make it larger.
TEST_F(Fleet, EveryItemOnceWhateverDies) {
  const std::size_t kills = setting("FLEET_KILLS", 8);
  const std::size_t restarts = setting("FLEET_RESTARTS", 1);
  const CommandResult whole = folder_.run(hunt("whole.sqlite"));
  ASSERT_EQ(whole.exit_code, 1) << whole.err;
  Random random(20261116);

  std::vector<std::unique_ptr<Victim>> workers;
  auto coordinator = start_coordinator();
  while (!has_begun()) std::this_thread::sleep_for(milliseconds(5));
  for (std::size_t i = 0; i < setting("FLEET_WORKERS", 3); ++i) workers.push_back(start_worker(i));
  std::size_t at_work = 0;
  for (std::size_t i = 0; i < kills + restarts; ++i) {
    // Spread over the hunt, so that those who die are at work.
    const std::size_t wanted = runs_ * (i + 1) / (kills + restarts + 1);
    for (int waits = 0; items() < wanted && waits < 12'000; ++waits) {
      std::this_thread::sleep_for(milliseconds(5));
    }
    at_work += items() < runs_ ? 1 : 0;
    std::this_thread::sleep_for(milliseconds(random.below(20)));
    if (i % (kills / (restarts + 1) + 1) == kills / (restarts + 1)) {
      PrivatePostgres::instance().restart();
    } else if (i % 3 == 0) {
      coordinator->end_with(SIGKILL);
      coordinator = start_coordinator();
    } else {
      const std::size_t victim = random.below(workers.size());
      workers[victim]->end_with(SIGKILL);
      workers[victim] = start_worker(victim);
    }
  }
  EXPECT_GE(at_work, (kills + restarts) / 2) << "the hunt was over too soon";
  int status = 0;
  for (int i = 0; i < 60'000 && !coordinator->has_ended(status); ++i)
    std::this_thread::sleep_for(milliseconds(10));
  ASSERT_TRUE(WIFEXITED(status)) << read_text(folder_.file("coordinator"));
  EXPECT_EQ(WEXITSTATUS(status), 1) << read_text(folder_.file("coordinator"));
  for (std::size_t i = 0; i < workers.size(); ++i) {
    const int ended = workers[i]->end_with(SIGTERM);
    EXPECT_TRUE(WIFEXITED(ended) && WEXITSTATUS(ended) == 0)
        << read_text(folder_.file("worker" + std::to_string(i)));
  }
  expect_equal(items_of(folder_.file("whole.sqlite").string()), items_of(url_));
  EXPECT_THAT(hunt::check_store(url_), IsEmpty());
}

TEST_F(Fleet, IsWatchedDescribedCopiedAndIsolated) {
  runs_ = 2000;
  const CommandResult found = folder_.run(hunt(url_));
  ASSERT_EQ(found.exit_code, 1) << found.err;
  const CommandResult watch = folder_.run({"watch", url_, "--once", "--all", "--json"});
  EXPECT_EQ(watch.exit_code, 0) << watch.err;
  const auto json = nlohmann::json::parse(watch.out);
  EXPECT_EQ(json[0]["items"], runs_);
  EXPECT_EQ(json[0]["finished"], true);
  EXPECT_EQ(json[0]["mismatches"], 0);
  EXPECT_THAT(folder_.run({"store", "describe", url_}).out, HasSubstr("1 hunt\n"));
  const auto findings =
      nlohmann::json::parse(folder_.run({"store", "findings", url_, "--json"}).out);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0]["count"], json[0]["failed"]);
  EXPECT_GT(findings[0]["first_seen"], 1'700'000'000);
  EXPECT_THAT(folder_.run({"store", "copy", url_, "copy.sqlite"}).out,
              HasSubstr("copied 1 hunt with"));
  EXPECT_EQ(folder_.run({"store", "check", "copy.sqlite"}).out, "whole\n");
  expect_equal(items_of(url_), items_of(folder_.file("copy.sqlite").string()));
}

/// The words of a minimal run and its report, as far as they do not name folders.
std::string minimal_of(const WorkFolder& folder, const std::string& path) {
  return read_text(folder.file(path + "/minimal.json"));
}

TEST_F(Fleet, AWorkerShrinksAndMeasuresFindings) {
  // As one machine does it.
  std::vector<std::string> words = {"hunt",     kBuggyScenario, "--seed",   "5",       "--all",
                                    "--window", "64",           "--budget", "200runs", "--json"};
  std::vector<std::string> alone = words;
  alone.insert(alone.end(), {"--store", "alone.sqlite"});
  const CommandResult local = folder_.run(alone);
  ASSERT_EQ(local.exit_code, 1) << local.err;
  const std::string local_folder = nlohmann::json::parse(local.out)["findings"][0]["run_folder"];

  words.insert(words.end(), {"--store", url_, "--jobs", "0"});
  Victim coordinator(folder_, words, "coordinator");
  while (!has_begun()) std::this_thread::sleep_for(milliseconds(5));
  const CommandResult worker = folder_.run({"work", url_, "--jobs", "1", "--idle", "1", "--json"});
  EXPECT_EQ(worker.exit_code, 0) << worker.err;
  EXPECT_EQ(nlohmann::json::parse(worker.out)["examinations"], 1) << worker.out;
  int status = 0;
  for (int i = 0; i < 6000 && !coordinator.has_ended(status); ++i) {
    std::this_thread::sleep_for(milliseconds(10));
  }
  ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1)
      << read_text(folder_.file("coordinator"));
  const auto shared = nlohmann::json::parse(read_text(folder_.file("coordinator")));
  const std::string shared_folder = shared["findings"][0]["run_folder"];
  EXPECT_EQ(minimal_of(folder_, shared_folder), minimal_of(folder_, local_folder));
  EXPECT_THAT(read_text(folder_.file(shared_folder + "/report.html")), HasSubstr("<svg"));

  const auto findings =
      nlohmann::json::parse(folder_.run({"store", "findings", url_, "--json"}).out);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0]["examined"], true);
  const std::string row = "#" + findings[0]["first_run"].get<std::string>();
  // From a copy as well as from the database itself.
  ASSERT_EQ(folder_.run({"store", "copy", url_, "copy.sqlite"}).exit_code, 0);
  for (const std::string& store : {url_, std::string("copy.sqlite")}) {
    const CommandResult report = folder_.run({"report", store + row, "--json"});
    ASSERT_EQ(report.exit_code, 0) << report.err;
    std::string page = nlohmann::json::parse(report.out)["report"];
    page.resize(page.rfind('/'));
    EXPECT_EQ(minimal_of(folder_, page), minimal_of(folder_, local_folder)) << store;
  }
}

TEST_F(Fleet, HuntsWithIslands) {
  const CommandResult found =
      folder_.run({"hunt", kBuggyScenario, "--store", url_, "--islands", "--all", "--budget",
                   "6000runs", "--jobs", "2", "--no-shrink", "--no-report", "--json"});
  ASSERT_EQ(found.exit_code, 1) << found.err;
  const auto json = nlohmann::json::parse(found.out);
  EXPECT_GE(json["evaluations"], 6000);
  EXPECT_EQ(json["findings"][0]["reproduced"], true);
  const auto watch =
      nlohmann::json::parse(folder_.run({"watch", url_, "--once", "--all", "--json"}).out);
  EXPECT_EQ(watch[0]["islands"], true);
  EXPECT_EQ(watch[0]["runs"], json["evaluations"]);
  EXPECT_LT(watch[0]["items"], watch[0]["runs"]);
  const std::string folder = json["findings"][0]["run_folder"];
  EXPECT_EQ(folder_.run({"replay", folder}).exit_code, 1);
  EXPECT_EQ(folder_.run({"store", "check", url_}).out, "whole\n");
}

TEST_F(Fleet, ACampaignIsSharedToo) {
  const auto campaign = [&](const std::string& store) {
    return std::vector<std::string>{"campaign", kBuggyScenario, "--runs", "2000",  "--seed",
                                    "3",        "--out",        store,    "--json"};
  };
  ASSERT_EQ(folder_.run(campaign("alone.sqlite")).exit_code, 1);
  std::vector<std::string> words = campaign(url_);
  words.insert(words.end(), {"--jobs", "0"});
  Victim coordinator(folder_, words, "coordinator");
  while (!has_begun()) std::this_thread::sleep_for(milliseconds(5));
  EXPECT_EQ(folder_.run({"work", url_, "--jobs", "2", "--idle", "1"}).exit_code, 0);
  int status = 0;
  for (int i = 0; i < 6000 && !coordinator.has_ended(status); ++i) {
    std::this_thread::sleep_for(milliseconds(10));
  }
  ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1)
      << read_text(folder_.file("coordinator"));
  // Samples learn nothing, so that the window does not matter.
  expect_equal(items_of(folder_.file("alone.sqlite").string()), items_of(url_));
  EXPECT_TRUE(hunt::StoreReader(url_).hunts().front().finished);
}

TEST_F(Fleet, BadInputIsOneLine) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> mistakes{
      {{"work", "runs.sqlite"}, "expected the URL of a shared store"},
      {{"work", url_}, "not a Dissensus store"},
      {{"work", PrivatePostgres::instance().url("absent")}, "does not exist"},
      {{"watch", "absent.sqlite"}, "cannot be opened"},
      {{"store", "prune", url_}, "expected --older-than DAYS or --keep RUNS"},
      {{"store", "shrug"}, "no verb 'shrug'"},
      {{"store", "allow-worker", "x.sqlite", "me"}, "a file has no roles"},
      {{"hunt", kBuggyScenario, "--islands"}, "--islands: is for hunts with a shared store"},
      {{"hunt", kBuggyScenario, "--store", url_, "--islands", "--window", "9"}, "no --window"},
      {{"hunt", kBuggyScenario, "--jobs", "0"}, "--jobs: 0 is for hunts with a shared store"},
      {{"hunt", kBuggyScenario, "--store", "postgresql://%"}, "no URL of PostgreSQL"},
      {{"hunt", kBuggyScenario, "--store", url_, "--resume"}, "no hunt to resume"}};
  for (const auto& [words, expected] : mistakes) {
    const CommandResult result = folder_.run(words);
    EXPECT_EQ(result.exit_code, 2) << expected;
    EXPECT_THAT(result.err, HasSubstr(expected));
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }
}

}  // namespace
}  // namespace dissensus::cli_test
