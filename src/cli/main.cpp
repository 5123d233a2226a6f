#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/libraft_option.h"
#include "cli/program.h"
#include "core/suggestion.h"
#include "systems/live/wire/error.h"

namespace dissensus::cli {
namespace {

int fail(ExitCode code, std::string_view message) {
  fmt::print(stderr, "dissensus: {}\n", message);
  return code;
}

/// CLI11 says which words it did not expect; a person wants to know which word was meant.
std::string explain(const CLI::App& program, const CLI::ParseError& error) {
  std::string message = error.what();
  for (char& c : message) {
    if (c == '\n') c = ' ';
  }
  const CLI::App* verb = &program;
  for (const CLI::App* chosen : program.get_subcommands()) verb = chosen;
  std::vector<std::string> known;
  for (const CLI::Option* option : verb->get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  for (const std::string& word : verb->remaining()) {
    const std::string hint = suggestion(word, known);
    if (!hint.empty()) return fmt::format("unknown option '{}'{}", word, hint);
  }
  if (verb == &program) return message + " (see dissensus --help)";
  return fmt::format("{} (see dissensus {} --help)", message, verb->get_name());
}

int run_program(int argc, char** argv) {
  use_named_libraft(argc, argv);
  CLI::App program(
      "Dissensus finds the schedule on which your validators disagree, hands you the smallest "
      "one,\n"
      "and tells you why.",
      "dissensus");
  program.set_version_flag("--version", run::program_version());
  program.require_subcommand(1);
  program.footer(
      "Exit codes: 0 every property held, 1 a violation was found, 2 bad usage or input,\n"
      "3 verdict unknown, 4 internal fault, 5 trouble of the environment (real servers that do "
      "not\n"
      "start, a full disk).\n\n"
      "--libraft PREFIX, with any verb: scenarios of kind libraft run the library installed "
      "there.\n\n"
      "First steps:\n"
      "  dissensus list scenarios\n"
      "  dissensus hunt scenarios/majority/overtaken-commit.toml");

  const std::vector<Verb> verbs = add_verbs(program);
  hand_over(verbs, argc, argv);

  if (argc > 1 && argv[1][0] != '-' && argv[1][0] != '\0') {
    std::vector<std::string> names;
    bool known = false;
    for (const Verb& verb : verbs) {
      names.push_back(verb.app->get_name());
      known = known || names.back() == argv[1];
    }
    if (!known) {
      return fail(kBadInput, fmt::format("no verb '{}'{} (verbs: {})", argv[1],
                                         suggestion(argv[1], names), fmt::join(names, ", ")));
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
    const int code = cli::run_program(argc, argv);
    // A full disk shows itself when the last of the output is written.
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
      return cli::fail(cli::kBadInput,
                       fmt::format("standard output: cannot be written: {}", std::strerror(errno)));
    }
    return code;
  } catch (const InputError& error) {
    return cli::fail(cli::kBadInput, error.what());
  } catch (const live::LiveError& error) {
    const bool is_interrupted = error.what() == kInterrupted;
    return cli::fail(is_interrupted ? cli::kUnknown : cli::kEnvironment, error.what());
  } catch (const OutsideError& error) {
    return cli::fail(cli::kBadInput, error.what());
  } catch (const std::bad_alloc&) {
    return cli::fail(cli::kInternalFault, "out of memory");
  } catch (const std::exception& error) {
    return cli::fail(cli::kInternalFault, fmt::format("internal fault: {}", error.what()));
  }
}
