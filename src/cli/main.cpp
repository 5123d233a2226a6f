#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "cli/help.h"
#include "cli/libraft_option.h"
#include "cli/program.h"
#include "cli/usage_error.h"
#include "core/file.h"
#include "core/suggestion.h"

namespace dissensus::cli {
namespace {

int fail(ExitCode code, std::string_view message) {
  fmt::print(stderr, "dissensus: {}\n", message);
  return code;
}

constexpr std::string_view kFooter =
    R"(First steps:
  dissensus list scenarios
  dissensus hunt scenarios/majority/overtaken-commit.toml
  dissensus help hunt

Exit codes: 0 every property held (or: it is done), 1 a violation was found, 2
bad usage or input, 3 verdict unknown or interrupted, 4 internal fault, 5 trouble
of the environment (servers that do not start, a full disk).

With any verb, --libraft PREFIX: scenarios of kind libraft use the library that
is installed there.
)";

/// "help hunt" is what many try first: the same as "hunt --help".
std::vector<char*> without_help_word(int argc, char** argv) {
  static char option[] = "--help";
  std::vector<char*> words(argv, argv + argc);
  if (argc > 1 && std::string_view(argv[1]) == "help") {
    words.erase(words.begin() + 1);
    words.push_back(option);
  }
  words.push_back(nullptr);
  return words;
}

int run_program(int argc, char** argv) {
  use_named_libraft(argc, argv);
  CLI::App program(
      "Dissensus finds bugs in consensus protocols and in the programs that implement them: it "
      "searches for the schedule that breaks yours, shrinks it, and explains it.",
      "dissensus");
  program.formatter(make_help_formatter());
  program.set_version_flag("--version", run::program_version());
  program.require_subcommand(1);

  const std::vector<Verb> verbs = add_verbs(program);
  hand_over(verbs, argc, argv);
  // Not before the verbs are there: they would take it over.
  program.footer(fmt::format("{}{}\n", kFooter, note_on_verbs()));
  group_by_intent(program);
  refuse_numbers_that_do_not_fit(program);
  if (argc == 1) {
    fmt::print(stderr, "{}", program.help());
    return kBadInput;
  }

  if (argv[1][0] != '-' && argv[1][0] != '\0') {
    std::vector<std::string> names;
    for (const Verb& verb : verbs) names.push_back(verb.app->get_name());
    if (std::find(names.begin(), names.end(), argv[1]) == names.end()) {
      std::vector<std::string> known = names;
      known.insert(known.end(), {"--help", "--version"});
      return fail(kBadInput, fmt::format("no verb '{}'{} (dissensus --help lists all verbs)",
                                         argv[1], suggestion(argv[1], known)));
    }
  }
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& request) {  // --help, --version
    return program.exit(request);
  } catch (const CLI::ParseError& error) {
    return fail(kBadInput, explain(program, error));
  }
  for (const Verb& verb : verbs) {
    if (verb.app->parsed()) return verb.execute();
  }
  return kBadInput;
}

}  // namespace
}  // namespace dissensus::cli

int main(int argc, char** argv) {
  using namespace dissensus;
  try {
    std::vector<char*> words = cli::without_help_word(argc, argv);
    const int code = cli::run_program(static_cast<int>(words.size()) - 1, words.data());
    // A full disk shows itself when the last of the output is written.
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
      throw EnvironmentError(
          fmt::format("standard output: cannot be written: {}", std::strerror(errno)));
    }
    return code;
  } catch (const std::exception& error) {
    const cli::Failure failure = cli::failure_of(error);
    return cli::fail(failure.code, failure.text);
  }
}
