// Bad input never gets far: exit code 2, exactly one line on standard error that names the file and
// the line or key, nothing on standard output, nothing written, in bounded time and memory.
#include <algorithm>
#include <chrono>
#include <functional>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <zlib.h>

#include "cli/command.h"

namespace dissensus::cli_test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr std::string_view kScenario = R"(format = "dissensus-scenario/1"
name = "input"
[system]
kind = "majority"
values = [1, 1, 0]
rounds = 2
[network]
latency = "5ms"
loss = 0.0
[[network.link]]
from = 0
to = 2
latency = "40ms"
[limits]
events = 1000
)";

constexpr std::string_view kSchedule = R"({
  "format": "dissensus-schedule/1",
  "system": "majority",
  "nodes": 3,
  "delays_ms": {"Proposal": {"0>2": 250}},
  "faults": [
    {"type": "crash", "node": 2, "at": "3s"}
  ]
}
)";

std::string compressed(std::string_view text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string result(deflateBound(&stream, text.size()) + 32, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  result.resize(stream.total_out);
  deflateEnd(&stream);
  return result;
}

std::string uncompressed(std::string_view bytes) {
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  std::string result(1u << 20, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  result.resize(stream.total_out);
  inflateEnd(&stream);
  return result;
}

/// The trace of a real run, as plain lines.
std::string sample_trace() {
  const WorkFolder folder;
  EXPECT_EQ(record_failing_run(folder).exit_code, 1);
  return uncompressed(read_text(folder.file("runs/latest/trace.jsonl.gz")));
}

/// The commands that read a file of one kind.
using Commands = std::vector<std::vector<std::string>>;
Commands scenario_commands(const std::string& file) {
  return {{"run", file}, {"hunt", file}, {"check", file}};
}
Commands schedule_commands(const std::string& file) {
  return {{"run", "good.toml", "--schedule", file}, {"check", "good.toml", "--schedule", file}};
}
Commands trace_commands(const std::string& file) {
  return {{"replay", file}, {"export", file, "--to", "json"}};
}

void expect_refusal(const CommandResult& result, const std::string& file,
                    const std::string& expected) {
  EXPECT_EQ(result.exit_code, 2) << result.err;
  EXPECT_THAT(result.err, StartsWith("dissensus: " + file));
  EXPECT_THAT(result.err, HasSubstr(expected));
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  EXPECT_LT(result.err.size(), 1500u);
  EXPECT_THAT(result.out, IsEmpty());
}

struct BadFile {
  std::string name;      ///< what is wrong with it
  std::string content;   ///< bytes of the file
  std::string expected;  ///< part of the one line that is printed
};

void expect_all_refused(const std::vector<BadFile>& files,
                        const std::function<Commands(const std::string&)>& commands_for) {
  for (const BadFile& bad : files) {
    const WorkFolder folder;
    folder.write("good.toml", kScenario);
    folder.write("bad", bad.content);
    const std::vector<std::string> before = folder.content();
    for (const std::vector<std::string>& command : commands_for("bad")) {
      SCOPED_TRACE(bad.name + ", dissensus " + command[0]);
      expect_refusal(folder.run(command), "bad", bad.expected);
      EXPECT_EQ(folder.content(), before);
    }
  }
}

std::string scenario_with(std::string_view from, std::string_view to) {
  return replaced(std::string(kScenario), from, to);
}
std::string schedule_with(std::string_view from, std::string_view to) {
  return replaced(std::string(kSchedule), from, to);
}
std::string repeated(std::string_view part, std::size_t count) {
  std::string result;
  for (std::size_t i = 0; i < count; ++i) result += part;
  return result;
}
std::string binary_garbage() {
  std::string bytes;
  for (unsigned i = 0; i < 5000; ++i) bytes += static_cast<char>((i * 2654435761u) >> 13 & 0xFF);
  return bytes;
}

TEST(BadScenario, IsRefusedWithFileLineAndKey) {
  expect_all_refused(
      {{"missing key", scenario_with("values = [1, 1, 0]\n", ""), "bad:3: system.values: missing"},
       {"missing table", "format = \"dissensus-scenario/1\"\nname = \"x\"\n", "system: missing"},
       {"unknown key", scenario_with("loss", "los"), "bad:9: network.los: unknown key"},
       {"unknown table", scenario_with("[limits]", "[limit]"), "limit: unknown key"},
       {"wrong type", scenario_with("rounds = 2", "rounds = \"two\""),
        "bad:6: system.rounds: expected an integer, found a text"},
       {"negative number", scenario_with("rounds = 2", "rounds = -2"),
        "bad:6: system.rounds: expected an integer from 1 to 1000000, found -2"},
       {"negative duration", scenario_with("\"5ms\"", "\"-5ms\""), "bad:8: network.latency: "},
       {"overflowing number", scenario_with("rounds = 2", "rounds = 99999999999999999999"),
        "bad:6: "},
       {"overflowing duration", scenario_with("\"5ms\"", "\"9999999999999999h\""),
        "bad:8: network.latency: "},
       {"node out of range", scenario_with("to = 2", "to = 3"),
        "bad:12: network.link[0].to: expected an integer from 0 to 2, found 3"},
       {"wrong version", scenario_with("dissensus-scenario/1", "dissensus-scenario/9"),
        "bad:1: format: expected"},
       {"unknown system", scenario_with("\"majority\"", "\"majorty\""), "did you mean 'majority'?"},
       {"line breaks in a value", scenario_with("\"majority\"", "\"a\\nb\\u001b[31m\""),
        "bad:4: system.kind: "},
       {"name that leaves the folder", scenario_with("\"input\"", "\"../../input\""),
        "bad:2: name: "},
       {"deep nesting", scenario_with("2\n", repeated("[", 3000) + repeated("]", 3000) + "\n"),
        "bad:6: "},
       {"deep dotted key", "a" + repeated(".a", 3000) + " = 1\n", "bad:1: "},
       {"gzip", compressed(kScenario), "bad:1: "},
       {"binary garbage", binary_garbage(), "bad:1: "},
       {"half a file", std::string(kScenario.substr(0, 66)), "bad:"},
       {"empty", "", "format: missing"}},
      scenario_commands);
}

TEST(BadSchedule, IsRefusedWithFileLineAndKey) {
  expect_all_refused(
      {{"missing key", schedule_with("  \"nodes\": 3,\n", ""), "bad:1: nodes: missing"},
       {"missing key of a fault", schedule_with("\"node\": 2, ", ""), "bad:7: faults[0].node: "},
       {"unknown key", schedule_with("\"faults\"", "\"fault\""), "bad:6: fault: unknown key"},
       {"wrong type", schedule_with("\"3s\"", "3"), "faults[0].at: expected a duration"},
       {"negative number", schedule_with("250", "-250"),
        "bad:5: delays_ms.Proposal.0>2: expected an integer from 0 to 3600000, found -250"},
       {"overflowing number", schedule_with("250", "99999999999999999999"), "bad:5: "},
       {"huge exponent", schedule_with("250", "1e999"), "bad:5: "},
       {"node out of range", schedule_with("\"node\": 2", "\"node\": 3"),
        "faults[0].node: expected an integer from 0 to 2, found 3"},
       {"gene out of range", schedule_with("0>2", "0>7"), "bad:5: delays_ms.Proposal.0>7: "},
       {"wrong version", schedule_with("schedule/1", "schedule/2"), "bad:2: format: expected"},
       {"other system", schedule_with("\"majority\"", "\"xrpl\""), "bad:3: system: "},
       {"other number of nodes", schedule_with("\"nodes\": 3", "\"nodes\": 4"), "bad:4: nodes: "},
       {"key twice", schedule_with("\"nodes\": 3", "\"nodes\": 3, \"nodes\": 3"), "bad:4: nodes: "},
       {"deep nesting", repeated("[", 100'000), "bad:1: nested too deeply"},
       {"deep nesting of tables", repeated("{\"a\":", 100'000), "bad:1: nested too deeply"},
       {"gzip", compressed(kSchedule), "bad:1: not valid JSON"},
       {"binary garbage", binary_garbage(), "bad:1: not valid JSON"},
       {"half a file", std::string(kSchedule.substr(0, 90)), "not valid JSON"},
       {"more behind the end", std::string(kSchedule) + "{}", "not valid JSON"},
       {"list instead of an object", "[]", "bad:1: expected a JSON object, found a list"},
       {"empty", "", "bad:1: not valid JSON"}},
      schedule_commands);
}

TEST(BadTrace, IsRefusedWithFileLineAndKey) {
  const std::string trace = sample_trace();
  const std::string gzip = compressed(trace);
  const auto with = [&trace](std::string_view from, std::string_view to) {
    return replaced(trace, from, to);
  };
  std::string flipped = gzip;
  flipped[flipped.size() / 2] = static_cast<char>(flipped[flipped.size() / 2] ^ 0x20);
  expect_all_refused(
      {{"missing key", with("\"id\":1,", ""), "bad:2: id: missing"},
       {"missing key of the header", with("\"nodes\":3,", ""), "bad:1: nodes: missing"},
       {"unknown key", with("\"id\":1,", "\"id\":1,\"colour\":2,"), "bad:2: colour: "},
       {"wrong type", with("\"id\":1,", "\"id\":\"one\","), "bad:2: id: "},
       {"negative number", with("\"id\":1,", "\"id\":-1,"), "bad:2: id: "},
       {"overflowing number", with("\"id\":1,", "\"id\":99999999999999999999,"), "bad:2: "},
       {"node out of range", with("\"e\":\"start\",\"n\":0", "\"e\":\"start\",\"n\":3"),
        "bad:2: n: "},
       {"unknown event", with("\"e\":\"start\"", "\"e\":\"stort\""), "bad:2: e: "},
       {"line breaks in a value", with("\"phase\":\"voting\"", "\"phase\":\"a\\nb\""),
        "bad:4: phase: "},
       {"wrong version", with("dissensus-trace/1", "dissensus-trace/7"), "bad:1: format: "},
       {"truncated", trace.substr(0, trace.size() * 2 / 3), "bad:"},
       {"no end", trace.substr(0, trace.rfind("{\"end\"")), ": end: missing"},
       {"truncated gzip", gzip.substr(0, gzip.size() / 2), ": gzip: "},
       {"gzip without its checksum", gzip.substr(0, gzip.size() - 6), ": gzip: "},
       {"damaged gzip", flipped, "bad:"},
       {"gzip of nothing", compressed(""), "bad:1: format: "},
       {"deep nesting", repeated("{\"a\":", 100'000), "bad:1: "},
       {"binary garbage", binary_garbage(), "bad:1: "},
       {"gzip of garbage", compressed(binary_garbage()), "bad:1: "},
       {"JSON of another kind", std::string(kSchedule), "bad:1: "},
       {"empty", "", "bad:1: format: the file is empty"}},
      trace_commands);
}

TEST(BadTrace, ItsScenarioAndScheduleAreCheckedOnReplay) {
  const std::string trace = sample_trace();
  const WorkFolder folder;
  folder.write("bad", replaced(trace, "values = [1, 1, 0]", "values = [1, 1, true]"));
  expect_refusal(folder.run({"replay", "bad"}), "bad", "system.values[2]: ");
  EXPECT_EQ(folder.content(), std::vector<std::string>{"bad"});
}

TEST(BadPath, DirectoriesAndMissingFilesAreRefused) {
  const WorkFolder folder;
  folder.write("good.toml", kScenario);
  fs::create_directory(folder.file("folder"));
  const std::vector<std::string> before = folder.content();
  for (const auto& commands_for : {scenario_commands, schedule_commands, trace_commands}) {
    for (const std::string path : {"folder", "missing"}) {
      for (const std::vector<std::string>& command : commands_for(path)) {
        SCOPED_TRACE(command[0] + " " + path);
        expect_refusal(folder.run(command), path, "");
        EXPECT_EQ(folder.content(), before);
      }
    }
  }
}

/// Far below the gigabyte that the files are or become. The program itself counts as well, which
/// is large with sanitizers.
long memory_kib_max(const WorkFolder& folder) {
  return folder.run({"--version"}).memory_kib_max + 100 * 1024;
}

TEST(HugeFile, IsRefusedQuicklyAndInLittleMemory) {
  constexpr std::uintmax_t kBytes = 1u << 30;
  for (const std::string beginning : {"", "{", "{\"a\": \"", "[\n"}) {
    const WorkFolder folder;
    folder.write("good.toml", kScenario);
    folder.write("bad", beginning);
    fs::resize_file(folder.file("bad"), kBytes);  // sparse
    for (const auto& commands_for : {scenario_commands, schedule_commands, trace_commands}) {
      for (const std::vector<std::string>& command : commands_for("bad")) {
        SCOPED_TRACE(command[0] + " '" + beginning + "'");
        const auto start = std::chrono::steady_clock::now();
        const CommandResult result = folder.run(command);
        EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
        expect_refusal(result, "bad", "");
        EXPECT_LT(result.memory_kib_max, memory_kib_max(folder));
        EXPECT_FALSE(fs::exists(folder.file("runs")));
      }
    }
  }
}

TEST(HugeFile, AGzipBombIsRefusedQuicklyAndInLittleMemory) {
  const std::string member = compressed("{\"a\": \"" + std::string(20u << 20, 'a'));
  const WorkFolder folder;
  folder.write("bad", repeated(member, 50));
  for (const std::vector<std::string>& command : trace_commands("bad")) {
    const CommandResult result = folder.run(command);
    expect_refusal(result, "bad", "bad:1: line: longer than ");
    EXPECT_LT(result.memory_kib_max, memory_kib_max(folder));
  }
}

}  // namespace
}  // namespace dissensus::cli_test
