#include "trace/trace_file.h"

#include <filesystem>
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "dissensus/options.h"

#include "sample_traces.h"

namespace dissensus::trace {
namespace {

class Folder {
 public:
  Folder() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    path_ = std::filesystem::temp_directory_path() /
            (std::string("dissensus-trace-") + test->test_suite_name() + "-" + test->name());
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string file(const std::string& name) const { return (path_ / name).string(); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

Trace read_all(Reader& reader) {
  Trace trace;
  trace.header = reader.header();
  Record record;
  while (reader.next(record)) trace.records.push_back(record);
  trace.footer = reader.footer();
  return trace;
}

/// The message of the InputError that reading these bytes gives; empty when there is none.
std::string error_of(const std::string& bytes) {
  try {
    Reader reader("t", bytes);
    read_all(reader);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

void expect_equal(const Trace& expected, const Trace& actual) {
  EXPECT_EQ(actual.header.program, expected.header.program);
  EXPECT_EQ(actual.header.scenario, expected.header.scenario);
  EXPECT_EQ(actual.header.scenario_name, expected.header.scenario_name);
  EXPECT_EQ(actual.header.schedule, expected.header.schedule);
  EXPECT_EQ(actual.header.seed, expected.header.seed);
  EXPECT_EQ(actual.header.detail, expected.header.detail);
  EXPECT_EQ(actual.header.system, expected.header.system);
  EXPECT_EQ(actual.header.nodes, expected.header.nodes);
  EXPECT_EQ(actual.header.kinds, expected.header.kinds);
  EXPECT_EQ(actual.header.levels, expected.header.levels);
  EXPECT_EQ(actual.header.level_scope_bits, expected.header.level_scope_bits);
  EXPECT_EQ(actual.header.level_final, expected.header.level_final);
  EXPECT_EQ(actual.header.level_agreement, expected.header.level_agreement);
  EXPECT_EQ(actual.header.level_values, expected.header.level_values);
  EXPECT_EQ(actual.header.branch, expected.header.branch);
  EXPECT_EQ(actual.header.phases, expected.header.phases);
  EXPECT_EQ(actual.header.observables, expected.header.observables);
  ASSERT_EQ(actual.header.kind_fields.size(), expected.header.kind_fields.size());
  for (std::size_t kind = 0; kind < expected.header.kind_fields.size(); ++kind) {
    const auto& fields = expected.header.kind_fields[kind];
    ASSERT_EQ(actual.header.kind_fields[kind].size(), fields.size());
    for (std::size_t index = 0; index < fields.size(); ++index) {
      EXPECT_EQ(actual.header.kind_fields[kind][index].name, fields[index].name);
      EXPECT_EQ(actual.header.kind_fields[kind][index].type, fields[index].type);
    }
  }
  ASSERT_EQ(actual.records.size(), expected.records.size());
  for (std::size_t index = 0; index < expected.records.size(); ++index) {
    EXPECT_EQ(actual.records[index], expected.records[index]) << "record " << index;
  }
  EXPECT_EQ(actual.footer.hash, expected.footer.hash);
  EXPECT_EQ(actual.footer.events, expected.footer.events);
  EXPECT_EQ(actual.footer.recorded, expected.footer.recorded);
  EXPECT_EQ(actual.footer.stop, expected.footer.stop);
  EXPECT_EQ(actual.footer.outcome, expected.footer.outcome);
}

std::string random_text(Random& random) {
  static constexpr std::array<std::string_view, 8> kParts{"a",    "\"", "\\", "\n",
                                                          "\x01", "é",  "€",  "😀"};
  std::string text;
  for (std::uint64_t count = random.below(6); count > 0; --count) {
    text += kParts[random.below(kParts.size())];
  }
  return text;
}

FieldValue random_value(Random& random) {
  switch (random.below(6)) {
    case 0:
      return random.next();
    case 1:
      return random.below(10);
    case 2:
      return -static_cast<std::int64_t>(random.below(UINT64_MAX >> 1)) - 1;
    case 3:
      return random.chance(0.5) ? Digest{random.next() | 1, random.next()} : Digest{random.next()};
    case 4:
      return NodeSet{static_cast<NodeId>(random.below(65536)), 3};
    default:
      return random_text(random);
  }
}

/// Any record that the format allows, the odd ones included.
Record random_record(Random& random, EventId id, Time time, const Header& header) {
  Record record;
  record.id = id;
  record.cause = random.chance(0.3) ? 0 : random.below(id);
  record.time = time;
  record.type = static_cast<EventType>(random.below(kEventTypes));
  record.node = static_cast<NodeId>(random.below(header.nodes));
  record.peer = static_cast<NodeId>(random.below(header.nodes));
  record.number = random.chance(0.5) ? random.below(4) : random.next();
  record.detail = static_cast<std::uint8_t>(random.below(6));
  if (random.chance(0.5)) record.value = Digest{random.next() | 1, random.next()};
  if (random.chance(0.3)) record.text = random_text(random);
  switch (record.type) {
    case EventType::drop:
      record.detail = static_cast<std::uint8_t>(random.below(kDropReasons));
      [[fallthrough]];
    case EventType::send:
    case EventType::deliver:
    case EventType::duplicate:
    case EventType::mutate:
      record.kind = static_cast<MessageKind>(random.below(header.kinds.size()));
      record.content = Digest{random.next() | 1, random.next()};
      if (record.type == EventType::deliver || record.type == EventType::drop) break;
      for (std::size_t count = header.kind_fields[record.kind].size(); count > 0; --count) {
        record.fields.push_back(random_value(random));
      }
      break;
    case EventType::submit:
      record.request = {{"one", random_value(random)}, {"two", random_value(random)}};
      break;
    case EventType::partition:
    case EventType::phase_end:
      record.node = record.peer = kNoNode;
      break;
    default:
      break;
  }
  return record;
}

class RoundTrip : public testing::TestWithParam<std::uint64_t> {};

// What is written is read back exactly, whatever the records hold.
TEST_P(RoundTrip, GivesBackEveryRecord) {
  Random random(GetParam());
  Trace trace = TraceBuilder(5).finish();
  trace.header.seed = random.next();
  trace.header.scenario = random_text(random);
  trace.header.schedule = random_text(random);
  trace.header.level_scope_bits = {12};
  trace.header.level_final = {random.chance(0.5)};
  trace.header.level_agreement = {random.chance(0.5)};
  trace.header.level_values = {{{Digest{~0ULL}, "move \"on\""}, {Digest{3, 4}, "x"}}};
  trace.header.branch = random_text(random);
  trace.header.kinds.push_back("Empty \"kind\"");
  trace.header.kind_fields.push_back({});
  trace.header.kinds.push_back("Mixed");
  trace.header.kind_fields.push_back({{"text", SemanticType::text},
                                      {"hash", SemanticType::hash},
                                      {"nodes", SemanticType::node_set}});
  EventId id = 0;
  std::int64_t time = 0;
  for (int count = 0; count < 500; ++count) {
    id += 1 + random.below(3);
    time += random.between(0, 1000);
    trace.records.push_back(random_record(random, id, time_of_microseconds(time), trace.header));
  }
  trace.footer.events = id;
  trace.footer.recorded = trace.records.size();
  const Folder folder;
  for (const char* name : {"t.jsonl.gz", "t.jsonl"}) {
    write_trace(folder.file(name), trace);
    expect_equal(trace, read_trace(folder.file(name)));
  }
}
INSTANTIATE_TEST_SUITE_P(Seeds, RoundTrip, testing::Range<std::uint64_t>(0, 20));

// Two non-negative numbers are the same whether they were signed or not.
TEST(TraceFile, ReadsNonNegativeNumbersAsUnsigned) {
  Trace trace = overtaking_trace();
  for (Record& record : trace.records) {
    if (!record.fields.empty()) record.fields[1] = std::int64_t{1};
  }
  const Folder folder;
  write_trace(folder.file("t.gz"), trace);
  expect_equal(overtaking_trace(), read_trace(folder.file("t.gz")));
}

// Texts from logs may hold any bytes; the file stays valid UTF-8.
TEST(TraceFile, ReplacesBytesThatAreNoUtf8) {
  TraceBuilder builder(1);
  builder.add(EventType::log, 0, 0).text = "a\xFF\xC0z\xE2\x82";
  const Folder folder;
  write_trace(folder.file("t"), builder.finish());
  EXPECT_EQ(read_trace(folder.file("t")).records[0].text,
            "a\xEF\xBF\xBD\xEF\xBF\xBDz\xEF\xBF\xBD\xEF\xBF\xBD");
}

// A run may be compared by its file: equal traces give equal bytes.
TEST(TraceFile, EqualTracesGiveEqualBytes) {
  const Folder folder;
  write_trace(folder.file("a.gz"), busy_trace());
  write_trace(folder.file("b.gz"), busy_trace());
  EXPECT_EQ(bytes_of(folder.file("a.gz")), bytes_of(folder.file("b.gz")));
}

// A reader never sees half a trace under its name, and nothing stays behind.
TEST(TraceFile, AppearsOnlyWhenFinished) {
  const Folder folder;
  const Trace trace = overtaking_trace();
  {
    Writer writer(folder.file("t.gz"), trace.header);
    writer.write(trace.records[0]);
    EXPECT_FALSE(std::filesystem::exists(folder.file("t.gz")));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  write_trace(folder.file("t.gz"), trace);
  EXPECT_TRUE(std::filesystem::exists(folder.file("t.gz")));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(TraceFile, SaysWhyAFileCannotBeCreatedOrOpened) {
  const Folder folder;
  const std::string path = folder.file("missing/t.gz");
  try {
    const Writer writer(path, overtaking_trace().header);
    FAIL() << "expected an InputError";
  } catch (const InputError& error) {
    EXPECT_EQ(error.what(), path + ": cannot be created: No such file or directory");
  }
  try {
    read_trace(path);
    FAIL() << "expected an InputError";
  } catch (const InputError& error) {
    EXPECT_EQ(error.what(), path + ": cannot be opened: No such file or directory");
  }
  EXPECT_THROW(read_trace(folder.path().string()), InputError);
}

/// A small trace as text lines, for damaging.
std::vector<std::string> sample_lines() {
  const Folder folder;
  write_trace(folder.file("t"), overtaking_trace());
  std::ifstream in(folder.file("t"));
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string join(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

std::string gzip(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

struct BadLine {
  const char* name;
  std::size_t line;  ///< 1 = header; 0 = footer
  const char* from;  ///< replaced by `to`; empty: the whole line
  const char* to;
  const char* error;  ///< "@" stands for the line number
};

void PrintTo(const BadLine& bad, std::ostream* out) {
  *out << bad.name;
}

class BadLines : public testing::TestWithParam<BadLine> {};

// Each mistake is reported with file, line, key, what was wrong and what was expected.
TEST_P(BadLines, AreReportedExactly) {
  const BadLine& bad = GetParam();
  std::vector<std::string> lines = sample_lines();
  const std::size_t number = bad.line == 0 ? lines.size() : bad.line;
  std::string& line = lines[number - 1];
  if (*bad.from == '\0') {
    line = bad.to;
  } else {
    const std::size_t at = line.find(bad.from);
    ASSERT_NE(at, std::string::npos) << line;
    line.replace(at, std::string_view(bad.from).size(), bad.to);
  }
  std::string expected = bad.error;
  expected.replace(expected.find('@'), 1, std::to_string(number));
  EXPECT_EQ(error_of(join(lines)), expected);
  EXPECT_EQ(error_of(gzip(join(lines))), expected);
}

constexpr const char* kNumberMessage =
    "t:@: seed: a negative integer, expected an integer of 0 to "
    "18446744073709551615";

INSTANTIATE_TEST_SUITE_P(
    Header, BadLines,
    testing::Values(
        BadLine{"version", 1, "trace/1", "trace/2",
                "t:@: format: \"dissensus-trace/2\", expected \"dissensus-trace/1\""},
        BadLine{"no_format", 1, "", "{}", "t:@: format: missing, this is no trace"},
        BadLine{"format_type", 1, "\"dissensus-trace/1\"", "1",
                "t:@: format: an integer, expected a text"},
        BadLine{"missing_key", 1, "\"seed\":7,", "", "t:@: seed: missing"},
        BadLine{"unknown_key", 1, "\"seed\"", "\"sead\"", "t:@: sead: unknown key"},
        BadLine{"twice", 1, "\"seed\":7", "\"seed\":7,\"seed\":8", "t:@: seed: given twice"},
        BadLine{"negative", 1, "\"seed\":7", "\"seed\":-7", kNumberMessage},
        BadLine{"overflow", 1, "\"seed\":7", "\"seed\":18446744073709551616",
                "t:@: seed: a number that is no 64-bit integer, expected an integer of 0 to "
                "18446744073709551615"},
        BadLine{"no_nodes", 1, "\"nodes\":3", "\"nodes\":0", "t:@: nodes: 0, expected at least 1"},
        BadLine{"many_nodes", 1, "\"nodes\":3", "\"nodes\":1001",
                "t:@: nodes: 1001 is too large, expected at most 1000"},
        BadLine{"detail", 1, "everything", "all",
                "t:@: detail: \"all\", expected hash, decisions or everything"},
        BadLine{"kind_key", 1, "\"fields\"", "\"feelds\"", "t:@: kinds[0].feelds: unknown key"},
        BadLine{"kind_twice", 1, "\"Commit\"", "\"Proposal\"",
                "t:@: kinds: \"Proposal\" is there twice"},
        BadLine{"field_type", 1, "\"type\":\"round\"", "\"type\":\"square\"",
                "t:@: kinds[0].fields[1].type: unknown type of field"},
        BadLine{"name_type", 1, "\"open\"", "5", "t:@: phases[0]: an integer, expected a text"}),
    [](const auto& test) { return test.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Record, BadLines,
    testing::Values(
        BadLine{"missing_id", 2, "\"id\":1,", "", "t:@: id: missing"},
        BadLine{"missing_type", 2, ",\"e\":\"start\"", "", "t:@: e: missing"},
        BadLine{"missing_node", 2, ",\"n\":0", "", "t:@: n: missing"},
        BadLine{"missing_kind", 7, "\"k\":\"Proposal\",", "", "t:@: k: missing"},
        BadLine{"missing_field", 7, ",\"round\":1", "", "t:@: f.round: missing"},
        BadLine{"unknown_field", 7, "\"round\":1", "\"square\":1", "t:@: f.square: unknown key"},
        BadLine{"field_twice", 7, "\"round\":1", "\"value\":1", "t:@: f.value: given twice"},
        BadLine{"field_value", 7, "\"round\":1", "\"round\":1.5",
                "t:@: f.round: a number that is no 64-bit integer, expected an integer, a text, a "
                "list of nodes or a tagged value"},
        BadLine{"field_digest", 7, "\"round\":1", "\"round\":\"xyz\"",
                "t:@: f.round: no digest, expected a decimal number or 32 hexadecimal digits"},
        BadLine{"field_tag", 7, "\"round\":1", "\"round\":{}",
                "t:@: f.round: expected either the key digest or the key text"},
        BadLine{"field_node", 7, "\"round\":1", "\"round\":[70000]",
                "t:@: f.round: 70000 is too large, expected at most 65535"},
        BadLine{"unknown_key", 2, "\"n\"", "\"node\"", "t:@: node: unknown key"},
        BadLine{"foreign_key", 2, "\"n\":0", "\"n\":0,\"k\":\"Commit\"",
                "t:@: k: not a key of a start event"},
        BadLine{"unknown_type", 2, "start", "begin", "t:@: e: there is no type of event \"begin\""},
        BadLine{"unknown_kind", 7, "\"k\":\"Proposal\"", "\"k\":\"Prepare\"",
                "t:@: k: there is no kind of message \"Prepare\""},
        BadLine{"unknown_level", 6, "\"l\":\"value\"", "\"l\":\"ledger\"",
                "t:@: l: there is no level \"ledger\""},
        BadLine{"level_index", 6, "\"l\":\"value\"", "\"l\":0",
                "t:@: l: an integer, expected a text"},
        BadLine{"node_range", 2, "\"n\":0", "\"n\":3",
                "t:@: n: there is no node 3, expected 0 to 2"},
        BadLine{"node_negative", 2, "\"n\":0", "\"n\":-1",
                "t:@: n: a negative integer, expected the number of a node"},
        BadLine{"peer_range", 7, "\"p\":1", "\"p\":9",
                "t:@: p: there is no node 9, expected 0 to 2"},
        BadLine{"time_type", 2, "\"t\":0", "\"t\":\"0\"",
                "t:@: t: a text, expected an integer of 0 to 31536000000000"},
        BadLine{"time_limit", 2, "\"t\":0", "\"t\":31536000000001",
                "t:@: t: 31536000000001 is too large, expected at most 31536000000000"},
        BadLine{"time_back", 8, "\"t\":1000", "\"t\":999",
                "t:@: t: 999 after 1000, expected times not to decrease"},
        BadLine{"id_same", 3, "\"id\":2", "\"id\":1",
                "t:@: id: 1 after 1, expected ids to increase"},
        BadLine{"id_zero", 2, "\"id\":1", "\"id\":0",
                "t:@: id: 0 after 0, expected ids to increase"},
        BadLine{"cause_self", 6, "\"c\":4", "\"c\":5", "t:@: c: 5 is no earlier event than 5"},
        BadLine{"digest", 6, "\"v\":\"1\"", "\"v\":\"one\"",
                "t:@: v: no digest, expected a decimal number or 32 hexadecimal digits"},
        BadLine{"list", 3, "", "[1]", "t:@: line: a list, expected an object"},
        BadLine{"empty", 3, "", "", "t:@: json: expected a value at column 1"},
        BadLine{"cut", 3, "}", "", "t:@: json: expected ',' or '}' at column 32"},
        BadLine{"trailing", 3, "}", "} x",
                "t:@: json: unexpected text after the value at column 34"},
        BadLine{"utf8", 3, "start", "st\xFFrt", "t:@: json: invalid UTF-8 at column 22"},
        BadLine{"control", 3, "start", "st\x01rt",
                "t:@: json: control character in a text at column 22"},
        BadLine{"escape", 3, "start", "st\\qrt", "t:@: json: unknown escape at column 23"},
        BadLine{"surrogate", 3, "start", "\\ud800",
                "t:@: json: half a surrogate pair at column 26"},
        BadLine{"leading_zero", 3, "\"t\":0", "\"t\":00",
                "t:@: json: a number with a leading zero at column 15"},
        BadLine{"second_header", 3, "", "{\"format\":\"dissensus-trace/1\"}",
                "t:@: format: unknown key"}),
    [](const auto& test) { return test.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Footer, BadLines,
    testing::Values(BadLine{"missing", 0, "", "{\"end\":{}}", "t:@: end.hash: missing"},
                    BadLine{"type", 0, "", "{\"end\":1}",
                            "t:@: end: an integer, expected an object"},
                    BadLine{"extra", 0, "{\"end\"", "{\"end\":{},\"end\"", "t:@: end: given twice"},
                    BadLine{"hash", 0, "0000000000001234", "1234",
                            "t:@: end.hash: no trace hash, expected 16 hexadecimal digits"},
                    BadLine{"count", 0, "\"recorded\":19", "\"recorded\":20",
                            "t:@: end.recorded: 20, but there are 19 records"},
                    BadLine{"events", 0, "\"events\":19", "\"events\":18",
                            "t:@: end.events: 18, but there is an event 19"},
                    BadLine{"outcome", 0, "\"fail\"", "\"failed\"",
                            "t:@: end.outcome: \"failed\", expected pass, fail or unknown"}),
    [](const auto& test) { return test.param.name; });

TEST(BadTrace, WithoutFooterIsIncomplete) {
  std::vector<std::string> lines = sample_lines();
  lines.pop_back();
  EXPECT_EQ(error_of(join(lines)), "t:21: end: missing, the trace is incomplete");
  EXPECT_EQ(error_of(lines[0]), "t:2: end: missing, the trace is incomplete");
}

TEST(BadTrace, WithAListForAHeaderIsRefused) {
  EXPECT_EQ(error_of("[]\n"), "t:1: format: neither gzip nor a JSON object, expected a trace");
  EXPECT_EQ(error_of(gzip("[]\n")), "t:1: line: a list, expected an object");
}

TEST(BadTrace, WithMoreAfterTheFooterIsRefused) {
  const std::string text = join(sample_lines());
  EXPECT_EQ(error_of(text + "{}\n"), "t:22: line: there is more after the end of the trace");
  EXPECT_EQ(error_of(gzip(text) + gzip("x\n")),
            "t:22: line: there is more after the end of the trace");
}

// Compressed files may be put together; a last newline is not needed.
TEST(GoodTrace, MayBeSeveralGzipMembersOrLackTheLastNewline) {
  const std::string text = join(sample_lines());
  EXPECT_EQ(error_of(gzip(text.substr(0, 700)) + gzip(text.substr(700))), "");
  EXPECT_EQ(error_of(text.substr(0, text.size() - 1)), "");
}

TEST(BadTrace, EmptyOrBinaryFilesAreRefusedAtOnce) {
  EXPECT_EQ(error_of(""), "t:1: format: the file is empty, expected a trace");
  EXPECT_EQ(error_of(std::string("\x7F"
                                 "ELF\0\0",
                                 6)),
            "t:1: format: neither gzip nor a JSON object, expected a trace");
  EXPECT_EQ(error_of(gzip("")), "t:1: format: missing, this is no trace");
}

// Every proper prefix of a compressed trace is an error, never a crash and never a success.
TEST(BadTrace, EveryTruncationIsNoticed) {
  const std::string bytes = gzip(join(sample_lines()));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_NE(error_of(bytes.substr(0, size)), "") << size << " of " << bytes.size();
  }
  EXPECT_EQ(error_of(bytes.substr(0, bytes.size() - 1)),
            "t:22: gzip: ends too early, the file was cut off");
}

TEST(BadTrace, DamagedCompressionIsNoticed) {
  std::string bytes = gzip(join(sample_lines()));
  bytes[bytes.size() - 8] = static_cast<char>(bytes[bytes.size() - 8] ^ 1);
  EXPECT_EQ(error_of(bytes), "t:22: gzip: damaged data (incorrect data check)");
  EXPECT_EQ(error_of("\x1F\x8B nonsense"), "t:1: gzip: damaged data (unknown compression method)");
}

// A deep document must not exhaust the stack.
TEST(BadTrace, DeepNestingIsRefused) {
  const std::string deep = "{\"format\":" + std::string(1'000'000, '[');
  EXPECT_EQ(error_of(deep), "t:1: json: nested too deeply at column 74");
}

// Data without end and without newline is refused after the longest line there may be.
TEST(BadTrace, EndlessLinesAreRefused) {
  const std::string nonsense = "{" + std::string(20u << 20, 'x');
  EXPECT_EQ(error_of(nonsense),
            "t:1: line: longer than 16777216 bytes, which no line of a trace is");
  EXPECT_EQ(error_of(gzip(nonsense)),
            "t:1: line: longer than 16777216 bytes, which no line of a trace is");
  const std::string numbers = "{\"format\":[" + [] {
    std::string text;
    for (int count = 0; count < 2'000'000; ++count) text += "0,";
    return text;
  }();
  EXPECT_THAT(error_of(numbers),
              testing::StartsWith("t:1: json: more values than a line may hold"));
}

// Whatever bytes change, the reader either reads or throws InputError.
TEST(BadTrace, RandomDamageNeverCrashes) {
  const std::string plain = join(sample_lines());
  const std::string packed = gzip(plain);
  Random random(3);
  std::size_t refused = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes = round % 4 == 0 ? packed : plain;
    for (std::uint64_t change = random.below(3); change < 3; ++change) {
      const std::size_t at = random.below(bytes.size());
      switch (random.below(3)) {
        case 0:
          bytes[at] = static_cast<char>(random.next());
          break;
        case 1:
          bytes.erase(at, random.below(8));
          break;
        default:
          bytes.insert(at, bytes.substr(random.below(bytes.size()), random.below(16)));
      }
    }
    const std::string error = error_of(bytes);
    if (error.empty()) continue;
    ++refused;
    EXPECT_EQ(error.find('\n'), std::string::npos) << error;
  }
  EXPECT_GT(refused, 15'000u);
}

}  // namespace
}  // namespace dissensus::trace
