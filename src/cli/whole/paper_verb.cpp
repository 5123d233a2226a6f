// A paper's items: what stands for each here, and the run that makes it.
#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "cli/answer.h"
#include "cli/verb.h"
#include "experiment/paper_list.h"

namespace dissensus::cli {

namespace {

namespace fs = std::filesystem;
using experiment::Paper;
using experiment::PaperItem;

struct PaperOptions {
  std::string paper;
  std::vector<std::string> item;
  std::string list = "docs/papers/papers.toml";
  bool markdown = false;
  bool dry = false;
  OutputOptions output;
};

struct PaperItemAnswer {
  std::string item, title, state, ours;
  std::vector<std::string> run;
  double seconds = 0;
  std::string see;
};
DISSENSUS_DESCRIBE(PaperItemAnswer, item, title, state, ours, run, seconds, see)

struct PaperAnswer {
  std::string paper, title;
  std::vector<PaperItemAnswer> items;
};
DISSENSUS_DESCRIBE(PaperAnswer, paper, title, items)

/// Always of one shape: a paper or an item alone is a list of one.
struct PapersAnswer {
  std::vector<PaperAnswer> papers;
};
DISSENSUS_DESCRIBE(PapersAnswer, papers)
const AnswerRegistration kPapersAnswer = answers_with<PapersAnswer>("paper");

void print_json(const std::vector<Paper>& papers) {
  PapersAnswer answer;
  for (const Paper& paper : papers) {
    PaperAnswer& one = answer.papers.emplace_back(PaperAnswer{paper.name, paper.title, {}});
    for (const PaperItem& item : paper.items) {
      one.items.push_back({item.name, item.title, std::string(to_string(item.state)), item.ours,
                           item.run, item.seconds, item.see});
    }
  }
  print_answer({true, false}, answer, "");
}

void print_papers(const std::vector<Paper>& papers) {
  for (const Paper& paper : papers) {
    std::size_t commands = 0;
    for (const PaperItem& item : paper.items) commands += item.run.empty() ? 0 : 1;
    fmt::print("{:<12} {}\n{:<12} {} items, {} with a command\n", paper.name, paper.title, "",
               paper.items.size(), commands);
  }
  fmt::print("\ndissensus paper {}   lists the items of one\n", papers.front().name);
}

void print_items(const Paper& paper) {
  fmt::print("{}\n\n", paper.title);
  for (const PaperItem& item : paper.items) {
    fmt::print("{:<24} {:<10} {}\n", item.name, to_string(item.state), item.title);
  }
  for (const PaperItem& item : paper.items) {
    if (item.run.empty()) continue;
    fmt::print("\ndissensus paper {} {}   runs one\n", paper.name, item.name);
    break;
  }
}

void print_item(const Paper& paper, const PaperItem& item) {
  fmt::print("{}, {}: {} ({})\n", paper.title, item.name, item.title, to_string(item.state));
  if (!item.ours.empty()) fmt::print("{}\n", item.ours);
  if (!item.see.empty()) fmt::print("see {}\n", item.see);
  if (!item.run.empty()) fmt::print("runs: {}\n", experiment::command_of(item));
  std::fflush(stdout);
}

/// As this program, in the folder from which the item's paths are meant; does not come back.
void run_item(const PaperItem& item, const std::string& list) {
  fs::current_path(fs::absolute(list).parent_path() / "../..");
  std::vector<std::string> words = item.run;
  const std::string started =
      experiment::runs_script(item) ? words.front() : program_path().string();
  words.insert(words.begin() + (experiment::runs_script(item) ? 1 : 0), program_path().string());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execv(started.c_str(), arguments.data());
  throw InputError(fmt::format("{}: cannot be started", started));
}

ExitCode show_papers(const PaperOptions& options) {
  const std::vector<Paper> papers = experiment::load_papers(options.list);
  const bool is_told = !options.output.quiet && !options.output.json;
  if (options.paper.empty()) {
    if (options.output.json && !options.output.quiet) print_json(papers);
    if (is_told) print_papers(papers);
    return kAllHeld;
  }
  const Paper& paper = experiment::find_paper(papers, options.paper);
  if (options.item.empty()) {
    if (options.markdown) {
      fmt::print("{}", experiment::paper_page(paper));
    } else if (is_told) {
      print_items(paper);
    } else if (!options.output.quiet) {
      print_json({paper});
    }
    return kAllHeld;
  }
  const PaperItem& item =
      experiment::find_item(paper, fmt::format("{}", fmt::join(options.item, " ")));
  if (options.output.json) {
    if (!options.output.quiet) print_json({{paper.name, paper.title, paper.words, {item}}});
    return kAllHeld;
  }
  if (is_told) print_item(paper, item);
  if (!options.dry && !item.run.empty()) run_item(item, options.list);
  return kAllHeld;
}

}  // namespace

Verb add_paper_verb(CLI::App& program) {
  CLI::App* app = program.add_subcommand(
      "paper", "List what the papers contain, item by item, and make their tables again");
  const auto options = std::make_shared<PaperOptions>();
  app->add_option("paper", options->paper, "Name of a paper; default: list the papers");
  app->add_option("item", options->item, "\"table 4.4\", or \"4.4\"; default: list the items");
  app->add_option("--list", options->list, "The file with all items")
      ->check(CLI::ExistingFile)
      ->capture_default_str();
  CLI::Option* const markdown =
      app->add_flag("--markdown", options->markdown, "The page of a paper, for docs/papers");
  app->add_flag("--no-run", options->dry, "Say what would be run")->excludes(markdown);
  options->output.add_to(*app);
  app->footer("Examples:\n  dissensus paper discotest\n  dissensus paper discotest table 4.4");
  return {app, [options] { return show_papers(*options); }};
}

}  // namespace dissensus::cli
