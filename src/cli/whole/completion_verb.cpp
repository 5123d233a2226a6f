#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "cli/answer.h"
#include "cli/verb.h"

namespace dissensus::cli {

namespace {

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

/// The words that an option or argument takes: "TEXT:{bash,zsh,fish}" says so.
std::vector<std::string> values_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t begin = type.find('{');
  const std::size_t end = type.find('}', begin == std::string::npos ? 0 : begin);
  std::vector<std::string> values;
  if (begin == std::string::npos || end == std::string::npos) return values;
  std::string word;
  for (std::size_t i = begin + 1; i <= end; ++i) {
    if (i == end || type[i] == ',') {
      values.push_back(std::exchange(word, {}));
    } else {
      word += type[i];
    }
  }
  return values;
}

/// What the program lists by itself, plugins left out.
std::string_view listed_by(std::string_view option) {
  if (option == "search") return "searches";
  if (option == "fitness") return "fitness";
  if (option == "faults") return "faults";
  return {};
}

std::vector<const CLI::App*> verbs_of(const CLI::App& program) {
  return program.get_subcommands([](const CLI::App*) { return true; });
}

std::string bash_script(const CLI::App& program) {
  std::vector<std::string> names;
  std::string cases;
  std::string values;
  for (const CLI::App* verb : verbs_of(program)) {
    names.push_back(verb->get_name());
    std::vector<std::string> arguments;
    for (const CLI::App* part : verbs_of(*verb)) arguments.push_back(part->get_name());
    for (const CLI::Option* option : verb->get_options()) {
      const std::vector<std::string> words = values_of(*option);
      if (option->get_lnames().empty()) {
        arguments.insert(arguments.end(), words.begin(), words.end());
        continue;
      }
      const std::string name = option->get_lnames().front();
      if (!words.empty()) {
        values += fmt::format("    {}:--{}) values=\"{}\" ;;\n", verb->get_name(), name,
                              fmt::join(words, " "));
      } else if (const std::string_view what = listed_by(name); !what.empty()) {
        values += fmt::format(
            "    {}:--{}) values=\"$(dissensus list {} 2>/dev/null | cut -d' ' -f1)\" ;;\n",
            verb->get_name(), name, what);
      }
    }
    cases += fmt::format("    {}) words=\"{}\"; arguments=\"{}\" ;;\n", verb->get_name(),
                         fmt::join(option_names(*verb), " "), fmt::join(arguments, " "));
  }
  return fmt::format(
      "# bash completion for dissensus: source <(dissensus completion bash)\n"
      "_dissensus() {{\n"
      "  local current=\"${{COMP_WORDS[COMP_CWORD]}}\" words=\"\" arguments=\"\" values=\"\"\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W \"{} --help --version\" -- \"$current\"))\n"
      "    return\n"
      "  fi\n"
      "  case \"${{COMP_WORDS[1]}}\" in\n{}  esac\n"
      "  case \"${{COMP_WORDS[1]}}:${{COMP_WORDS[COMP_CWORD-1]}}\" in\n{}  esac\n"
      "  if [ -n \"$values\" ]; then\n"
      "    COMPREPLY=($(compgen -W \"$values\" -- \"$current\"))\n"
      "    return\n"
      "  fi\n"
      "  case \"$current\" in\n"
      "    -*) COMPREPLY=($(compgen -W \"$words\" -- \"$current\")) ;;\n"
      "    *) compopt -o default 2>/dev/null; COMPREPLY=($(compgen -W \"$arguments\" -- "
      "\"$current\")) ;;\n"
      "  esac\n"
      "}}\n"
      "complete -F _dissensus dissensus\n",
      fmt::join(names, " "), cases, values);
}

std::string zsh_script(const CLI::App& program) {
  return "#compdef dissensus\n# zsh completion for dissensus: source <(dissensus completion zsh)\n"
         "autoload -U +X bashcompinit && bashcompinit\n" +
         bash_script(program);
}

std::string fish_script(const CLI::App& program) {
  std::string script = "# fish completion for dissensus: dissensus completion fish | source\n";
  for (const CLI::App* verb : verbs_of(program)) {
    script += fmt::format("complete -c dissensus -n __fish_use_subcommand -a {} -d '{}'\n",
                          verb->get_name(), verb->get_description());
    for (const CLI::Option* option : verb->get_options()) {
      for (const std::string& name : option->get_lnames()) {
        script += fmt::format("complete -c dissensus -n '__fish_seen_subcommand_from {}' -l {}",
                              verb->get_name(), name);
        const std::vector<std::string> words = values_of(*option);
        if (!words.empty()) script += fmt::format(" -x -a '{}'", fmt::join(words, " "));
        script += '\n';
      }
    }
  }
  return script;
}

struct CompletionOptions {
  std::string shell;
  OutputOptions output;
};

struct CompletionAnswer {
  std::string shell;
  std::string script;
};
DISSENSUS_DESCRIBE(CompletionAnswer, shell, script)
const AnswerRegistration kCompletionAnswer = answers_with<CompletionAnswer>("completion");

ExitCode complete(const CLI::App& program, const CompletionOptions& options) {
  const std::string script = options.shell == "bash"  ? bash_script(program)
                             : options.shell == "zsh" ? zsh_script(program)
                                                      : fish_script(program);
  print_answer(options.output, CompletionAnswer{options.shell, script}, script);
  return kAllHeld;
}

}  // namespace

Verb add_completion_verb(CLI::App& program) {
  CLI::App* app = program.add_subcommand("completion", "Print a shell's completion script");
  const auto options = std::make_shared<CompletionOptions>();
  app->add_option("shell", options->shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  app->footer("Example:\n  source <(dissensus completion bash)");
  options->output.add_to(*app);
  return {app, [options, &program] { return complete(program, *options); }};
}

}  // namespace dissensus::cli
