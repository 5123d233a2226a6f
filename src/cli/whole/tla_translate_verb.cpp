#include <memory>

#include <fmt/format.h>

#include "cli/answer.h"
#include "cli/whole/tla_options.h"
#include "core/file.h"
#include "tla/pluscal/pluscal.h"

namespace dissensus::cli {

namespace {

namespace pluscal = tla::pluscal;

constexpr std::size_t kModuleBytesMax = std::size_t{64} << 20;

struct TranslateVerb {
  std::string path;
  bool to_stdout = false;
  bool only_check = false;
  std::string fairness, label_root;
  std::size_t line_width = 0;
  bool termination = false, label = false, no_done_disjunct = false;
  OutputOptions output;

  /// As words of the translator that users know.
  std::vector<std::string> words() const {
    std::vector<std::string> words;
    if (!fairness.empty()) words.push_back(fairness);
    if (termination) words.push_back("termination");
    if (label) words.push_back("label");
    if (no_done_disjunct) words.push_back("noDoneDisjunct");
    if (!label_root.empty()) words.insert(words.end(), {"labelRoot", label_root});
    if (line_width != 0) words.insert(words.end(), {"lineWidth", std::to_string(line_width)});
    return words;
  }
};

std::string_view described(pluscal::Freshness freshness) {
  switch (freshness) {
    case pluscal::Freshness::untranslated:
      return "the algorithm has no translation";
    case pluscal::Freshness::algorithm_changed:
      return "the algorithm was changed since it was translated";
    case pluscal::Freshness::text_changed:
      return "the translation was changed by hand";
    case pluscal::Freshness::fresh:
      break;
  }
  return "the translation is that of the algorithm";
}

struct TranslateAnswer {
  std::string file;
  bool was_fresh = false;
  std::string was;
  bool written = false;
  std::string algorithm_checksum, translation_checksum;
  std::vector<std::string> remarks;
  std::optional<std::string> text;  ///< with --stdout
};
DISSENSUS_DESCRIBE(TranslateAnswer, file, was_fresh, was, written, algorithm_checksum,
                   translation_checksum, remarks, text)
const AnswerRegistration kTranslateAnswer = answers_with<TranslateAnswer>("tla translate");

ExitCode translate(const TranslateVerb& verb) {
  if (!std::filesystem::exists(verb.path)) {
    throw InputError(fmt::format("{}: no such file{}", verb.path, missing_path_hint(verb.path)));
  }
  auto source = std::make_shared<tla::Source>();
  source->path = verb.path;
  source->text = read_file(verb.path, kModuleBytesMax);
  const auto algorithm = pluscal::AlgorithmText::find(source);
  if (!algorithm) {
    throw InputError(fmt::format("{}: there is no \"--algorithm\" in it", verb.path));
  }
  const pluscal::Translation translation =
      algorithm->translate(pluscal::parse_options(verb.words()));
  const pluscal::Freshness freshness = algorithm->freshness(translation);
  const std::string text = algorithm->file_with(translation);
  const bool is_changed = text != source->text;
  const bool shows_text = !verb.output.json && !verb.output.quiet;
  if (verb.to_stdout && shows_text) {
    fmt::print("{}", text);
  } else if (!verb.only_check && !verb.to_stdout && is_changed) {
    write_file(verb.path, text);
  }
  if (verb.output.json) {
    TranslateAnswer answer;
    answer.file = verb.path;
    answer.was_fresh = freshness == pluscal::Freshness::fresh;
    answer.was = described(freshness);
    answer.written = !verb.only_check && !verb.to_stdout && is_changed;
    answer.algorithm_checksum = translation.algorithm_checksum;
    answer.translation_checksum = translation.text_checksum;
    answer.remarks = translation.remarks;
    if (verb.to_stdout) answer.text = text;
    print_answer(verb.output, answer, "");
  } else if (shows_text && !verb.to_stdout) {
    for (const std::string& remark : translation.remarks) fmt::print("notice    {}\n", remark);
    fmt::print("was       {}\n", described(freshness));
    if (!verb.only_check) {
      fmt::print("result    {} {}\n", verb.path,
                 is_changed ? "has the new translation" : "stays as it is");
    }
  }
  return verb.only_check && freshness != pluscal::Freshness::fresh ? kViolation : kAllHeld;
}

}  // namespace

Verb add_tla_translate_verb(CLI::App& tla) {
  CLI::App* app = tla.add_subcommand("translate", "Translate a PlusCal algorithm in its file");
  const auto verb = std::make_shared<TranslateVerb>();
  app->add_option("file", verb->path, "TLA+ module with a PlusCal algorithm")
      ->required()
      ->type_name("FILE");
  CLI::Option* check = app->add_flag("--check", verb->only_check,
                                     "Only say whether the translation is that of the algorithm");
  app->add_flag("--stdout", verb->to_stdout, "Print the module instead of writing it")
      ->excludes(check);
  app->add_option("--fairness", verb->fairness,
                  "Of processes that say nothing: wf, sf, wfNext or nof")
      ->check(CLI::IsMember({"wf", "sf", "wfNext", "nof"}));
  app->add_flag("--termination", verb->termination, "wf, where nothing is said of fairness");
  app->add_flag("--label", verb->label, "Add labels where they are missing");
  app->add_option("--label-root", verb->label_root, "Begin of their names; default: Lbl_");
  app->add_option("--line-width", verb->line_width, "Of the translation; default: 78")
      ->check(CLI::Range(60, 1000));
  app->add_flag("--no-done-disjunct", verb->no_done_disjunct,
                "An algorithm that has ended is deadlocked");
  verb->output.add_to(*app);
  app->footer(
      "Options of the module, (* PlusCal options (-sf -label) *), win.\n\n"
      "Exit codes: 0 translated, or with --check the translation is up to date; 1 with --check, "
      "it is\nnot; 2 bad algorithm or usage.\n\n"
      "Examples:\n"
      "  dissensus tla translate specs/examples/Mutex.tla\n"
      "  dissensus tla translate specs/examples/Mutex.tla --check");
  return {app, [verb] { return translate(*verb); }};
}

}  // namespace dissensus::cli
