#include <algorithm>
#include <cctype>
#include <filesystem>

#include <fmt/format.h>

#include "cli/answer.h"
#include "cli/new_templates.h"
#include "cli/verb.h"
#include "core/file.h"

namespace dissensus::cli {

namespace {

struct NewOptions {
  std::string name;
  std::string folder;
  OutputOptions output;
};

bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Fits a scenario, a file and, without its dashes, a type.
void check_name(const std::string& name) {
  const bool fits = !name.empty() && name.size() <= 60 && is_lower(name.front()) &&
                    name.back() != '-' && name.find("--") == std::string::npos &&
                    std::all_of(name.begin(), name.end(),
                                [](char c) { return is_lower(c) || is_digit(c) || c == '-'; });
  if (!fits) {
    throw InputError(fmt::format(
        "new: '{}': expected a name of small letters, digits and dashes, such as my-protocol",
        name));
  }
}

std::string file_name_of(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

std::string type_name_of(const std::string& name) {
  std::string type;
  bool begins = true;
  for (const char c : name) {
    if (c == '-') {
      begins = true;
      continue;
    }
    type += begins ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    begins = false;
  }
  return type;
}

std::string filled(std::string text, const std::string& name) {
  const std::pair<std::string_view, std::string> words[] = {
      {"@NAME@", name}, {"@FILE@", file_name_of(name)}, {"@TYPE@", type_name_of(name)}};
  for (const auto& [word, value] : words) {
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at)) {
      text.replace(at, word.size(), value);
      at += value.size();
    }
  }
  return text;
}

/// What to do next, in words that work from where the program was started: CMake finds what is
/// installed; a program in its build folder has the headers in the checkout around it.
std::string next_steps(const std::string& folder, const std::string& name) {
  namespace fs = std::filesystem;
  const fs::path bin = program_path().parent_path();
  const std::string called = program_invocation_name;
  const std::string program =
      called.find('/') == std::string::npos ? called : program_path().string();
  std::error_code error;
  std::string build = "cmake -B build && cmake --build build";
  std::string plugin = fmt::format("build/{}.so", name);
  if (!fs::exists(bin / "../include/dissensus/plugin.h", error)) {
    for (fs::path above = bin; above.has_relative_path(); above = above.parent_path()) {
      if (!fs::exists(above / "include/dissensus/plugin.h", error)) continue;
      build = fmt::format("c++ -std=c++20 -O2 -shared -fPIC -I {0} {1}.cpp -o {1}.so",
                          shell_word((above / "include").string()), name);
      plugin = fmt::format("./{}.so", name);
      break;
    }
  }
  return fmt::format("\nnext:\n  cd {}\n  {}\n  {} hunt {}.toml --plugin {}\n", shell_word(folder),
                     build, shell_word(program), name, plugin);
}

struct NewAnswer {
  std::string folder;
  std::vector<std::string> files;
};
DISSENSUS_DESCRIBE(NewAnswer, folder, files)
const AnswerRegistration kNewAnswer = answers_with<NewAnswer>("new");

ExitCode make_new(const NewOptions& options) {
  namespace fs = std::filesystem;
  check_name(options.name);
  const std::string folder = options.folder.empty() ? options.name : options.folder;
  std::error_code error;
  if (fs::exists(folder, error) && !fs::is_empty(folder, error)) {
    throw InputError(fmt::format("new: {}: exists and is not empty", folder));
  }
  make_folders(folder);
  NewAnswer answer{folder, {}};
  std::string text;
  for (const NewFile& file : new_files()) {
    const std::string path = folder + "/" + filled(std::string(file.path), options.name);
    write_file(path, filled(std::string(file.text), options.name));
    answer.files.push_back(path);
    text += fmt::format("wrote {}\n", path);
  }
  print_answer(options.output, answer, text + next_steps(folder, file_name_of(options.name)));
  return kAllHeld;
}

}  // namespace

Verb add_new_verb(CLI::App& program) {
  CLI::App* app =
      program.add_subcommand("new", "Begin a system of your own: protocol, scenario and test");
  const auto options = std::make_shared<NewOptions>();
  app->add_option("name", options->name, "Its name, such as my-protocol")->required();
  app->add_option("--folder", options->folder, "Where to write it; default: a folder of its name");
  options->output.add_to(*app);
  app->footer("Example:\n  dissensus new my-protocol");
  return {app, [options] { return make_new(*options); }};
}

}  // namespace dissensus::cli
