#include "report/report.h"

#include <cstdlib>
#include <filesystem>

#include <gmock/gmock.h>
#include <unistd.h>

#include "core/file.h"
#include "report/charts.h"
#include "report/examine.h"
#include "report/html_check.h"
#include "report/page.h"
#include "run/remake.h"
#include "run/schedule_space.h"
#include "systems/simulated/simulated.h"

namespace dissensus::report {
namespace {

using testing::HasSubstr;
using testing::Not;

run::Recipe failing_recipe(const std::string& scenario_path) {
  run::Recipe recipe;
  recipe.scenario = run::load_scenario(scenario_path, simulated_systems());
  run::Runner runner;
  for (std::uint64_t seed = 1; seed < 2000; ++seed) {
    Random random(seed, "schedule");
    recipe.schedule = run::random_schedule(recipe.scenario, random);
    recipe.seed = seed;
    if (!runner.run(recipe.scenario, recipe.schedule, seed).verdict.violations.empty())
      return recipe;
  }
  ADD_FAILURE() << "no failing schedule in " << scenario_path;
  return recipe;
}

const Finding& majority_finding() {
  static const Finding finding = [] {
    ExamineOptions options;
    Finding result = examine(failing_recipe("scenarios/majority/overtaken-commit.toml"),
                             "runs/example", options, simulated_systems());
    result.hunt = {{"search", "random"}, {"evaluations", "12"}};
    return result;
  }();
  return finding;
}

// Everything that a person needs stands on the page, in the order in which they will ask.
TEST(Report, AnswersTheQuestionsInOrder) {
  const std::string html = to_html(majority_finding());
  std::size_t position = 0;
  for (const char* part :
       {"<h1>", "Property and rule", "id=\"schedule\"", "id=\"why\"", "id=\"diagram\"",
        "id=\"replay\"", "id=\"timeline\"", "id=\"likelihood\"", "id=\"verdict\"",
        "id=\"messages\"", "id=\"before\"", "id=\"hunt\""}) {
    const std::size_t found = html.find(part, position);
    ASSERT_NE(found, std::string::npos) << part;
    position = found;
  }
  EXPECT_THAT(html, HasSubstr("dissensus replay runs/example/minimal"));
  EXPECT_THAT(html, HasSubstr("no single further reduction fails"));
  EXPECT_THAT(html, HasSubstr(majority_finding().minimal->trace.footer.hash));
}

// The cause is on the page: where the run parts from one that passes, and what that leads to.
TEST(Report, ExplainsByTheNearestPassingRun) {
  const Finding& finding = majority_finding();
  ASSERT_TRUE(finding.difference && finding.difference->first);
  const std::string html = to_html(finding);
  EXPECT_THAT(html, HasSubstr("The runs part here"));
  EXPECT_THAT(html, HasSubstr("From there to the violation"));
  // The one delayed message is drawn in full, and named, though it is under way at the end.
  EXPECT_THAT(html,
              HasSubstr("Bold: messages in which it differs from the nearest run that passes"));
  EXPECT_THAT(html, HasSubstr(", under way at the end</text>"));
}

// Programs are not explained by a run that passes: what they said last is all there is.
TEST(Report, SaysWhatNodesSaidLastWhereThereIsNoExplanation) {
  Finding finding = majority_finding();
  EXPECT_THAT(to_html(finding), Not(HasSubstr("id=\"said\"")));
  finding.difference.reset();
  trace::Trace& trace = finding.minimal->trace;
  trace.records.insert(trace.records.begin(), 9, trace::Record{});
  for (std::size_t line = 0; line < 9; ++line) {
    trace.records[line].type = EventType::log;
    trace.records[line].node = 1;
    trace.records[line].text = "line <" + std::to_string(line) + ">";
  }
  std::erase_if(trace.records, [](const trace::Record& record) {
    return record.type == EventType::log && record.text.find("line <") != 0;
  });
  const std::string html = to_html(finding);
  EXPECT_THAT(html, HasSubstr("<h3>n1</h3>"));
  EXPECT_THAT(html, Not(HasSubstr("line &lt;0&gt;")));
  EXPECT_THAT(html, HasSubstr("line &lt;1&gt;"));
  EXPECT_THAT(html, HasSubstr("line &lt;8&gt;"));
  EXPECT_THAT(html, Not(HasSubstr("<h3>n0</h3>")));
}

// The first screen: values as the drawings name them, and a way to every section.
TEST(Report, ItsHeadIsShortAndLinksToTheSections) {
  Finding finding = majority_finding();
  oracle::Violation& violation = finding.minimal->verdict.violations.front();
  const Digest value{0x6fde7c927bede5d6, 0x3db0c6a8d948ff37};
  violation.values = {value};
  violation.text = "node 1 decided " + to_string(value);
  const std::string html = to_html(finding);
  EXPECT_THAT(html, HasSubstr("<h1>node 1 decided 6fde7c</h1>"));
  EXPECT_THAT(html, HasSubstr(to_string(value))) << "all digits are on the page";
  for (const char* id : {"schedule", "why", "diagram", "replay", "timeline", "verdict", "hunt"}) {
    EXPECT_THAT(html, HasSubstr(std::string("<a href=\"#") + id + "\">"));
    EXPECT_THAT(html, HasSubstr(std::string("<section id=\"") + id + "\">"));
  }
}

// Who cannot see a drawing is told what it is; who reads in the dark is not dazzled.
TEST(Report, DrawingsHaveNamesAndFollowTheDark) {
  const std::string html = to_html(majority_finding());
  std::size_t drawings = 0;
  for (std::size_t at = html.find("<svg"); at != std::string::npos;
       at = html.find("<svg", at + 1)) {
    const std::string tag = html.substr(at, html.find('>', at) - at);
    EXPECT_THAT(tag, HasSubstr("role=\"img\" aria-label=\"")) << tag;
    EXPECT_EQ(html.find("<desc>", at), html.find('>', at) + 2) << tag;
    ++drawings;
  }
  EXPECT_GE(drawings, 3u);
  EXPECT_THAT(html, HasSubstr("@media (prefers-color-scheme: dark) { .canvas"));
  EXPECT_THAT(html, HasSubstr("@media (max-width: 600px)"));
}

// The page stands alone: it opens without network.
TEST(Report, RefersToNothingOutside) {
  std::string html = to_html(majority_finding());
  // Links to its own sections are no references.
  const std::string_view own = " href=\"#";
  for (std::size_t at = html.find(own); at != html.npos; at = html.find(own)) {
    html.erase(at, own.size());
  }
  for (const char* reference : {" src=", " href=", "url(", "@import", "fetch(", "https://"}) {
    EXPECT_THAT(html, Not(HasSubstr(reference)));
  }
}

TEST(Report, IsWellFormed) {
  EXPECT_EQ(html_fault(to_html(majority_finding())), "");
  Finding plain;
  plain.found = majority_finding().found;
  EXPECT_EQ(html_fault(to_html(plain)), "");
}

// The checker itself notices what it is there for.
TEST(Report, CheckerNoticesFaults) {
  EXPECT_EQ(html_fault("<p>a</p>"), "");
  EXPECT_NE(html_fault("<p>a</div>"), "");
  EXPECT_NE(html_fault("<p>a"), "");
  EXPECT_NE(html_fault("<p title=\"x>a</p>"), "");
  EXPECT_NE(html_fault("a < b"), "");
}

TEST(Report, SameFindingSameBytes) {
  ExamineOptions options;
  options.jobs = 2;
  Finding again =
      examine(majority_finding().found.recipe, "runs/example", options, simulated_systems());
  again.hunt = majority_finding().hunt;
  EXPECT_EQ(to_html(again), to_html(majority_finding()));
}

// Names come from files of strangers: none of them becomes markup.
TEST(Report, EscapesHostileNames) {
  Finding finding = majority_finding();
  const std::string hostile = "<script>alert('x')</script>\"&";
  finding.found.recipe.scenario.name = hostile;
  finding.minimal->recipe.scenario.description = hostile;
  finding.minimal->verdict.violations.front().text = hostile;
  finding.minimal->trace.header.kinds.assign(finding.minimal->trace.header.kinds.size(), hostile);
  finding.minimal->trace.header.scenario_name = hostile;
  finding.hunt = {{hostile, hostile}};
  const std::string html = to_html(finding);
  EXPECT_THAT(html, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(html, HasSubstr("&lt;script&gt;"));
  EXPECT_EQ(html_fault(html), "");
}

// A run that was not shrunk has a page too.
TEST(Report, WorksWithoutShrinking) {
  ExamineOptions options;
  options.shrink = false;
  options.likelihood = false;
  const Finding finding =
      examine(majority_finding().found.recipe, "runs/example", options, simulated_systems());
  const std::string html = to_html(finding);
  EXPECT_THAT(html, Not(HasSubstr("id=\"before\"")));
  EXPECT_THAT(html, HasSubstr("The schedule that does it"));
}

TEST(Report, RefusesRunsThatDoNotFail) {
  run::Recipe recipe;
  recipe.scenario =
      run::load_scenario("scenarios/majority/overtaken-commit.toml", simulated_systems());
  recipe.seed = 1;
  EXPECT_THROW(examine(recipe, "runs/example", {}, simulated_systems()), InputError);
}

// A page of a real run, with thousands of messages, stays small, and the window shows the
// violation.
TEST(Report, XrplPageIsOfReasonableSize) {
  ExamineOptions options;
  options.jobs = 2;
  options.likelihood = false;
  const Finding finding = examine(failing_recipe("scenarios/xrpl/threshold-40.toml"),
                                  "runs/example", options, simulated_systems());
  const std::string html = to_html(finding);
  EXPECT_LT(html.size(), 3'000'000u);
  EXPECT_EQ(html_fault(html), "");
  const RecordedRun& run = finding.smallest();
  const Window window = telling_window(run.trace, run.verdict.violations.front());
  EXPECT_LE(window.from, run.verdict.violations.front().time);
  EXPECT_GE(window.until, run.verdict.violations.front().time);
  EXPECT_LE(window.until - window.from, std::chrono::seconds(31));
}

// The curve's point of no return: everything fails from there on, and not before.
TEST(Charts, PointOfNoReturn) {
  std::vector<shrink::LikelihoodPoint> points(4);
  for (std::size_t i = 0; i < points.size(); ++i) {
    points[i].time = Time{} + std::chrono::seconds(i);
    points[i].runs = 10;
    points[i].failing = i >= 2 ? 10 : 3;
  }
  EXPECT_EQ(point_of_no_return(points), Time{} + std::chrono::seconds(2));
  points[3].failing = 9;
  EXPECT_EQ(point_of_no_return(points), Time::max());
}

/// Opens a page in a browser without a window and returns what it made of it.
std::string dump_dom(const std::string& page) {
  const std::string out = page + ".dom";
  const std::string profile = page + ".profile";
  const std::string call =
      "timeout 120 chromium --headless --no-sandbox --disable-gpu "
      "--user-data-dir=" +
      profile + " --dump-dom --screenshot=" + page + ".png --window-size=1300,2000 file://" + page +
      " >" + out + " 2>" + page + ".log";
  EXPECT_EQ(std::system(call.c_str()), 0) << read_file(page + ".log", 1 << 20);
  return read_file(out, 64 << 20);
}

// A real browser renders the page: every section is there and the script raised no error.
TEST(Report, OpensInABrowser) {
  if (std::system("command -v chromium >/dev/null 2>&1") != 0) {
    GTEST_SKIP() << "chromium is not installed: the page was not opened in a browser";
  }
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("dissensus-report-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  const std::string page = (folder / "report.html").string();
  write_file(page, to_html(majority_finding()));
  const std::string dom = dump_dom(page);
  for (const char* part : {"id=\"schedule\"", "id=\"diagram\"", "id=\"hunt\"", "</svg>"}) {
    EXPECT_THAT(dom, HasSubstr(part));
  }
  // Buttons are hidden in the file; only the script shows them.
  EXPECT_THAT(dom, Not(HasSubstr("hidden=")));
  EXPECT_THAT(read_file(page + ".log", 1 << 20), Not(HasSubstr("CONSOLE")));
  EXPECT_GT(std::filesystem::file_size(page + ".png"), 40'000u) << "the page is nearly blank";
  std::filesystem::remove_all(folder);
}

/// Each node decides what it hears first, and from the run of this number on everybody is in time
/// to hear the same: a system that remembers its runs does not repeat them.
class Chance final : public System {
 public:
  explicit Chance(std::shared_ptr<int> runs_left) : runs_left_(std::move(runs_left)) {
    description_.name = "chance";
    description_.message<Vote>("Vote").field("of", SemanticType::sequence, &Vote::of);
    description_.levels = {{.name = "value", .validity = false}};
  }
  const SystemDescription& description() const override { return description_; }
  std::size_t node_count() const override { return 3; }
  std::unique_ptr<dissensus::Node> make_node(NodeId id) const override {
    if (id == 0) --*runs_left_;
    return std::make_unique<Voter>(*runs_left_ < 0);
  }

 private:
  struct Vote {
    static constexpr MessageKind kind() { return 0; }
    std::uint64_t of;
  };
  class Voter final : public dissensus::Node {
   public:
    explicit Voter(bool is_patient) : is_patient_(is_patient) {}
    void start(Context& context) override {
      for (NodeId to = 0; to < 3; ++to) {
        if (to != context.self()) context.send(to, Vote{context.self()});
      }
      context.set_timer(is_patient_ ? std::chrono::seconds(1) : std::chrono::milliseconds(20));
    }
    void timer(Context& context, TimerId, std::uint64_t) override {
      context.decided(0, 0, Digest{0, std::min<std::uint64_t>(least_, context.self())});
    }
    void receive(Context&, NodeId, const Message& message) override {
      if (const auto* vote = message.get<Vote>()) least_ = std::min(least_, vote->of);
    }

   private:
    bool is_patient_;
    std::uint64_t least_ = 9;
  };
  std::shared_ptr<int> runs_left_;
  SystemDescription description_;
};

// Whenever a run turns into another one while it is taken apart, that is what is said: nothing is
// explained by the violation of a run that has none.
TEST(Report, ARunThatIsAnotherOneEachTimeIsNotDeterministic) {
  std::size_t refused = 0;
  for (int runs = 1; runs <= 40; ++runs) {
    const auto left = std::make_shared<int>(1'000'000);
    SystemRegistry systems;
    systems.add({"chance", "", [left](const Options&) { return std::make_unique<Chance>(left); }});
    run::Recipe recipe;
    recipe.scenario = run::parse_scenario(
        "format = \"dissensus-scenario/1\"\nname = \"chance\"\n[system]\nkind = \"chance\"\n"
        "[network]\nlatency = \"5ms\"\n[schedule]\ntype = \"delay\"\nmax_delay = \"80ms\"\n"
        "[limits]\nvirtual_time = \"5s\"\n",
        "chance", systems);
    run::Runner runner;
    for (recipe.seed = 1; recipe.hash.empty(); ++recipe.seed) {
      Random random(recipe.seed, "schedule");
      recipe.schedule = run::random_schedule(recipe.scenario, random);
      const run::RunResult result = runner.run(recipe.scenario, recipe.schedule, recipe.seed);
      if (result.verdict.violations.empty()) continue;
      recipe.hash = trace::to_hex(result.hash);
      break;
    }
    *left = runs;
    ExamineOptions options;
    options.shrink_runs_max = 20;
    options.likelihood = false;
    try {
      examine(recipe, "", options, systems);
    } catch (const run::NotDeterministic& error) {
      ++refused;
      EXPECT_THAT(error.what(), HasSubstr("not deterministic"));
    }
  }
  EXPECT_GT(refused, 20u);
}

}  // namespace
}  // namespace dissensus::report
