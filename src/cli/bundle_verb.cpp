#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "cli/answer.h"
#include "cli/archive.h"
#include "cli/live_evidence.h"
#include "cli/plugins.h"
#include "cli/store_row.h"
#include "cli/verb.h"
#include "core/file.h"
#include "run/run_folder.h"

namespace dissensus::cli {

namespace {

namespace fs = std::filesystem;

struct BundleOptions {
  std::string folder;
  std::string out;
  PluginOptions plugins;
  OutputOptions output;
};

constexpr std::size_t kFileBytesMax = std::size_t{64} << 20;
constexpr std::size_t kBundleBytesMax = std::size_t{512} << 20;

/// What others can make from the rest, or what is for this machine alone.
bool is_left_out(const fs::path& name) {
  return name == "graph.dot" || name == "host.journal" || name.filename() == "core" ||
         name.extension() == ".core";
}

struct Content {
  std::vector<std::string> files;     ///< relative, in order
  std::vector<std::string> left_out;  ///< with the reason
};

Content content_of(const fs::path& folder) {
  Content content;
  std::size_t total = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file() || entry.is_symlink()) continue;
    const fs::path name = fs::relative(entry.path(), folder);
    if (is_left_out(name)) {
      content.left_out.push_back(name.string());
    } else if (entry.file_size() > kFileBytesMax || total + entry.file_size() > kBundleBytesMax) {
      content.left_out.push_back(fmt::format("{} ({} bytes)", name.string(), entry.file_size()));
    } else {
      total += entry.file_size();
      content.files.push_back(name.string());
    }
  }
  std::sort(content.files.begin(), content.files.end());
  std::sort(content.left_out.begin(), content.left_out.end());
  return content;
}

/// What a reader of a bug report asks first.
std::string bundle_summary(const BundleOptions& options, const run::Recipe& recipe,
                           const Content& content) {
  const oracle::Verdict verdict = run::read_verdict(options.folder);
  std::string text =
      fmt::format("# {}\n\n", verdict.violations.empty() ? std::string("No property was violated")
                                                         : verdict.violations.front().text);
  const auto line = [&text](std::string_view what, std::string_view value) {
    text += fmt::format("- {}: {}\n", what, value);
  };
  for (const oracle::Violation& violation : verdict.violations) {
    line("violation", violation.signature());
  }
  line("scenario", fmt::format("{} ({}, {} nodes)", recipe.scenario.name,
                               recipe.scenario.system_description().name, recipe.scenario.nodes()));
  line("seed", std::to_string(recipe.seed));
  line("trace hash", recipe.hash);
  line("made by", run::program_version());
  if (const auto servers = servers_of(options.folder)) {
    for (const auto& [what, value] : servers->facts) line(what, value);
  }
  line("see it again",
       fmt::format("`dissensus replay {}{}`", fs::path(options.folder).filename().string(),
                   replay_words_of(options.folder, options.plugins)));
  text += "\nConfigurations of servers (servers/*.cfg) are without keys. ";
  text += content.left_out.empty()
              ? "Nothing of the run's folder was left out.\n"
              : fmt::format("Left out: {}.\n", fmt::join(content.left_out, ", "));
  return text;
}

struct BundleAnswer {
  std::string bundle;
  std::size_t bytes = 0;
  std::size_t files = 0;
  std::vector<std::string> left_out;
};
DISSENSUS_DESCRIBE(BundleAnswer, bundle, bytes, files, left_out)
const AnswerRegistration kBundleAnswer = answers_with<BundleAnswer>("bundle");

ExitCode bundle(BundleOptions options) {
  const Registry registry = options.plugins.load();
  options.folder = folder_of_run(options.folder, registry.systems);
  std::error_code error;
  if (!fs::is_directory(options.folder, error)) {
    throw InputError(options.folder + ": expected the folder of a run");
  }
  // "runs/latest" is a link: people want to see which run it was.
  options.folder = fs::canonical(options.folder).string();
  const run::Recipe recipe = run::read_recipe(options.folder, registry.systems);
  const std::string name = fs::path(options.folder).filename().string();
  if (options.out.empty()) options.out = name + ".tar.gz";
  const Content content = content_of(options.folder);
  Archive archive;
  archive.add(name + "/BUNDLE.md", bundle_summary(options, recipe, content));
  for (const std::string& file : content.files) {
    archive.add(name + "/" + file, read_file(options.folder + "/" + file, kFileBytesMax));
  }
  const std::string bytes = archive.finish();
  write_file(options.out, bytes);
  const BundleAnswer answer{options.out, bytes.size(), content.files.size() + 1, content.left_out};
  print_answer(options.output, answer,
               fmt::format("{}: {} files, {:.1f} MB\n", answer.bundle, answer.files,
                           static_cast<double>(answer.bytes) / 1e6));
  return kAllHeld;
}

}  // namespace

Verb add_bundle_verb(CLI::App& program) {
  CLI::App* app = program.add_subcommand(
      "bundle", "Pack everything about a run into one file, for a bug report");
  const auto options = std::make_shared<BundleOptions>();
  app->add_option("run", options->folder, "Run folder, or row of a store (hunt.sqlite#17)")
      ->required();
  app->add_option("-o,--out", options->out, "The file; default: the run's name + .tar.gz");
  options->plugins.add_to(*app);
  options->output.add_to(*app);
  app->footer("Example:\n  dissensus bundle runs/latest");
  return {app, [options] { return bundle(*options); }};
}

}  // namespace dissensus::cli
