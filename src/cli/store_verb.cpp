// The verb store: makes, describes, copies, checks and prunes stores.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include "cli/answer.h"
#include "cli/fleet.h"
#include "cli/verb.h"
#include "hunt/store.h"
#include "hunt/store_care.h"
#include "hunt/summary.h"

namespace dissensus::cli {

namespace {

struct StoreOptions {
  std::string store;
  std::string target;
  std::string role;
  double older_than_days = -1;
  std::uint64_t keep_items = 0;
  OutputOptions output;
};

struct StoreAnswer {
  std::string store;
  int version = 0;
};
DISSENSUS_DESCRIBE(StoreAnswer, store, version)
const AnswerRegistration kStoreAnswer = answers_with<StoreAnswer>("store create");

ExitCode create(const StoreOptions& options) {
  hunt::open_store(options.store);
  const std::string name =
      hunt::sql::is_url(options.store) ? hunt::sql::without_password(options.store) : options.store;
  print_answer(options.output, StoreAnswer{name, hunt::kStoreVersion},
               fmt::format("{}: a store of version {}\n", name, hunt::kStoreVersion));
  return kAllHeld;
}

struct StoredHunt {
  std::int64_t hunt = 0;
  std::string scenario;
  std::string program;
  bool finished = false;
  bool islands = false;
  std::uint64_t runs = 0;
  std::uint64_t items = 0;
  std::uint64_t failed = 0;
  std::size_t findings = 0;
};
DISSENSUS_DESCRIBE(StoredHunt, hunt, scenario, program, finished, islands, runs, items, failed,
                   findings)

struct StoredHunts {
  std::vector<StoredHunt> hunts;
};
DISSENSUS_DESCRIBE(StoredHunts, hunts)
const AnswerRegistration kStoredHunts = answers_with<StoredHunts>("store describe");

ExitCode describe(const StoreOptions& options) {
  TerminalPatience patience;
  const auto hunts = hunt::summarize_store(options.store, true, patience);
  StoredHunts answer;
  std::string text = fmt::format("{} {}", hunts.size(), hunts.size() == 1 ? "hunt" : "hunts");
  for (const hunt::HuntSummary& hunt : hunts) {
    answer.hunts.push_back({hunt.record.id, hunt.record.scenario_name, hunt.record.program,
                            hunt.record.finished, hunt.record.islands, hunt.totals.runs(),
                            hunt.totals.items, hunt.totals.failed, hunt.findings.size()});
    text += fmt::format("\n{:>5}  {} ({}): {} runs, {} failed, {} {}{}", hunt.record.id,
                        hunt.record.scenario_name, hunt.record.program, hunt.totals.runs(),
                        hunt.totals.failed, hunt.findings.size(),
                        hunt.findings.size() == 1 ? "finding" : "findings",
                        hunt.record.finished ? "" : ", not finished");
  }
  print_answer(options.output, answer, text + "\n");
  return kAllHeld;
}

struct HuntsAndItems {
  std::uint64_t hunts = 0;
  std::uint64_t items = 0;
};
DISSENSUS_DESCRIBE(HuntsAndItems, hunts, items)

const AnswerRegistration kCopyAnswer = answers_with<HuntsAndItems>("store copy");
const AnswerRegistration kPruneAnswer = answers_with<HuntsAndItems>("store prune");

ExitCode copy(const StoreOptions& options) {
  const hunt::CopyResult copied = hunt::copy_store(options.store, options.target);
  print_answer(options.output, HuntsAndItems{copied.hunts, copied.items},
               fmt::format("copied {} {} with {} runs\n", copied.hunts,
                           copied.hunts == 1 ? "hunt" : "hunts", copied.items));
  return kAllHeld;
}

struct StoreCheck {
  bool whole = false;
  bool checksums = false;
  std::vector<std::string> troubles;
};
DISSENSUS_DESCRIBE(StoreCheck, whole, checksums, troubles)
const AnswerRegistration kStoreCheck = answers_with<StoreCheck>("store check");

ExitCode check(const StoreOptions& options) {
  const std::vector<std::string> troubles = hunt::check_store(options.store);
  const bool has_checksums = hunt::has_checksums(options.store);
  std::string text = troubles.empty() ? "whole" : fmt::format("{}", fmt::join(troubles, "\n"));
  if (troubles.empty() && !has_checksums) {
    text += fmt::format(
        ", as far as a store of an earlier version shows: its rows have no "
        "checksums (dissensus store create {} brings it to version {})",
        shell_word(hunt::sql::without_password(options.store)), hunt::kStoreVersion);
  }
  print_answer(options.output, StoreCheck{troubles.empty(), has_checksums, troubles}, text + "\n");
  return troubles.empty() ? kAllHeld : kViolation;
}

std::string day(std::int64_t seconds) {
  return seconds == 0 ? "unknown" : fmt::format("{:%Y-%m-%d %H:%M}", fmt::gmtime(seconds));
}

std::string_view examined_words(hunt::Examined examined) {
  switch (examined) {
    case hunt::Examined::done:
      return "examined";
    case hunt::Examined::waiting:
      return "waits to be examined";
    case hunt::Examined::no:
      break;
  }
  return "not examined";
}

struct StoredFinding {
  std::string signature;
  std::uint64_t count = 0;
  std::int64_t first_seen = 0;
  std::int64_t last_seen = 0;
  std::string first_run;
  bool examined = false;
  std::vector<std::string> scenarios;
  std::vector<std::string> programs;
};
DISSENSUS_DESCRIBE(StoredFinding, signature, count, first_seen, last_seen, first_run, examined,
                   scenarios, programs)
const AnswerRegistration kFindingsAnswer =
    answers_with<std::vector<StoredFinding>>("store findings");

ExitCode findings(const StoreOptions& options) {
  std::vector<StoredFinding> answer;
  std::string text;
  for (const hunt::KnownFinding& finding : hunt::list_findings(options.store)) {
    answer.push_back({finding.signature, finding.count, finding.first_seen, finding.last_seen,
                      finding.row, finding.examined == hunt::Examined::done, finding.scenarios,
                      finding.programs});
    text += fmt::format(
        "{}{} x {}\n  seen from {} to {} (UTC) in {} by {}\n  {}: dissensus report {}",
        text.empty() ? "" : "\n", finding.count, finding.signature, day(finding.first_seen),
        day(finding.last_seen), fmt::join(finding.scenarios, ", "),
        fmt::join(finding.programs, ", "), examined_words(finding.examined),
        shell_word(fmt::format("{}#{}", hunt::sql::without_password(options.store), finding.row)));
  }
  print_answer(options.output, answer, (text.empty() ? "no findings" : text) + "\n");
  return kAllHeld;
}

ExitCode prune(const StoreOptions& options) {
  if (options.older_than_days < 0 && options.keep_items == 0) {
    throw InputError("store prune: expected --older-than DAYS or --keep RUNS");
  }
  const hunt::PruneResult pruned =
      hunt::prune_store(options.store, {options.older_than_days, options.keep_items});
  print_answer(options.output, HuntsAndItems{pruned.hunts, pruned.items},
               fmt::format("removed {} finished hunts with {} runs\n", pruned.hunts, pruned.items));
  return kAllHeld;
}

struct AllowedRole {
  std::string role;
};
DISSENSUS_DESCRIBE(AllowedRole, role)
const AnswerRegistration kAllowedRole = answers_with<AllowedRole>("store allow-worker");

ExitCode allow(const StoreOptions& options) {
  hunt::allow_worker(options.store, options.role);
  print_answer(
      options.output, AllowedRole{options.role},
      fmt::format("{} may lease batches and hand in results, and nothing else\n", options.role));
  return kAllHeld;
}

}  // namespace

Verb add_store_verb(CLI::App& program) {
  CLI::App* app = program.add_subcommand("store", "Make, describe, copy, check and prune stores");
  const auto options = std::make_shared<StoreOptions>();
  app->require_subcommand(0, 1);
  app->allow_extras();
  std::vector<Verb> parts;
  const auto add = [&](const char* name, const char* summary, const char* example,
                       ExitCode (*run)(const StoreOptions&)) {
    CLI::App* part = app->add_subcommand(name, summary);
    part->add_option("store", options->store, "URL or SQLite file")->required();
    part->footer(fmt::format("Example:\n  dissensus store {} {}", name, example));
    options->output.add_to(*part);
    parts.push_back({part, [options, run] { return run(*options); }});
    return part;
  };
  add("create", "Make a store, or bring one to this version", "postgresql:///dissensus", create);
  add("describe", "List its hunts", "runs/latest-hunt/store.sqlite", describe);
  add("findings", "List violations, each once, over all hunts", "runs/latest-hunt/store.sqlite",
      findings);
  add("copy", "Copy all hunts into another store, of either engine",
      "runs/latest-hunt/store.sqlite night.sqlite", copy)
      ->add_option("target", options->target, "URL or SQLite file")
      ->required();
  add("check", "Look whether it is whole", "runs/latest-hunt/store.sqlite", check);
  CLI::App* const prune_app =
      add("prune", "Remove finished hunts", "night.sqlite --older-than 30", prune);
  prune_app
      ->add_option("--older-than", options->older_than_days,
                   "Days since the last finding or, without one, all")
      ->check(CLI::NonNegativeNumber);
  prune_app->add_option("--keep", options->keep_items,
                        "Oldest hunts first, until at most so many runs are left");
  add("allow-worker", "Let a role of the database work, and nothing else",
      "postgresql:///dissensus worker", allow)
      ->add_option("role", options->role, "Name of the role")
      ->required();
  app->footer(
      "Example:\n  dissensus store copy runs/latest-hunt/store.sqlite postgresql:///dissensus");
  return {app, [app, parts] { return run_part(*app, parts); }};
}

}  // namespace dissensus::cli
