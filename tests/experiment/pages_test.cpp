#include "experiment/pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "amount.h"
#include "experiment/files.h"

namespace dissensus::experiment {
namespace {

using experiment_test::Folder;
using experiment_test::make_registry;
using experiment_test::read_text;
using experiment_test::replaced;
using experiment_test::small_experiment;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string page_of(const std::string& file) {
  return "# A page\n\n<!-- table small: " + file +
         " success figure:found=small repetitions=2 -->\nold\n<!-- end small -->\n\nWords.\n";
}

TEST(Pages, MarksSayWhatASectionHolds) {
  const auto sections = find_sections(page_of("x.toml"), "page.md");
  ASSERT_EQ(sections.size(), 1u);
  EXPECT_EQ(sections[0].name, "small");
  EXPECT_EQ(sections[0].file, "x.toml");
  EXPECT_THAT(sections[0].tables, ElementsAre(TableKind::success));
  ASSERT_EQ(sections[0].figures.size(), 1u);
  EXPECT_EQ(sections[0].figures[0].second, "small");
  EXPECT_EQ(sections[0].repetitions, 2u);
  EXPECT_EQ(sections[0].fingerprint, "");
}

std::string complaint(const std::string& page) {
  try {
    find_sections(page, "page.md");
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

TEST(Pages, MistakesInMarksAreNamedWithTheirLine) {
  EXPECT_THAT(complaint("\n<!-- table a: x.toml sucess -->\n<!-- end a -->\n"),
              HasSubstr("page.md:2: table: expected a table"));
  EXPECT_THAT(complaint("<!-- table a: x.toml success -->\n"), HasSubstr("<!-- end a -->"));
  EXPECT_THAT(complaint("<!-- table a -->\n<!-- end a -->\n"), HasSubstr("expected 'NAME: FILE"));
}

// A table is stale until this build has made it, and again when what makes it changes.
TEST(Pages, AreRenewedOnceAndStaleAgainWhenTheExperimentChanges) {
  const Folder folder;
  const Registry registry = make_registry();
  const std::string experiment = folder.write("small.toml", small_experiment());
  const std::string page = folder.write("page.md", page_of(experiment));
  PageRenewal renewal(registry, 1);
  EXPECT_THAT(renewal.stale_sections(page), ElementsAre("small"));
  EXPECT_THAT(renewal.renew(page, folder.path("."), folder.path("kept"), false),
              ElementsAre("small"));
  const std::string text = read_text(page);
  EXPECT_THAT(text, HasSubstr("*Build `"));
  EXPECT_THAT(text, HasSubstr("dissensus study " + experiment + " --repetitions 2"));
  EXPECT_THAT(text, HasSubstr("of 2 |"));
  EXPECT_THAT(text, HasSubstr("](../images/small.svg)"));
  EXPECT_THAT(text, HasSubstr("<!-- end small -->\n\nWords.\n"));
  EXPECT_THAT(read_text(folder.path("small.svg")), HasSubstr("<svg"));
  EXPECT_THAT(PageRenewal(registry, 2).stale_sections(page), IsEmpty());
  EXPECT_THAT(renewal.renew(page, folder.path("."), folder.path("kept"), false), IsEmpty());

  folder.write("small.toml", replaced(small_experiment(), "seed = 7", "seed = 8"));
  EXPECT_THAT(PageRenewal(registry, 1).stale_sections(page), ElementsAre("small"));
}

// One seed has misled us: what a page compares comes from three. More seeds make the table stale,
// though the small part of it that a fingerprint is made of is the same.
TEST(Pages, OfFewerThanThreeSeedsArePoor) {
  const Folder folder;
  const Registry registry = make_registry();
  const std::string experiment = folder.write("small.toml", small_experiment());
  const std::string page = folder.write("page.md", page_of(experiment));
  PageRenewal(registry, 1).renew(page, folder.path("."), folder.path("kept"), false);
  EXPECT_THAT(PageRenewal(registry, 1).poor_sections(page), ElementsAre("small"));
  folder.write("small.toml", replaced(small_experiment(), "seed = 7", "seeds = [7, 1]"));
  EXPECT_THAT(PageRenewal(registry, 1).poor_sections(page), ElementsAre("small"));
  folder.write("small.toml", replaced(small_experiment(), "seed = 7", "seeds = [7, 1, 2]"));
  EXPECT_THAT(PageRenewal(registry, 1).poor_sections(page), IsEmpty());
  EXPECT_THAT(PageRenewal(registry, 1).stale_sections(page), ElementsAre("small"));
}

// A program that makes tables of its own leaves the build at the end of the page.
TEST(Pages, KnowTheBuildOfOtherPrograms) {
  const Folder folder;
  const Registry registry = make_registry();
  const std::string experiment = folder.write("small.toml", small_experiment());
  const std::string page = folder.write("page.md", "# A page\n");
  PageRenewal(registry, 1).stamp(page, experiment);
  PageRenewal(registry, 1).stamp(page, experiment);
  const std::string text = read_text(page);
  EXPECT_EQ(text.find("<!-- build: "), text.rfind("<!-- build: "));
  EXPECT_THAT(PageRenewal(registry, 1).stale_sections(page), IsEmpty());
  folder.write("small.toml", replaced(small_experiment(), "seed = 7", "seed = 8"));
  EXPECT_THAT(PageRenewal(registry, 1).stale_sections(page), ElementsAre("build"));
}

// What a fingerprint runs can be made less, and is then another fingerprint.
TEST(Pages, AFingerprintTakesAsLongAsItsFileSays) {
  const Folder folder;
  const Registry registry = make_registry();
  const std::string text = replaced(small_experiment(), "40runs", "1h-virtual");
  const auto fingerprint = [&](const std::string& name, const std::string& key) {
    const std::string file =
        folder.write(name, replaced(text, "repetitions = 3", "repetitions = 3\n" + key));
    return PageRenewal(registry, 1).fingerprint(file);
  };
  const std::string brief = fingerprint("c.toml", "fingerprint = \"20s\"");
  EXPECT_NE(fingerprint("e.toml", "fingerprint = \"30s\""), brief);
  if constexpr (!test::kSanitized) {
    const std::string usual = fingerprint("a.toml", "");
    EXPECT_EQ(fingerprint("b.toml", "fingerprint = \"900s\""), usual);
    EXPECT_NE(brief, usual);
  }
  EXPECT_THROW(fingerprint("d.toml", "fingerprint = \"0s\""), InputError);
}

TEST(PublishedRuns, AreReadIntoTheirCells) {
  const Folder folder;
  const Registry registry = make_registry();
  folder.write("runs.csv",
               "Bug,Configuration,Id,Time,Found\nslow,rand,1,12,1\nslow,rand,2,0,0\nx,y,1,1,1\n");
  std::string text = replaced(small_experiment(), "name = \"random\"\n",
                              "name = \"random\"\npublished_as = \"rand\"\n");
  const Experiment experiment = load_experiment(folder.write("e.toml", text), registry);
  const auto cells = read_published_runs(folder.path("runs.csv"), 100, experiment);
  ASSERT_EQ(cells.size(), 1u);
  ASSERT_EQ(cells[0].runs.size(), 2u);
  EXPECT_EQ(cells[0].runs[0].time, 12);
  EXPECT_TRUE(cells[0].runs[0].event);
  EXPECT_EQ(cells[0].runs[1].time, 100);
  EXPECT_FALSE(cells[0].runs[1].event);
  folder.write("runs.csv", "Bug,Configuration,Id,Time,Found\nslow,rand,1,soon,1\n");
  EXPECT_THROW(read_published_runs(folder.path("runs.csv"), 100, experiment), InputError);
}

}  // namespace
}  // namespace dissensus::experiment
