#include "experiment/paper_list.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "dissensus/options.h"

#include "core/file.h"
#include "core/limits.h"
#include "core/suggestion.h"
#include "statistics/markdown.h"

namespace dissensus::experiment {

namespace {

constexpr std::array<std::string_view, 4> kStates{"repeated", "partly", "missing", "background"};

std::string required(const Options& table, std::string_view key) {
  const OptionValue value = table.at(key);
  std::string text = value.text();
  if (text.empty()) value.fail("expected a text");
  return text;
}

PaperItem read_item(const Options& table) {
  PaperItem item;
  item.name = required(table, "name");
  item.title = required(table, "title");
  item.state = static_cast<PaperState>(table.at("state").choice(kStates));
  item.ours = table.text("ours", "");
  item.seconds = table.number("seconds", 0, 0);
  item.see = table.text("see", "");
  if (const auto words = table.find("run")) {
    for (const OptionValue& word : words->list()) item.run.push_back(word.text());
  }
  const bool is_told = !item.ours.empty() || !item.see.empty() || !item.run.empty();
  if (!is_told && item.state != PaperState::background) {
    table.fail("ours", "expected what stands for it here, or what is missing");
  }
  return item;
}

std::string seconds_text(double seconds) {
  if (seconds < 60) return fmt::format("{:.0f} s", seconds);
  return fmt::format("{:.0f} min", seconds / 60);
}

}  // namespace

std::string_view to_string(PaperState state) {
  return kStates[static_cast<std::size_t>(state)];
}

std::vector<Paper> load_papers(const std::string& path) {
  const Options options = Options::from_toml(read_file(path, kScenarioBytesMax), path);
  std::vector<Paper> papers;
  for (const Options& table : options.tables("paper")) {
    Paper paper;
    paper.name = required(table, "name");
    paper.title = required(table, "title");
    paper.words = table.text("words", "");
    for (const Options& item : table.tables("item")) {
      paper.items.push_back(read_item(item));
      const auto same = std::count_if(
          paper.items.begin(), paper.items.end(),
          [&](const PaperItem& other) { return other.name == paper.items.back().name; });
      if (same > 1) item.fail("name", fmt::format("'{}' is there twice", paper.items.back().name));
    }
    if (paper.items.empty()) table.fail("item", "expected at least one item");
    papers.push_back(std::move(paper));
  }
  options.finish();
  if (papers.empty()) options.fail("paper", "expected at least one [[paper]]");
  return papers;
}

const Paper& find_paper(const std::vector<Paper>& papers, const std::string& words) {
  std::vector<std::string> names;
  for (const Paper& paper : papers) {
    if (paper.name == words) return paper;
    names.push_back(paper.name);
  }
  throw InputError(fmt::format("no paper '{}', expected one of {}", words, fmt::join(names, ", ")));
}

const PaperItem& find_item(const Paper& paper, const std::string& words) {
  std::vector<const PaperItem*> meant;
  for (const PaperItem& item : paper.items) {
    if (item.name == words) return item;
    if (item.name.ends_with(" " + words)) meant.push_back(&item);
  }
  // Who says a number alone means the table.
  const auto table = std::find_if(meant.begin(), meant.end(), [](const PaperItem* item) {
    return item->name.starts_with("table ");
  });
  if (table != meant.end()) return **table;
  if (meant.size() == 1) return *meant.front();
  if (meant.empty()) {
    throw InputError(fmt::format("{}: no item '{}'; `dissensus paper {}` lists all", paper.name,
                                 words, paper.name));
  }
  std::vector<std::string> names;
  for (const PaperItem* const item : meant) names.push_back(item->name);
  throw InputError(fmt::format("{}: '{}' can be {}", paper.name, words, fmt::join(names, " or ")));
}

bool runs_script(const PaperItem& item) {
  return !item.run.empty() && item.run.front().starts_with("scripts/");
}

std::string command_of(const PaperItem& item) {
  if (!runs_script(item)) return fmt::format("dissensus {}", fmt::join(item.run, " "));
  std::string text = item.run.front() + " build/release/dissensus";
  for (std::size_t i = 1; i < item.run.size(); ++i) text += " " + item.run[i];
  return text;
}

std::string paper_page(const Paper& paper) {
  std::string page = fmt::format("# {}\n\n", paper.title);
  if (!paper.words.empty()) page += paper.words + "\n\n";
  page += fmt::format(
      "Every section, table, figure, algorithm, equation, parameter and item of future work, in "
      "the "
      "paper's own numbering. `dissensus paper {} ITEM`\nruns what has a command and prints the "
      "result in the paper's layout. This page is made by `dissensus paper {} --markdown` from "
      "`docs/papers/papers.toml`.\n\n",
      paper.name, paper.name);
  std::array<std::size_t, kStates.size()> counts{};
  for (const PaperItem& item : paper.items) ++counts[static_cast<std::size_t>(item.state)];
  page += fmt::format("Of {} items {} are repeated, {} partly, {} missing, {} background.\n\n",
                      paper.items.size(), counts[0], counts[1], counts[2], counts[3]);
  statistics::MarkdownTable table({"item", "what", "state", "here", "command, time"});
  for (const PaperItem& item : paper.items) {
    std::string ours = item.ours;
    if (!item.see.empty()) {
      const std::size_t slash = item.see.find("docs/");
      const std::string link = slash == 0 ? "../" + item.see.substr(5) : "../../" + item.see;
      const std::size_t name = item.see.rfind('/') + 1;
      ours += fmt::format("{}[{}]({})", ours.empty() ? "" : " ",
                          item.see.substr(name, item.see.find('#') - name), link);
    }
    std::string command;
    if (!item.run.empty()) command = fmt::format("`{}`", command_of(item));
    if (item.seconds > 0) command += ", " + seconds_text(item.seconds);
    table.add({item.name, item.title, std::string(to_string(item.state)), ours, command});
  }
  return page + table.text();
}

}  // namespace dissensus::experiment
