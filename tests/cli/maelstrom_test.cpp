// dissensus maelstrom test, with nodes as people write them for Maelstrom.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/command.h"

namespace dissensus::cli_test {
namespace {

using testing::HasSubstr;

/// Echoes; where `wrong` is a Python condition on its count of requests, it does something else.
std::string echo_node(const std::string& wrong, const std::string& instead) {
  return "#!/usr/bin/python3\n"
         "import json, sys\n"
         "asked = 0\n"
         "for line in sys.stdin:\n"
         "  message = json.loads(line)\n"
         "  body = message['body']\n"
         "  answer = {'type': body['type'] + '_ok', 'in_reply_to': body['msg_id']}\n"
         "  if body['type'] == 'echo':\n"
         "    asked += 1\n"
         "    answer['echo'] = body['echo']\n"
         "    if " +
         wrong + ": " + instead +
         "\n"
         "  print(json.dumps({'src': message['dest'], 'dest': message['src'], 'body': answer}), "
         "flush=True)\n";
}

class Maelstrom : public testing::Test {
 protected:
  std::vector<std::string> words(const std::string& program, std::vector<std::string> more = {}) {
    const fs::path path = folder_.file("node.py");
    write_text(path, program);
    fs::permissions(path, fs::perms(0755));
    std::vector<std::string> words{
        "maelstrom",    "test", "-w",           "echo", "--bin",       "node.py",
        "--node-count", "1",    "--time-limit", "1",    "--rate",      "10",
        "--test-count", "2",    "--jobs",       "1",    "--no-shrink", "--no-report"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  const WorkFolder folder_;
};

TEST_F(Maelstrom, ANodeThatDoesWhatItPromisesPasses) {
  const CommandResult result =
      folder_.run(words(echo_node("False", "pass"), {"--availability", "total"}));
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("scenario  runs/maelstrom-echo.toml"));
  EXPECT_THAT(result.out, HasSubstr("found nothing after 2 runs"));
  // What was hunted is a scenario as any other.
  EXPECT_EQ(folder_.run({"run", "runs/maelstrom-echo.toml"}).exit_code, 0);
}

TEST_F(Maelstrom, AWrongAnswerIsAFinding) {
  const CommandResult result = folder_.run(
      words(echo_node("asked == 3", "answer['echo'] = 'something else'"), {"--no-such-option"}));
  EXPECT_EQ(result.exit_code, 2);
  const CommandResult found =
      folder_.run(words(echo_node("asked == 3", "answer['echo'] = 'something else'")));
  EXPECT_EQ(found.exit_code, 1) << found.out << found.err;
  EXPECT_THAT(found.out, HasSubstr("history      fail"));
  EXPECT_EQ(folder_.run({"replay", "runs/latest"}).exit_code, 1);
}

TEST_F(Maelstrom, QuestionsThatFailAreCountedWhereAvailabilityIsPromised) {
  const std::string node = echo_node(
      "asked % 4 == 0", "answer = {'type': 'error', 'code': 11, 'in_reply_to': body['msg_id']}");
  EXPECT_EQ(folder_.run(words(node, {"--availability", "0.5"})).exit_code, 0);
  const CommandResult result = folder_.run(words(node, {"--availability", "total"}));
  EXPECT_EQ(result.exit_code, 1) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("questions succeeded, expected 100 %"));
}

TEST_F(Maelstrom, AServiceAnswersBeforeTheNodeHasBegun) {
  const std::string node =
      "#!/usr/bin/python3\n"
      "import json, sys\n"
      "def tell(dest, body): print(json.dumps({'src': 'n0', 'dest': dest, 'body': body}), "
      "flush=True)\n"
      "begin = json.loads(sys.stdin.readline())\n"
      "tell('lww-kv', {'type': 'write', 'key': 'root', 'value': 1, 'msg_id': 1})\n"
      "assert json.loads(sys.stdin.readline())['body']['type'] == 'write_ok'\n"
      "tell(begin['src'], {'type': 'init_ok', 'in_reply_to': begin['body']['msg_id']})\n"
      "for line in sys.stdin:\n"
      "  message = json.loads(line)\n"
      "  body = message['body']\n"
      "  tell(message['src'], {'type': 'echo_ok', 'echo': body['echo'], 'in_reply_to': "
      "body['msg_id']})\n";
  const CommandResult result = folder_.run(words(node, {"--availability", "total"}));
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
}

TEST_F(Maelstrom, OptionsThatMeanNothingAreRefusedInOneLine) {
  const std::string node = echo_node("False", "pass");
  for (const auto& [option, value, expected] :
       {std::tuple{"--concurrency", "4x", "--concurrency 4x: expected a number of clients"},
        std::tuple{"--nemesis", "fire", "--nemesis"},
        std::tuple{"--topology", "line", "--topology: means nothing to echo; it is for broadcast"},
        std::tuple{"--key-count", "3", "--key-count: means nothing to echo"},
        std::tuple{"--nemesis-interval", "3", "--nemesis-interval: without --nemesis"},
        std::tuple{"--availability", "most", "--availability most: expected total"}}) {
    const CommandResult result = folder_.run(words(node, {option, value}));
    EXPECT_EQ(result.exit_code, 2) << option;
    EXPECT_THAT(result.err, HasSubstr(expected));
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }
}

}  // namespace
}  // namespace dissensus::cli_test
