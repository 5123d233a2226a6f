#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "cli/markdown.h"
#include "history/checker.h"
#include "history/reader.h"

namespace dissensus::history {
namespace {

std::string text_of(const std::string& name) {
  std::ifstream in(std::string(DISSENSUS_SOURCE_DIR "/docs/") + name);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The examples of the specification are histories, and checkers take them.
TEST(HistorySpecification, ExamplesAreReadAndPass) {
  struct Example {
    std::string language;
    std::string model;
    std::size_t events;
  };
  const std::string document = text_of("formats/history.md");
  for (const Example& example : {Example{"edn", "lin-kv", 4}, Example{"log", "lin-register", 4},
                                 Example{"json", "txn-list-append", 2}}) {
    const std::vector<std::string> blocks = cli_test::code_blocks(document, example.language);
    ASSERT_EQ(blocks.size(), 1u) << example.language;
    const History history = parse_history("history.md", blocks[0]);
    EXPECT_EQ(history.events().size(), example.events) << example.language;
    CheckOptions options;
    if (example.model == "lin-kv") options.initial = Value::integer(2);
    const Verdict verdict = check(history, operations_of(history), example.model, options);
    EXPECT_EQ(verdict.outcome, Outcome::pass) << example.language;
  }
}

// The page about checkers has a row for each.
TEST(HistoryGuide, NamesEveryCheckerAndEveryLevel) {
  const std::string document = text_of("history.md");
  for (const CheckerDescription& checker : checkers()) {
    EXPECT_NE(document.find("`" + std::string(checker.name) + "`"), std::string::npos)
        << checker.name;
  }
  for (const std::string& level : isolation_names()) {
    EXPECT_NE(document.find("`" + level + "`"), std::string::npos) << level;
  }
}

}  // namespace
}  // namespace dissensus::history
