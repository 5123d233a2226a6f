#include "cli/usage_error.h"

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/file.h"
#include "core/suggestion.h"

namespace dissensus::cli {

namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

/// The texts before and after the words between them.
std::optional<std::pair<std::string_view, std::string_view>> around(std::string_view text,
                                                                    std::string_view between) {
  const std::size_t at = text.find(between);
  if (at == std::string_view::npos) return std::nullopt;
  return std::pair{trimmed(text.substr(0, at)), trimmed(text.substr(at + between.size()))};
}

/// CLI11 knows the bounds of an option and writes them as it keeps them: with six decimals, or 309
/// digits where there is no bound.
std::string in_words(std::string_view low, std::string_view high, std::string_view found) {
  const auto shortened = [](std::string_view number) {
    if (number.find('.') == std::string_view::npos) return number;
    number = number.substr(0, number.find_last_not_of('0') + 1);
    return number.ends_with('.') ? number.substr(0, number.size() - 1) : number;
  };
  constexpr std::size_t kDigitsOfABound = 15;
  low = shortened(low);
  high = shortened(high);
  if (high.size() <= kDigitsOfABound) return fmt::format("a number from {} to {}", low, high);
  // Of both ranges without an upper bound only one refuses 0, and both begin with 0.000000.
  return found == "0" ? "a number greater than 0" : "a number that is not negative";
}

/// What CLI11 says of a value that an option refuses, as the readers of files would say it. Texts
/// that it does not know stay as they are.
std::string in_our_words(std::string_view message) {
  if (const auto range = around(message, " not in range ")) {
    const auto value = around(range->first, ": Value ");
    const auto bounds = around(range->second, " to ");
    if (value && bounds) {
      return fmt::format("{}: expected {}, found '{}'", value->first,
                         in_words(bounds->first, bounds->second, value->second), value->second);
    }
  }
  if (const auto choice = around(message, " not in {"); choice && choice->second.ends_with('}')) {
    const std::vector<std::string> known =
        CLI::detail::split(std::string(choice->second.substr(0, choice->second.size() - 1)), ',');
    if (const auto value = around(choice->first, ": ")) {
      return fmt::format("{}: expected one of {}, found '{}'{}", value->first,
                         fmt::join(known, ", "), value->second, suggestion(value->second, known));
    }
  }
  if (const auto file = around(message, ": File does not exist: ")) {
    const std::string path(file->second);
    return fmt::format("{}: no such file{}", path, missing_path_hint(path));
  }
  return std::string(message);
}

/// Words that neither the verb nor its parts took for anything.
std::string unknown_word(const CLI::App& app) {
  std::vector<std::string> known;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  const std::vector<std::string> words = app.remaining();
  for (const std::string& word : words) {
    const std::string hint = suggestion(word, known);
    if (!hint.empty()) return fmt::format("unknown option '{}'{}", word, hint);
  }
  for (const std::string& word : words) {
    if (word.starts_with('-')) return fmt::format("unknown option '{}'", word);
  }
  return {};
}

/// The first example of the help text.
std::string example_of(const CLI::App& verb) {
  const std::string footer = verb.get_footer();
  const std::size_t begin = footer.find("\n  dissensus ");
  if (begin == std::string::npos) return {};
  const std::string line = footer.substr(begin + 3, footer.find('\n', begin + 1) - begin - 3);
  return fmt::format(", as in `{}`", line.substr(0, line.find("  #")));
}

}  // namespace

std::string explain(const CLI::App& program, const CLI::ParseError& error) {
  std::string message = error.what();
  for (char& c : message) {
    if (c == '\n') c = ' ';
  }
  const CLI::App* verb = &program;
  std::string name = "dissensus";
  while (!verb->get_subcommands().empty()) {
    verb = verb->get_subcommands().front();
    name += ' ' + verb->get_name();
  }
  std::string text = unknown_word(*verb);
  if (text.empty() && verb != &program && !(text = unknown_word(program)).empty()) {
    text += ", before the verb";
  }
  if (text.empty()) {
    text = in_our_words(message);
    if (message.ends_with(" is required")) text += example_of(*verb);
  }
  return fmt::format("{} ({} --help)", text, name);
}

void refuse_numbers_that_do_not_fit(CLI::App& program) {
  for (CLI::Option* option : program.get_options()) {
    const std::string type = option->get_type_name();
    const bool is_unsigned = type.starts_with("UINT");
    if (!is_unsigned && !type.starts_with("INT")) continue;
    const CLI::Validator fits(
        [is_unsigned](const std::string& text) -> std::string {
          const char* const end = text.data() + text.size();
          std::uint64_t natural = 0;
          std::int64_t whole = 0;
          const std::errc error = is_unsigned ? std::from_chars(text.data(), end, natural).ec
                                              : std::from_chars(text.data(), end, whole).ec;
          if (error != std::errc::result_out_of_range) return {};
          return fmt::format("expected a number that fits into 64 bits, found '{}'", text);
        },
        "");
    option->check(fits);
  }
  for (CLI::App* verb : program.get_subcommands({})) refuse_numbers_that_do_not_fit(*verb);
}

}  // namespace dissensus::cli
