// Other people's logs: the documented example is read, and every kind of mistake gets one clear
// line.
#include "isolate/message_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dissensus/options.h"

#include "core/file.h"
#include "isolate/run_table.h"

namespace dissensus::isolate {
namespace {

using testing::HasSubstr;

constexpr std::string_view kDeclaration = R"(format = "dissensus-messages/1"
nodes = 3
labels = ["fork", "stall"]
runs = ["runs.jsonl"]

[[kind]]
name = "Propose"
fields = [
  { name = "round", type = "round", compare = "round" },
  { name = "block", type = "hash", compare = "block" },
]

[[kind]]
name = "Vote"
sender = "author"
ignore = ["signature"]
fields = [
  { name = "round", type = "round", compare = "round" },
  { name = "block", type = "hash", compare = "block", optional = true },
  { name = "seen", type = "node_set" },
]
)";

std::string replaced(std::string_view from, std::string_view to) {
  std::string text(kDeclaration);
  const std::size_t place = text.find(from);
  EXPECT_NE(place, std::string::npos) << from;
  return text.replace(place, from.size(), to);
}

std::string declaration_error(const std::string& text) {
  try {
    parse_declaration(text, "messages.toml");
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

std::string run_error(const std::string& line) {
  try {
    MessageLogSource source(parse_declaration(kDeclaration, "messages.toml"), "runs.jsonl", line);
    for (isolate::Run run; source.next(run);) {
    }
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

std::string run_with(const std::string& message) {
  return R"({"run":"a","outcome":"fail","inbox":[[)" + message + "],[],[]]}\n";
}

TEST(MessageLog, ReadsRunsWithTypedFields) {
  MessageLogSource source(
      parse_declaration(kDeclaration, "messages.toml"), "runs.jsonl",
      R"({"run":"a","outcome":"fail","labels":["stall"],"link":"runs/a","inbox":[[{"kind":"Propose","from":1,"round":4,"block":"x"},{"kind":"Vote","from":2,"author":1,"round":4,"block":"x","seen":[0,2],"signature":"?"},{"kind":"Vote","from":2,"author":2,"round":5,"seen":[]}],[],[]]})");
  isolate::Run run;
  ASSERT_TRUE(source.next(run));
  EXPECT_EQ(run.name, "a");
  EXPECT_TRUE(run.failing);
  EXPECT_EQ(run.labels, 2u);
  EXPECT_EQ(run.link, "runs/a");
  const Inbox& inbox = run.inboxes[0];
  ASSERT_EQ(inbox.entries.size(), 3u);
  EXPECT_EQ(inbox.entries[1].sender, 1u) << "the author, not whom it came from";
  EXPECT_EQ(inbox.values[1], inbox.values[3]) << "equal texts are equal values";
  EXPECT_EQ(inbox.values[4], 0b101);
  EXPECT_EQ(inbox.values[6], -1) << "a missing block is like no other";
  EXPECT_FALSE(source.next(run));
}

TEST(MessageLog, ComparableFieldsFollowFromTheDeclaration) {
  const Declaration declaration = parse_declaration(kDeclaration, "messages.toml");
  const PredicateSpace space(declaration.schema,
                             space_options(Mode::reference, declaration.schema));
  const KindPair& propose_vote = space.pair(0, 1);
  ASSERT_EQ(propose_vote.comparisons.size(), 3u) << "senders, round, block";
  EXPECT_EQ(propose_vote.comparisons[1].operators.size(), 4u) << "rounds are ordered";
  EXPECT_EQ(propose_vote.comparisons[2].operators.size(), 2u) << "hashes are equal or not";
  EXPECT_EQ(space.pair(1, 1).comparisons.size(), 4u) << "and the set";
}

// Twelve fields that all compare with each other's namesakes would need gigabytes.
TEST(MessageLog, TooManyComparableFieldsAreRefused) {
  std::string text =
      "format = \"dissensus-messages/1\"\nnodes = 3\n[[kind]]\nname = \"Wide\"\nfields = [\n";
  for (int i = 0; i < 12; ++i)
    text += "{ name = \"f" + std::to_string(i) + "\", type = \"number\" },\n";
  const Declaration declaration = parse_declaration(text + "]\n", "wide.toml");
  EXPECT_THROW(
      PredicateSpace(declaration.schema, space_options(Mode::improved, declaration.schema)),
      InputError);
}

TEST(MessageLog, SaysWhatIsWrongWithADeclaration) {
  EXPECT_EQ(declaration_error(std::string(kDeclaration)), "no error");
  EXPECT_THAT(declaration_error(replaced("messages/1", "messages/9")),
              HasSubstr("messages.toml:1: format: 'dissensus-messages/9', expected"));
  EXPECT_THAT(declaration_error(replaced("nodes = 3\n", "")), HasSubstr("nodes"));
  EXPECT_THAT(declaration_error(replaced("nodes = 3", "nodes = 65")),
              HasSubstr("messages.toml:2: nodes"));
  EXPECT_THAT(declaration_error(replaced("type = \"round\"", "type = \"rond\"")),
              HasSubstr("round"));
  EXPECT_THAT(declaration_error(replaced("type = \"hash\"", "type = \"time\"")),
              HasSubstr("cannot be compared"));
  EXPECT_THAT(declaration_error(replaced("name = \"Vote\"", "name = \"Propose\"")),
              HasSubstr("twice"));
  EXPECT_THAT(declaration_error(replaced("ignore =", "ignored =")), HasSubstr("ignored"));
  EXPECT_THAT(declaration_error(replaced("\"seen\", type = \"node_set\"",
                                         "\"seen\", type = \"node_set\", optional = true")),
              HasSubstr("optional: only a hash, value or text"));
  EXPECT_THAT(
      declaration_error(std::string(kDeclaration) + "[[trust]]\nnodes = [0]\ntrusts = [1]\n"),
      HasSubstr("trust: missing for node 1"));
  EXPECT_THAT(declaration_error("format = \"dissensus-messages/1\"\nnodes = 3\n"),
              HasSubstr("kind: missing"));
}

TEST(MessageLog, SaysWhatIsWrongWithARun) {
  const std::string good = R"({"kind":"Propose","from":1,"round":4,"block":"x"})";
  EXPECT_EQ(run_error(run_with(good)), "no error");
  EXPECT_EQ(run_error(run_with(R"({"kind":"Propose","from":1,"round":4})")),
            "runs.jsonl:1: block: missing in a Propose");
  EXPECT_EQ(run_error(run_with(R"({"kind":"Propos","from":1,"round":4,"block":"x"})")),
            "runs.jsonl:1: kind: 'Propos' is not declared, did you mean 'Propose'? (declared: "
            "Propose, Vote)");
  EXPECT_EQ(run_error(run_with(R"({"kind":"Propose","from":1,"round":"4","block":"x"})")),
            "runs.jsonl:1: round: a text, expected an integer of 64 bits with sign");
  EXPECT_EQ(run_error(run_with(R"({"kind":"Propose","from":3,"round":4,"block":"x"})")),
            "runs.jsonl:1: from: 3 is too large, expected at most 2");
  EXPECT_THAT(run_error(run_with(R"({"kind":"Propose","from":1,"round":4,"block":"x","blok":1})")),
              HasSubstr("runs.jsonl:1: blok: unknown field of Propose, did you mean 'block'?"));
  EXPECT_EQ(run_error(R"({"run":"a","outcome":"fail","inbox":[[]]})"),
            "runs.jsonl:1: inbox: 1 lists, expected one for each of the 3 nodes");
  EXPECT_EQ(run_error(R"({"run":"a","outcome":"bad","inbox":[[],[],[]]})"),
            "runs.jsonl:1: outcome: 'bad', expected pass or fail");
  EXPECT_THAT(run_error(R"({"run":"a","outcome":"fail","labels":["frok"],"inbox":[[],[],[]]})"),
              HasSubstr("labels: 'frok' is not declared, did you mean 'fork'?"));
  EXPECT_THAT(run_error(R"({"run":"a","outcom":"fail"})"),
              HasSubstr("outcom: unknown key, did you mean"));
  EXPECT_THAT(run_error(run_with(good) + "[]\n"),
              HasSubstr("runs.jsonl:2: line: a list, expected an object"));
  EXPECT_THAT(run_error("{"), HasSubstr("runs.jsonl:1: json:"));
}

/// The text between ```LANGUAGE and ``` in the format's page.
std::string block_of(const std::string& page, const std::string& language) {
  const std::string fence = "```" + language + "\n";
  const std::size_t begin = page.find(fence);
  EXPECT_NE(begin, std::string::npos) << language;
  const std::size_t end = page.find("```", begin + fence.size());
  return page.substr(begin + fence.size(), end - begin - fence.size());
}

TEST(MessageLog, TheExampleOfTheFormatsPageIsRead) {
  const std::string page =
      read_file(DISSENSUS_SOURCE_DIR "/docs/formats/messages.md", std::size_t{1} << 20);
  Declaration declaration = parse_declaration(block_of(page, "toml"), "messages.md");
  const Schema schema = declaration.schema;
  MessageLogSource source(std::move(declaration), "messages.md", block_of(page, "json"));
  const PredicateSpace space(schema, space_options(Mode::improved, schema));
  const RunTable table = read_runs(source, space, 1);
  EXPECT_EQ(table.runs().size(), 2u);
  EXPECT_EQ(table.failing(), 1u);
}

}  // namespace
}  // namespace dissensus::isolate
