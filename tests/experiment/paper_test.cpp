// The papers' items: what is listed, what the pages say, and the papers' own layout of tables.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <functional>
#include <regex>
#include <set>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiment/files.h"
#include "experiment/paper_layout.h"
#include "experiment/paper_list.h"

namespace dissensus::experiment {
namespace {

namespace fs = std::filesystem;

using experiment_test::Folder;
using experiment_test::make_registry;
using experiment_test::read_text;
using experiment_test::replaced;
using experiment_test::small_experiment;
using testing::HasSubstr;

const std::string kRoot = DISSENSUS_SOURCE_DIR;

std::vector<Paper> papers() {
  return load_papers(kRoot + "/docs/papers/papers.toml");
}

TEST(Papers, PagesSayWhatTheListSays) {
  for (const Paper& paper : papers()) {
    EXPECT_EQ(read_text(kRoot + "/docs/papers/" + paper.name + ".md"), paper_page(paper))
        << "make papers";
  }
}

TEST(Papers, CommandsNameFilesThatAreThere) {
  for (const Paper& paper : papers()) {
    for (const PaperItem& item : paper.items) {
      for (const std::string& word : item.run) {
        if (!std::regex_match(word, std::regex("scripts/.*|.*\\.(toml|json|tla|cfg)"))) continue;
        EXPECT_TRUE(fs::exists(kRoot + "/" + word)) << paper.name << ", " << item.name;
      }
    }
  }
}

// An experiment that repeats something of a paper is some item's command.
TEST(Papers, EveryExperimentWithASourceIsAnItem) {
  std::set<std::string> named;
  for (const Paper& paper : papers()) {
    for (const PaperItem& item : paper.items) named.insert(item.run.begin(), item.run.end());
  }
  const Registry registry = make_registry();
  for (const auto& file : fs::directory_iterator(kRoot + "/experiments")) {
    const std::string name = "experiments/" + file.path().filename().string();
    if (!std::regex_search(name,
                           std::regex("/(discotest-(table|figure)-[0-9.]+|operators-.*)toml"))) {
      continue;
    }
    EXPECT_TRUE(named.contains(name)) << name;
  }
}

// Tables, figures, algorithms and listings by their captions. The papers are not part of this
// repository.
TEST(Papers, EveryCaptionOfAPaperIsAnItem) {
  const std::string folder = kRoot + "/../shared/papers";
  if (!fs::exists(folder)) GTEST_SKIP() << "the papers are not here";
  const std::vector<std::pair<std::string, std::string>> texts{
      {"discotest", "discotest-thesis-2022.txt"},
      {"icse-seip", "discotest-icse-seip-2023.txt"},
      {"operators", "genetic-operators-2025.txt"},
      {"isolation", "isolation-thesis-2023.txt"},
      {"conformance", "formal-model-conformance-fmdse.txt"}};
  const std::vector<Paper> all = papers();
  const std::regex caption(
      "^[* ]*(table|figure|fig\\.|algorithm|listing|problem) ([0-9]+\\.[0-9]+|[0-9]+|[ivx]+)[.:* "
      "]*:",
      std::regex::icase);
  std::size_t captions = 0;
  for (const auto& [name, text] : texts) {
    const Paper& paper = find_paper(all, name);
    std::ifstream file(folder + "/" + text);
    for (std::string line; std::getline(file, line);) {
      std::smatch found;
      if (!std::regex_search(line, found, caption)) continue;
      ++captions;
      std::string kind = found.str(1);
      std::transform(kind.begin(), kind.end(), kind.begin(),
                     [](unsigned char letter) { return std::tolower(letter); });
      if (kind == "fig.") kind = "figure";
      EXPECT_NO_THROW(find_item(paper, kind + " " + found.str(2))) << name << ": " << line;
    }
  }
  EXPECT_GT(captions, 50u);
}

/// "3.4" of the item "section 3.4, agreement"; empty: another kind of item.
std::string section_of(const PaperItem& item) {
  std::smatch found;
  const std::regex section("section ([0-9IVX]+(\\.[0-9A-E]+)*).*");
  return std::regex_match(item.name, found, section) ? found.str(1) : std::string();
}

bool is_within(const std::string& section, const std::string& other) {
  return section == other || section.starts_with(other + ".");
}

// A heading is told by an item of its own, by those of its parts, or by that of the section around
// it.
TEST(Papers, EverySectionOfAPaperIsTold) {
  const std::string folder = kRoot + "/../shared/papers";
  if (!fs::exists(folder)) GTEST_SKIP() << "the papers are not here";
  const std::regex arabic("^[#* ]*([2-9](\\.[0-9]){0,2}|10) [A-Z].*");
  const std::regex of_thesis("^([2-5]\\.[0-9](\\.[0-9])?) [A-Z].*");
  const std::regex roman("^([IVX]+)\\. [A-Z ]+$");
  const std::vector<std::tuple<std::string, std::string, std::regex>> texts{
      {"discotest", "discotest-thesis-2022.txt", of_thesis},
      {"icse-seip", "discotest-icse-seip-2023.txt", roman},
      {"operators", "genetic-operators-2025.txt", arabic},
      {"isolation", "isolation-thesis-2023.txt", arabic},
      {"conformance", "formal-model-conformance-fmdse.txt", arabic}};
  const std::vector<Paper> all = papers();
  std::size_t headings = 0;
  for (const auto& [name, text, heading] : texts) {
    const Paper& paper = find_paper(all, name);
    std::ifstream file(folder + "/" + text);
    for (std::string line; std::getline(file, line);) {
      std::smatch found;
      if (line.size() > 90 || !std::regex_match(line, found, heading)) continue;
      ++headings;
      const std::string number = found.str(1);
      EXPECT_TRUE(std::any_of(paper.items.begin(), paper.items.end(),
                              [&](const PaperItem& item) {
                                const std::string section = section_of(item);
                                return !section.empty() &&
                                       (is_within(section, number) || is_within(number, section));
                              }))
          << name << ": " << line;
    }
  }
  EXPECT_GT(headings, 90u);
}

TEST(Papers, ACommandIsOneThatAPersonTypes) {
  const std::vector<Paper> all = papers();
  EXPECT_EQ(command_of(find_item(find_paper(all, "discotest"), "table 4.4")),
            "dissensus study --paper experiments/discotest-table-4.4.toml");
  const PaperItem& cost = find_item(find_paper(all, "conformance"), "figure 5");
  EXPECT_TRUE(runs_script(cost));
  EXPECT_EQ(command_of(cost), "scripts/study-conformance-cost build/release/dissensus");
}

TEST(Papers, ItemsAreFoundByWhatTheirReaderCallsThem) {
  const std::vector<Paper> all = papers();
  const Paper& thesis = find_paper(all, "discotest");
  EXPECT_EQ(find_item(thesis, "4.4").name, "table 4.4");
}

std::string complaint_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Papers, WhatIsNotThereIsAnswered) {
  const std::vector<Paper> all = papers();
  EXPECT_THAT(complaint_of([&] { find_paper(all, "discotst"); }),
              HasSubstr("expected one of discotest"));
  const Paper& thesis = find_paper(all, "discotest");
  EXPECT_THAT(complaint_of([&] { find_item(find_paper(all, "icse-seip"), "1"); }),
              HasSubstr("figure 1 or algorithm 1"));
  EXPECT_THAT(complaint_of([&] { find_item(thesis, "table 9"); }), HasSubstr("no item 'table 9'"));
  const Folder folder;
  const std::string item =
      "[[paper]]\nname = \"p\"\ntitle = \"t\"\n[[paper.item]]\nname = \"table 1\"\n"
      "title = \"t\"\nstate = \"repeated\"\n";
  EXPECT_THAT(complaint_of([&] { load_papers(folder.write("a.toml", item)); }),
              HasSubstr("a.toml:4: paper[0].item[0].ours: expected what stands for it here"));
  EXPECT_THAT(complaint_of([&] {
                load_papers(folder.write("b.toml", replaced(item, "repeated", "repeted")));
              }),
              HasSubstr("b.toml:7: paper[0].item[0].state: expected one of repeated"));
}

StudyTable paper_table_of(const std::string& text) {
  const Folder folder;
  const Registry registry = make_registry();
  const Experiment experiment = load_experiment(folder.write("e.toml", text), registry);
  CellResults results;
  for (const Cell& cell : cells_of(experiment)) {
    CellResult result;
    // Of each three hunts of the first search two find it, of the second one all.
    result.found = cell.search == 1 || cell.repetition < 2;
    result.virtual_seconds = 10 + static_cast<double>(cell.repetition) * 10;
    results.emplace(cell.key, result);
  }
  return paper_table(arrange(experiment, results), {});
}

TEST(PaperLayout, CountsAreForAsManyRunsAsThePaperMade) {
  std::string text = replaced(small_experiment(), "found = 2, of = 3", "found = 20, of = 30");
  text = replaced(text,
                  "time_test = [{ case = \"slow\", first = \"evolving\", second = \"random\", p = "
                  "0.25, a12 = 0.75 }]\n",
                  "");
  text = replaced(text, "name = \"random\"\nsearch",
                  "name = \"random\"\npaper_name = \"Delay_rand\"\nsearch");
  const StudyTable table = paper_table_of(text);
  EXPECT_THAT(table.text, HasSubstr("|  | Delay_rand | evolving |"));
  EXPECT_THAT(table.text, HasSubstr("| slow | 20.0 (20) | 3 of 3 |"));
  EXPECT_THAT(table.text, testing::Not(HasSubstr("calm")));  // a control
}

TEST(PaperLayout, TestsAreAMatrix) {
  const StudyTable table = paper_table_of(small_experiment());
  EXPECT_THAT(table.text, HasSubstr("|  |  | random | paper | evolving | paper |"));
  // Times 10, 20, 30 against 10, 20: A12 = 4 of 6.
  EXPECT_THAT(table.text, HasSubstr("0.667 | 0.250 0.750 | - | - |"));
}

TEST(PaperLayout, WithoutAPapersNumbersThereIsNone) {
  const std::string text = small_experiment();
  EXPECT_THAT(complaint_of([&] { paper_table_of(text.substr(0, text.find("[published]"))); }),
              HasSubstr("nothing of a paper"));
}

}  // namespace
}  // namespace dissensus::experiment
