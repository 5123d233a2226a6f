// What the papers contain, item by item, and what stands for it here: read from a TOML file
// (docs/papers/papers.toml), from which the pages of docs/papers are made.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace dissensus::experiment {

enum class PaperState {
  repeated,    ///< it is here, and gives what is printed
  partly,      ///< it is here, with a difference that is told
  missing,     ///< it is not here
  background,  ///< the paper tells about it, and does not do it itself
};
std::string_view to_string(PaperState state);

struct PaperItem {
  std::string name;   ///< "table 4.4", in the paper's own numbering
  std::string title;  ///< the paper's own names in it
  PaperState state = PaperState::missing;
  std::string ours;  ///< where it is here, what came out, and how that differs
  /// Words for the program, or a script of the repository ("scripts/...") that gets the program and
  /// these words; empty: no command.
  std::vector<std::string> run;
  double seconds = 0;  ///< that it takes
  std::string see;     ///< a page, from the root of the repository
};

struct Paper {
  std::string name;  ///< "discotest"
  std::string title;
  std::string words;  ///< for the reader of its page
  std::vector<PaperItem> items;
};

/// Throws InputError: "file:line: key: what was wrong, what was expected".
std::vector<Paper> load_papers(const std::string& path);

/// The papers or items whose name is meant by `words` ("discotest", "table 4.4", "4.4"). Throws
/// InputError where none is, or several are.
const Paper& find_paper(const std::vector<Paper>& papers, const std::string& words);
const PaperItem& find_item(const Paper& paper, const std::string& words);

bool runs_script(const PaperItem& item);
/// What a person types for an item that has a command.
std::string command_of(const PaperItem& item);

/// The page of a paper: every item with its state, its command and what came out.
std::string paper_page(const Paper& paper);

}  // namespace dissensus::experiment
