// Histories in all three notations: what is accepted can be written and read back, and every
// checker gives a verdict or says what is wrong.
#include "fuzz.h"
#include "history/checker.h"
#include "history/reader.h"

namespace {
using namespace dissensus;

std::string lines_of(const history::History& history) {
  std::string text;
  for (const history::Event& event : history.events()) text += to_json_line(event) + "\n";
  return text;
}

void check_with_all(const history::History& history) {
  std::vector<history::Operation> operations;
  if (!fuzz::accepts([&] { operations = operations_of(history); })) return;
  history::CheckOptions options;
  options.limits.steps = 20'000;
  options.limits.memory_bytes = 1u << 20;
  for (const history::CheckerDescription& checker : history::checkers()) {
    fuzz::accepts([&] {
      const history::Verdict verdict = check(history, operations, checker.name, options);
      DISSENSUS_ASSERT(!to_json(verdict, history, operations).empty(), "fuzz_history : as JSON");
      for (const history::Finding& finding : verdict.findings) {
        for (const history::Part& part : finding.parts) {
          DISSENSUS_ASSERT(part.operation < operations.size(), "fuzz_history : parts exist");
        }
      }
    });
  }
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(fuzz::text_of(data, size));
  history::History history;
  for (const history::Format format : {history::Format::guess, history::Format::edn,
                                       history::Format::log, history::Format::json}) {
    if (!fuzz::accepts([&] { history = history::parse_history("fuzz", text, format); })) continue;
    check_with_all(history);
    // Words and keys of maps become texts when they are written, and maps are in the order of their
    // keys: only the second writing must be read back the same.
    const std::string once = lines_of(history);
    if (once.empty()) continue;
    const std::string twice =
        lines_of(history::parse_history("twice", once, history::Format::json));
    const std::string again =
        lines_of(history::parse_history("again", twice, history::Format::json));
    DISSENSUS_ASSERT(again == twice, "fuzz_history : read back the same");
  }
  return 0;
}
