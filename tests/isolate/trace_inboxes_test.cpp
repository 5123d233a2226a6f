// Inboxes from a trace of our own: deliveries in order, with the fields of what was sent.
#include "isolate/trace_inboxes.h"

#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include "dissensus/options.h"

#include "trace/trace_file.h"

namespace dissensus::isolate {
namespace {

trace::Header vote_header() {
  trace::Header header;
  header.system = "votes";
  header.nodes = 3;
  header.kinds = {"Ping", "Vote"};
  header.kind_fields = {{},
                        {{"origin", SemanticType::node},
                         {"round", SemanticType::round},
                         {"value", SemanticType::value}}};
  return header;
}

trace::Record record(EventType type, NodeId node, NodeId peer, MessageKind kind, Digest content) {
  trace::Record result;
  result.type = type;
  result.node = node;
  result.peer = peer;
  result.kind = kind;
  result.content = content;
  return result;
}

trace::Record vote_sent(NodeId origin, NodeId peer, std::uint64_t round, std::uint64_t value,
                        Digest content) {
  trace::Record result = record(EventType::send, origin, peer, 1, content);
  result.fields = {std::uint64_t{origin}, round, Digest(value)};
  return result;
}

TEST(TraceInboxes, ADeliveryHasTheFieldsOfItsMessage) {
  trace::Trace trace;
  trace.header = vote_header();
  trace.records = {vote_sent(0, 1, 3, 70, Digest(1, 1)),
                   vote_sent(2, 1, 3, 80, Digest(1, 2)),
                   record(EventType::send, 0, 1, 0, Digest(1, 9)),
                   record(EventType::deliver, 1, 0, 0, Digest(1, 9)),
                   record(EventType::deliver, 1, 0, 1, Digest(1, 2)),
                   record(EventType::deliver, 1, 0, 1, Digest(1, 1))};
  Declaration declaration = declaration_of(trace.header);
  ASSERT_EQ(declaration.schema.kinds.size(), 2u);
  isolate::Run run;
  fill_inboxes(declaration, trace, run);
  const Inbox& inbox = run.inboxes[1];
  ASSERT_EQ(inbox.entries.size(), 3u);
  EXPECT_EQ(inbox.entries[0].kind, 0u);
  EXPECT_EQ(inbox.entries[1].sender, 2u) << "its author, although node 0 passed it on";
  EXPECT_EQ(inbox.entries[2].sender, 0u);
  ASSERT_EQ(inbox.values.size(), 4u);
  EXPECT_EQ(inbox.values[0], 3);
  EXPECT_NE(inbox.values[1], inbox.values[3]);
  EXPECT_TRUE(run.inboxes[0].entries.empty());
}

TEST(TraceInboxes, AMutatedMessageIsReceivedAsItWasChanged) {
  trace::Trace trace;
  trace.header = vote_header();
  trace::Record mutated = vote_sent(0, 1, 4, 70, Digest(1, 5));
  mutated.type = EventType::mutate;
  trace.records = {vote_sent(0, 1, 3, 70, Digest(1, 1)), mutated,
                   record(EventType::deliver, 1, 0, 1, Digest(1, 5))};
  isolate::Run run;
  fill_inboxes(declaration_of(trace.header), trace, run);
  ASSERT_EQ(run.inboxes[1].entries.size(), 1u);
  EXPECT_EQ(run.inboxes[1].values[0], 4);
}

TEST(TraceInboxes, ADeclarationMustFitTheSystem) {
  const trace::Header header = vote_header();
  Declaration declaration = declaration_of(header);
  declaration.schema.kinds[1].name = "Vot";
  EXPECT_THROW(InboxCollector(declaration, header), InputError);
  declaration = declaration_of(header);
  declaration.schema.kinds[1].fields[0].name = "rond";
  EXPECT_THROW(InboxCollector(declaration, header), InputError);
  declaration = declaration_of(header);
  declaration.schema.nodes = 4;
  EXPECT_THROW(InboxCollector(declaration, header), InputError);
}

TEST(TraceInboxes, ATraceWithoutMessagesIsRefused) {
  trace::Trace trace;
  trace.header = vote_header();
  trace.records = {record(EventType::deliver, 1, 0, 1, Digest(1, 1))};
  isolate::Run run;
  EXPECT_THROW(fill_inboxes(declaration_of(trace.header), trace, run), InputError);
}

TEST(TraceSource, ReadsFilesAndTheirOutcomes) {
  std::string folder =
      (std::filesystem::temp_directory_path() / "dissensus-isolate-XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  std::vector<std::string> paths;
  for (const std::string outcome : {"fail", "unknown", "pass"}) {
    trace::Trace trace;
    trace.header = vote_header();
    trace.records = {vote_sent(0, 1, 3, 70, Digest(1, 1)),
                     record(EventType::deliver, 1, 0, 1, Digest(1, 1))};
    for (std::size_t i = 0; i < trace.records.size(); ++i) trace.records[i].id = i + 1;
    trace.footer.hash = "0123456789abcdef";
    trace.footer.events = 2;
    trace.footer.stop = "end";
    trace.footer.outcome = outcome;
    paths.push_back(folder + "/" + outcome + ".jsonl.gz");
    trace::write_trace(paths.back(), trace);
  }
  TraceSource source(declaration_of(vote_header()), paths);
  isolate::Run run;
  ASSERT_TRUE(source.next(run));
  EXPECT_TRUE(run.failing);
  EXPECT_EQ(run.name, paths[0]);
  EXPECT_EQ(run.inboxes[1].entries.size(), 1u);
  ASSERT_TRUE(source.next(run));
  EXPECT_FALSE(run.failing);
  EXPECT_FALSE(source.next(run));
  EXPECT_EQ(source.unknown(), 1u);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace dissensus::isolate
