#include "cli/repetition.h"

#include <algorithm>
#include <filesystem>

#include "dissensus/options.h"

#include "core/file.h"
#include "host/host.h"
#include "hosted/files.h"

namespace dissensus::cli {

namespace {

constexpr std::size_t kJournalBytesMax = std::size_t{256} << 20;

const std::string* text_of(const std::vector<Outside::Attachment>& files, std::string_view name) {
  const auto found =
      std::find_if(files.begin(), files.end(), [&](const auto& file) { return file.name == name; });
  return found == files.end() ? nullptr : &found->text;
}

std::optional<std::string> recorded_text(const std::string& folder, const std::string& name) {
  std::error_code error;
  const std::string path = folder + "/" + name;
  if (!std::filesystem::is_regular_file(path, error)) return std::nullopt;
  return read_file(path, kJournalBytesMax);
}

void add_doubts(const std::string& text, const char* whose, std::vector<std::string>& doubts) {
  for (const std::string& doubt : host::doubts_in(text)) doubts.push_back(whose + doubt);
}

}  // namespace

Repetition compare_repetition(const std::string& folder,
                              const std::vector<Outside::Attachment>& files) {
  Repetition result;
  const std::string* const report = text_of(files, host::kReportFile);
  if (report == nullptr) return result;
  result.of_programs = true;
  if (const auto recorded = recorded_text(folder, host::kReportFile)) {
    add_doubts(*recorded, "the recorded run: ", result.doubts);
  }
  add_doubts(*report, "this run: ", result.doubts);
  const std::string* const used = text_of(files, hosted::kFilesFile);
  if (const auto recorded = recorded_text(folder, hosted::kFilesFile);
      used != nullptr && recorded) {
    result.changed_file =
        hosted::first_difference(hosted::files_in(*recorded), hosted::files_in(*used));
  }
  const std::string* const journal = text_of(files, host::kJournalFile);
  const auto recorded = recorded_text(folder, host::kJournalFile);
  if (journal == nullptr || !recorded) return result;
  const auto before = host::Journal::from_bytes(*recorded);
  if (!before) {
    throw InputError(folder + "/" + host::kJournalFile + ": not a journal of a run, or cut off");
  }
  result.is_compared = true;
  if (*recorded != *journal) {
    result.first_difference = host::first_difference(*before, *host::Journal::from_bytes(*journal));
  }
  return result;
}

std::string file_changed_since(const std::string& folder) {
  const auto recorded = recorded_text(folder, hosted::kFilesFile);
  return recorded ? hosted::first_changed(hosted::files_in(*recorded)) : std::string();
}

std::string to_text(const Repetition& repetition) {
  if (!repetition.of_programs) return {};
  std::string text;
  if (!repetition.changed_file.empty()) text += repetition.changed_file + "\n";
  for (const std::string& doubt : repetition.doubts) {
    text += "not proven repeatable: " + doubt + "\n";
  }
  if (repetition.first_difference) {
    text += "the runs part at " + *repetition.first_difference + "\n";
  } else if (repetition.is_compared && repetition.doubts.empty()) {
    text += "repeatable: every system call and every byte as in the recorded run\n";
  }
  return text;
}

std::optional<std::vector<std::string>> doubts_about(const Repetition& repetition) {
  if (!repetition.of_programs || !repetition.is_compared) return std::nullopt;
  std::vector<std::string> doubts = repetition.doubts;
  if (!repetition.changed_file.empty()) doubts.insert(doubts.begin(), repetition.changed_file);
  if (repetition.first_difference) {
    doubts.push_back("the runs part at " + *repetition.first_difference);
  }
  return doubts;
}

}  // namespace dissensus::cli
