#include "conform/tlc.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dissensus/options.h"

namespace dissensus::conform {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kOutputBytesMax = std::size_t{256} << 20;

/// The number that ends right before `phrase`, at its last occurrence.
std::optional<std::uint64_t> number_before(const std::string& text, std::string_view phrase) {
  const std::size_t end = text.rfind(phrase);
  if (end == std::string::npos) return std::nullopt;
  std::string digits;
  for (std::size_t i = end; i > 0; --i) {
    const char c = text[i - 1];
    if (c == ',') continue;
    if (c < '0' || c > '9') break;
    digits.insert(digits.begin(), c);
  }
  std::uint64_t number = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc{} || digits.empty()) return std::nullopt;
  return number;
}

std::string line_with(const std::string& text, std::string_view phrase) {
  const std::size_t at = text.find(phrase);
  if (at == std::string::npos) return {};
  const std::size_t begin = text.rfind('\n', at) + 1;  // npos + 1 is 0
  return text.substr(begin, text.find('\n', at) - begin);
}

/// Runs a program to its end; both its streams.
std::string output_of(const std::vector<std::string>& words) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw InputError(fmt::format("pipe: {}", std::strerror(errno)));
  const pid_t child = fork();
  if (child == 0) {
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    dup2(ends[1], STDOUT_FILENO);
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  close(ends[1]);
  std::string text;
  std::array<char, 4096> buffer{};
  for (;;) {
    const ssize_t count = child < 0 ? 0 : read(ends[0], buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(count));
    if (text.size() <= kOutputBytesMax) continue;
    kill(child, SIGKILL);
    break;
  }
  close(ends[0]);
  int status = 0;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (child < 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 127)) {
    throw InputError(fmt::format("TLC: cannot run {}", words[0]));
  }
  if (text.size() > kOutputBytesMax) {
    throw InputError(fmt::format("TLC: printed more than {} MB", kOutputBytesMax >> 20));
  }
  return text;
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (fs::temp_directory_path() / "dissensus-tlc-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw InputError("no temporary folder can be made");
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

TlcAnswer parse_tlc_output(const std::string& text) {
  TlcAnswer answer;
  answer.generated = number_before(text, " states generated");
  answer.distinct = number_before(text, " distinct states found");
  constexpr std::string_view kDepth = "depth of the complete state graph search is ";
  if (const std::size_t at = text.rfind(kDepth); at != std::string::npos) {
    std::uint64_t depth = 0;
    std::from_chars(text.data() + at + kDepth.size(), text.data() + text.size(), depth);
    answer.depth = depth;
  }
  const auto contains = [&](std::string_view phrase) {
    return text.find(phrase) != std::string::npos;
  };
  answer.message = line_with(text, "Error:");
  if (contains("Deadlock reached")) {
    answer.result = "deadlock";
  } else if (contains("Assumption") && contains("is false")) {
    answer.result = "assumption";
  } else if (contains("is violated") || contains("was violated") || contains("were violated")) {
    answer.result = "violation";
  } else if (contains("No error has been found")) {
    answer.result = "ok";
  } else {
    answer.result = "error";
    if (answer.message.empty()) answer.message = line_with(text, "rror");
  }
  return answer;
}

TlcAnswer ask_tlc(const TlcQuestion& question) {
  // Several jars may be joined by ':', as for Java itself.
  if (question.jar.find(':') == std::string::npos && !fs::exists(question.jar)) {
    throw InputError(fmt::format("{}: no such file, expected TLC's jar", question.jar));
  }
  const TemporaryFolder folder;
  std::vector<std::string> words{question.java,
                                 "-XX:+UseSerialGC",
                                 "-cp",
                                 question.jar,
                                 "tlc2.TLC",
                                 "-workers",
                                 "1",
                                 "-nowarning",
                                 "-noGenerateSpecTE",
                                 "-metadir",
                                 folder.path().string()};
  if (question.ignore_deadlock) words.emplace_back("-deadlock");  // TLC's word for that
  if (!question.config.empty()) {
    words.emplace_back("-config");
    words.push_back(fs::absolute(question.config).string());
  }
  words.push_back(question.spec);
  const auto start = std::chrono::steady_clock::now();
  TlcAnswer answer = parse_tlc_output(output_of(words));
  answer.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return answer;
}

std::string disagreement(const tla::CheckResult& ours, const TlcAnswer& theirs) {
  const std::string_view result = tla::to_string(ours.outcome);
  if (result != theirs.result) {
    return fmt::format("result {} here, {} by TLC{}{}", result, theirs.result,
                       theirs.message.empty() ? "" : ": ", theirs.message);
  }
  // Where a search stops early, how far it came depends on the order of successors; TLC counts
  // classes of symmetric states also where it checks liveness.
  if (ours.outcome != tla::CheckOutcome::ok || ours.left_out_symmetry) return {};
  const auto compare = [](std::string_view what, std::uint64_t mine,
                          std::optional<std::uint64_t> other) -> std::string {
    if (!other || *other == mine) return {};
    return fmt::format("{} {} here, {} by TLC", mine, what, *other);
  };
  for (const std::string& text : {compare("distinct states", ours.distinct, theirs.distinct),
                                  compare("generated states", ours.generated, theirs.generated),
                                  compare("levels", ours.depth, theirs.depth)}) {
    if (!text.empty()) return text;
  }
  return {};
}

}  // namespace dissensus::conform
