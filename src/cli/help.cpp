#include "cli/help.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace dissensus::cli {

namespace {

constexpr std::size_t kOptionColumn = 26;
constexpr std::size_t kVerbColumn = 16;

/// Of the terminal, but never so wide that lines are hard to read; 80 where the text goes
/// elsewhere.
std::size_t page_width() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return std::clamp<std::size_t>(size.ws_col, 60, 100);
}

/// The text between two columns, its lines after the first one indented.
std::string wrapped(std::string_view text, std::size_t column, std::size_t width) {
  std::string out;
  std::size_t used = column;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (used > column && used + 1 + word.size() > width) {
      out += '\n' + std::string(column, ' ');
      used = column;
    } else if (used > column) {
      out += ' ';
      ++used;
    }
    out += word;
    used += word.size();
  }
  return out;
}

}  // namespace

std::string in_two_columns(const std::string& name, std::string_view description,
                           std::size_t column) {
  std::string out = "  " + name;
  if (out.size() + 2 > column) {
    out += '\n' + std::string(column, ' ');
  } else {
    out.resize(column, ' ');
  }
  return out + wrapped(description, column, page_width()) + '\n';
}

namespace {

/// A command in lines that a shell takes for one, broken before options.
std::string broken(std::string_view command, std::size_t width) {
  std::string out;
  while (command.size() > width) {
    const std::size_t end = command.substr(0, width - 2).rfind(" -");
    if (end == std::string_view::npos || end < 4) break;
    out += fmt::format("{} \\\n   ", command.substr(0, end));
    command.remove_prefix(end);
    width = page_width() - 3;
  }
  return out + std::string(command) + '\n';
}

/// {"svg", "dot", "json"} of the type "TEXT:{svg,dot,json}"; empty for other types.
std::vector<std::string> choices(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t begin = type.find('{');
  const std::size_t end = type.find('}', begin == std::string::npos ? 0 : begin);
  if (begin == std::string::npos || end == std::string::npos) return {};
  return CLI::detail::split(type.substr(begin + 1, end - begin - 1), ',');
}

/// The parser's types are for its author: a reader wants to know whether a number or a word comes.
std::string placeholder(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::string word = type.substr(0, type.find_first_of(" :"));
  if (type.find(":FILE") != std::string::npos) return "FILE";
  if (word == "UINT" || word == "INT") return "N";
  if (word == "FLOAT") return "X";
  return word;
}

class HelpFormatter final : public CLI::Formatter {
 public:
  HelpFormatter() { label("Positionals", "Arguments"); }

  std::string make_description(const CLI::App* app) const override {
    return wrapped(app->get_description(), 0, page_width()) + "\n\n";
  }

  std::string make_group(std::string heading, bool is_positional,
                         std::vector<const CLI::Option*> options) const override {
    // The first group of options comes after the usage, the others after an empty line of CLI11's.
    const bool is_first = is_positional || heading == "Options";
    std::string text = fmt::format("{}{}:\n", is_first ? "\n" : "", heading);
    for (const CLI::Option* option : options) text += make_option(option, is_positional);
    return text;
  }

  std::string make_option_opts(const CLI::Option* option) const override {
    if (option->get_type_size() == 0) return {};
    std::string text = option->get_positional() ? "" : " " + placeholder(*option);
    if (option->get_expected_max() == CLI::detail::expected_max_vector_size) text += " ...";
    return text;
  }

  std::string make_option_desc(const CLI::Option* option) const override {
    std::string text = option->get_description();
    const std::vector<std::string> words = choices(*option);
    const bool all_named = std::all_of(words.begin(), words.end(), [&](const std::string& word) {
      return text.find(word) != std::string::npos;
    });
    if (!all_named) text += fmt::format(": {}", fmt::join(words, ", "));
    if (option->get_required() && !option->get_positional()) text += " (required)";
    if (!option->get_default_str().empty()) {
      text += fmt::format(" (default: {})", option->get_default_str());
    }
    for (const CLI::Option* other : option->get_needs()) {
      text += fmt::format(" (with {})", other->get_name());
    }
    for (const CLI::Option* other : option->get_excludes()) {
      text += fmt::format(" (not with {})", other->get_name());
    }
    return text;
  }

  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    return in_two_columns(make_option_name(option, is_positional) + make_option_opts(option),
                          make_option_desc(option), kOptionColumn);
  }

  /// Sentences are wrapped, headings and what is indented stay as they are.
  std::string make_footer(const CLI::App* app) const override {
    if (app->get_footer().empty()) return {};
    std::string out;
    std::string sentences;
    const auto flush = [&] {
      if (!sentences.empty()) out += wrapped(sentences, 0, page_width()) + '\n';
      sentences.clear();
    };
    for (const std::string& line : CLI::detail::split(app->get_footer(), '\n')) {
      if (!line.empty() && line.front() != ' ' && !line.ends_with(':')) {
        sentences += (sentences.empty() ? "" : " ") + line;
        continue;
      }
      flush();
      out += broken(line, page_width());
    }
    flush();
    return out;
  }

  std::string make_subcommand(const CLI::App* verb) const override {
    return in_two_columns(verb->get_name(), verb->get_description(), kVerbColumn);
  }
};

struct Intent {
  std::string_view heading;
  std::vector<std::string_view> verbs;
};

const std::array kIntents{
    Intent{"Find a bug", {"list", "check", "run", "hunt", "campaign"}},
    Intent{"Understand it", {"replay", "shrink", "diff", "report", "export", "serve", "bundle"}},
    Intent{"Keep it, fix it", {"corpus", "confirm"}},
    Intent{"Compare with a model, or with what clients saw", {"tla", "conform", "history"}},
    Intent{"Many runs, many machines", {"isolate", "store", "work", "watch"}},
    Intent{"Experiments and statistics", {"study", "stats", "fidelity"}},
    Intent{"A system of your own; the shell", {"new", "import", "completion", "manual"}},
};

}  // namespace

std::shared_ptr<CLI::FormatterBase> make_help_formatter() {
  return std::make_shared<HelpFormatter>();
}

void group_by_intent(CLI::App& program) {
  for (const Intent& intent : kIntents) {
    for (const std::string_view name : intent.verbs) {
      for (CLI::App* verb : program.get_subcommands(
               [name](const CLI::App* known) { return known->get_name() == name; })) {
        verb->group(std::string(intent.heading));
      }
    }
  }
}

}  // namespace dissensus::cli
