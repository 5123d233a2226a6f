#include <fmt/format.h>

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

std::vector<const CLI::App*> verbs_of(const CLI::App& program) {
  return program.get_subcommands([](const CLI::App*) { return true; });
}

void print_bash(const CLI::App& program) {
  std::vector<std::string> names;
  std::string cases;
  for (const CLI::App* verb : verbs_of(program)) {
    names.push_back(verb->get_name());
    cases += fmt::format("    {}) words=\"{}\" ;;\n", verb->get_name(),
                         fmt::join(option_names(*verb), " "));
  }
  fmt::print(
      "# bash completion for dissensus: source <(dissensus completion bash)\n"
      "_dissensus() {{\n"
      "  local current=\"${{COMP_WORDS[COMP_CWORD]}}\" words=\"\"\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W \"{} --help --version\" -- \"$current\"))\n"
      "    return\n"
      "  fi\n"
      "  case \"${{COMP_WORDS[1]}}\" in\n{}  esac\n"
      "  case \"$current\" in\n"
      "    -*) COMPREPLY=($(compgen -W \"$words\" -- \"$current\")) ;;\n"
      "    *) compopt -o default; COMPREPLY=() ;;\n"
      "  esac\n"
      "}}\n"
      "complete -F _dissensus dissensus\n",
      fmt::join(names, " "), cases);
}

void print_zsh(const CLI::App& program) {
  fmt::print(
      "#compdef dissensus\n# zsh completion for dissensus: source <(dissensus completion zsh)\n"
      "autoload -U +X bashcompinit && bashcompinit\n");
  print_bash(program);
}

void print_fish(const CLI::App& program) {
  fmt::print("# fish completion for dissensus: dissensus completion fish | source\n");
  for (const CLI::App* verb : verbs_of(program)) {
    fmt::print("complete -c dissensus -n __fish_use_subcommand -a {} -d '{}'\n", verb->get_name(),
               verb->get_description());
    for (const CLI::Option* option : verb->get_options()) {
      for (const std::string& name : option->get_lnames()) {
        fmt::print("complete -c dissensus -n '__fish_seen_subcommand_from {}' -l {}\n",
                   verb->get_name(), name);
      }
    }
  }
}

}  // namespace

Verb add_completion_verb(CLI::App& program) {
  CLI::App* app = program.add_subcommand("completion", "Print a shell's completion script");
  const auto shell = std::make_shared<std::string>();
  app->add_option("shell", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  app->footer("Example:\n  source <(dissensus completion bash)");
  return {app, [shell, &program] {
            if (*shell == "bash") {
              print_bash(program);
            } else if (*shell == "zsh") {
              print_zsh(program);
            } else {
              print_fish(program);
            }
            return kAllHeld;
          }};
}

}  // namespace dissensus::cli
