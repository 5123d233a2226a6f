#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/event.h"
#include "trace/record_layout.h"
#include "trace/trace_file.h"

namespace dissensus::trace {
namespace {

std::string specification() {
  std::ifstream in(DISSENSUS_SOURCE_DIR "/docs/formats/trace.md");
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string example() {
  const std::string text = specification();
  const std::string fence = "```jsonl\n";
  const std::size_t begin = text.find(fence);
  if (begin == std::string::npos) return {};
  const std::size_t from = begin + fence.size();
  return text.substr(from, text.find("```", from) - from);
}

// The example of the specification is a trace that the reader takes, and what it says is true.
TEST(TraceSpecification, ExampleIsRead) {
  Reader reader("trace.md", example());
  EXPECT_EQ(reader.header().system, "majority");
  EXPECT_EQ(reader.header().nodes, 3u);
  EXPECT_EQ(reader.header().kinds, (std::vector<std::string>{"Proposal", "Commit"}));
  std::size_t records = 0;
  std::set<Digest> decided;
  Record record;
  while (reader.next(record)) {
    ++records;
    if (record.type == EventType::decide) decided.insert(record.value);
  }
  EXPECT_EQ(records, reader.footer().recorded);
  EXPECT_EQ(decided.size(), 2u) << "the example shows a disagreement";
  EXPECT_EQ(reader.footer().outcome, "fail");
}

// The example is exactly what the writer makes of it.
TEST(TraceSpecification, ExampleIsWhatTheWriterWrites) {
  Reader reader("trace.md", example());
  const auto path = std::filesystem::temp_directory_path() / "dissensus-trace-example.jsonl";
  Writer writer(path.string(), reader.header());
  Record record;
  while (reader.next(record)) writer.write(record);
  writer.finish(reader.footer());
  std::ifstream in(path);
  const std::string written{std::istreambuf_iterator<char>(in), {}};
  std::filesystem::remove(path);
  EXPECT_EQ(written, example());
}

// No type of event and no key is missing from the specification.
TEST(TraceSpecification, NamesEveryTypeAndKey) {
  const std::string text = specification();
  for (std::size_t type = 0; type < kEventTypes; ++type) {
    const std::string row = fmt::format("| `{}` |", to_string(static_cast<EventType>(type)));
    EXPECT_THAT(text, testing::HasSubstr(row));
  }
  for (const std::string_view key : kKeyNames) {
    EXPECT_THAT(text, testing::HasSubstr(fmt::format("`{}`", key)));
  }
}

}  // namespace
}  // namespace dissensus::trace
