#include <cctype>

#include <fmt/format.h>

#include "cli/answer.h"
#include "cli/verb.h"

namespace dissensus::cli {

namespace {

/// Text for troff: what it would take for its own signs is made harmless.
std::string troff(std::string_view text) {
  std::string out;
  bool begins_line = true;
  for (const char c : text) {
    if (begins_line && (c == '.' || c == '\'')) out += "\\&";
    begins_line = c == '\n';
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  return out;
}

std::string option_text(const CLI::Option& option) {
  std::string names;
  for (const std::string& name : option.get_snames()) names += fmt::format(", -{}", name);
  for (const std::string& name : option.get_lnames()) names += fmt::format(", --{}", name);
  names = names.empty() ? option.get_name(true) : names.substr(2);
  const std::string type = option.get_type_name();
  std::string text = fmt::format(".TP\n.B {}", troff(names));
  if (option.get_type_size() != 0 && !type.empty()) {
    const std::string word = type.substr(0, type.find_first_of(" :"));
    text += fmt::format(" \\fI{}\\fR", troff(word));
  }
  std::string described = option.get_description();
  if (!option.get_default_str().empty()) {
    described += fmt::format(" (default: {})", option.get_default_str());
  }
  return text + "\n" + troff(described) + "\n";
}

std::vector<const CLI::App*> parts_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

void add_options(const CLI::App& app, std::string& page) {
  std::string arguments;
  std::string options;
  for (const CLI::Option* option : app.get_options()) {
    const bool is_argument = option->get_lnames().empty() && option->get_snames().empty();
    (is_argument ? arguments : options) += option_text(*option);
  }
  if (!arguments.empty()) page += ".SH ARGUMENTS\n" + arguments;
  if (!options.empty()) page += ".SH OPTIONS\n" + options;
}

/// Exactly what --help says, as a page of section 1.
std::string manual_page(const CLI::App& program, const CLI::App* verb) {
  const std::string name = verb == nullptr ? "dissensus" : "dissensus-" + verb->get_name();
  const CLI::App& app = verb == nullptr ? program : *verb;
  std::string summary = app.get_description();
  for (char& c : summary) {
    if (c == '\n') c = ' ';
  }
  std::string page = fmt::format(".TH {} 1 \"\" \"{}\" \"User Commands\"\n", upper(troff(name)),
                                 run::program_version());
  page += fmt::format(".SH NAME\n{} \\- {}\n", troff(name), troff(summary));
  page += fmt::format(".SH SYNOPSIS\n.B dissensus{}\n[\\fIOPTIONS\\fR]{}\n",
                      verb == nullptr ? "" : " " + verb->get_name(),
                      parts_of(app).empty() ? " [\\fIARGUMENTS\\fR]" : " \\fIVERB\\fR ...");
  add_options(app, page);
  if (!parts_of(app).empty()) page += ".SH VERBS\n";
  for (const CLI::App* part : parts_of(app)) {
    page +=
        fmt::format(".TP\n.B {}\n{}\n", troff(part->get_name()), troff(part->get_description()));
    if (verb == nullptr) continue;
    for (const CLI::Option* option : part->get_options()) {
      page += ".RS\n" + option_text(*option) + ".RE\n";
    }
  }
  if (!app.get_footer().empty()) {
    page += fmt::format(".SH NOTES\n.nf\n{}\n.fi\n", troff(app.get_footer()));
  }
  if (verb == nullptr) {
    page += ".SH SEE ALSO\nEach verb has a page of its own, such as\n.BR dissensus-hunt (1).\n";
  } else {
    page += ".SH SEE ALSO\n.BR dissensus (1)\n";
  }
  return page;
}

struct ManualOptions {
  std::string verb;
  OutputOptions output;
};

struct ManualAnswer {
  std::string verb;
  std::string page;
};
template <class Visit>
constexpr void fields_of(const ManualAnswer*, const Visit& visit) {
  visit("verb", &ManualAnswer::verb, "empty: the page of the program");
  visit("page", &ManualAnswer::page);
}
const AnswerRegistration kManualAnswer = answers_with<ManualAnswer>("manual");

ExitCode print_manual(const CLI::App& program, const ManualOptions& options) {
  const CLI::App* verb = nullptr;
  for (const CLI::App* known : parts_of(program)) {
    if (known->get_name() == options.verb) verb = known;
  }
  if (!options.verb.empty() && verb == nullptr) {
    throw InputError(fmt::format("manual: no verb '{}'", options.verb));
  }
  const std::string page = manual_page(program, verb);
  print_answer(options.output, ManualAnswer{options.verb, page}, page);
  return kAllHeld;
}

}  // namespace

Verb add_manual_verb(CLI::App& program) {
  CLI::App* app = program.add_subcommand(
      "manual", "Print the manual page of a verb, or of the program, for man");
  const auto options = std::make_shared<ManualOptions>();
  app->add_option("verb", options->verb, "The verb; default: the program itself");
  options->output.add_to(*app);
  app->footer("Example:\n  dissensus manual hunt | man -l -");
  return {app, [options, &program] { return print_manual(program, *options); }};
}

}  // namespace dissensus::cli
