// What a finding of a hunt leaves behind: its run folder, with the minimal run and the report
// inside (docs/formats/run-folder.md).
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "cli/verb.h"
#include "hunt/examination.h"
#include "hunt/hunt.h"
#include "report/examine.h"
#include "run/run_folder.h"

namespace dissensus::cli {

struct ExaminePlan {
  bool shrink = true;
  bool report = true;
  std::size_t jobs = 1;
  std::vector<std::pair<std::string, std::string>> hunt;  ///< how it went, for the report
  std::string replay_words = {};  ///< that the replay command needs beside the folder
  OutputOptions output = {};      ///< whether progress is shown
};

struct FindingFolder {
  std::string path;
  run::Recipe recipe;
  run::RunResult result;  ///< of the run as it was found
  std::optional<shrink::ShrinkResult> shrinking;
};

/// Runs the finding once more with everything recorded, and writes its folder below `parent`;
/// `existing` is the folder that an interrupted hunt wrote before, or empty.
FindingFolder record_finding(const run::Scenario& scenario, const hunt::Finding& finding,
                             const SystemRegistry& systems, const std::string& parent,
                             const std::string& existing);
/// "reliable: all 3 repetitions fail", "flaky: 1 of 3 repetitions fails".
std::string reliability(const hunt::Finding& finding);
/// Real servers: the page of the run as it was recorded, and confirm.json.
void write_live_page(const FindingFolder& folder, const hunt::Finding& finding,
                     const ExaminePlan& plan);
/// Shrinks and explains it. Each stage has a limit of work, and ends with what it has reached by
/// then, as it does when the user interrupts.
/// `known` is what a worker has found out before: it is gone on from.
void examine_finding(FindingFolder& folder, const ExaminePlan& plan, const SystemRegistry& systems,
                     const hunt::ExaminationResult* known = nullptr);

/// What a worker does with a finding: the same, with the same limits. `systems` must outlive it.
hunt::Examiner make_examiner(const SystemRegistry& systems);
/// Writes the minimal run that a worker has found into the folder of the run as it was found; the
/// rest of examine() goes on from there. Throws InputError where what the store says is damaged.
void restore_minimal(const std::string& folder, const hunt::ExaminationResult& known,
                     const SystemRegistry& systems);
/// The curves of a page. Throws InputError.
void restore_curves(const hunt::ExaminationResult& known, report::Finding& finding);

}  // namespace dissensus::cli
