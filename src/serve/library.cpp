#include "serve/library.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "dissensus/options.h"

#include "hunt/sql.h"
#include "run/run_folder.h"
#include "serve/conformance.h"

namespace dissensus::serve {

namespace {

namespace fs = std::filesystem;

/// Traces in memory at once; one of 100,000 events takes about 40 MB.
constexpr std::size_t kLoadedMax = 16;
constexpr std::size_t kRunsMax = 2000;

bool is_run_folder(const fs::path& path) {
  std::error_code error;
  return fs::exists(path / "run.json", error);
}

/// The folder's own name: "runs/latest" is a link to one that says more.
std::string name_of(const fs::path& path) {
  std::error_code error;
  const fs::path real = fs::weakly_canonical(path, error);
  const fs::path shown = error ? path : real;
  const std::string name = shown.filename().string();
  return name == "minimal" ? shown.parent_path().filename().string() + ", minimal" : name;
}

/// What the folder says of itself, which is read at once: lists say how each run ended.
void note_verdict(const oracle::Verdict& verdict, RunEntry& entry) {
  entry.outcome = oracle::to_string(verdict.outcome);
  if (!verdict.violations.empty()) entry.violation = verdict.violations.front().text;
}

bool ends_with(const std::string& text, std::string_view end) {
  return text.size() >= end.size() &&
         std::string_view(text).substr(text.size() - end.size()) == end;
}

}  // namespace

void Library::add_run_folder(const std::string& path) {
  add_path(path, name_of(path));
  // What a person wants to see first of a finding is its smallest form: it comes right behind.
  const std::string minimal = (fs::path(path) / "minimal").string();
  if (is_run_folder(minimal)) add_path(minimal, name_of(minimal));
}

void Library::add_findings(const std::string& folder) {
  std::error_code error;
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    std::error_code ignored;
    const std::string path = entry.path().string();
    if (!entry.is_regular_file(ignored) || !ends_with(path, ".json")) continue;
    if (is_conformance_finding(path)) files.push_back(path);
  }
  std::sort(files.begin(), files.end());
  findings_.insert(findings_.end(), files.begin(), files.end());
}

void Library::add_source(const std::string& path) {
  std::error_code error;
  if (ends_with(path, ".tla") && fs::is_regular_file(path, error)) {
    models_.push_back(path);
    return;
  }
  if (fs::is_regular_file(path, error) && is_conformance_finding(path)) {
    findings_.push_back(path);
    return;
  }
  if (hunt::sql::is_url(path) || (fs::is_regular_file(path, error) && !ends_with(path, ".jsonl") &&
                                  !ends_with(path, ".jsonl.gz"))) {
    campaigns_.push_back(std::make_unique<Campaign>(path));
    return;
  }
  if (fs::is_regular_file(path, error)) {
    add_path(path, fs::path(path).filename().string());
    return;
  }
  if (!fs::is_directory(path, error)) {
    throw InputError(path +
                     ": not found; expected a run folder, a folder of runs, a trace "
                     "(.jsonl.gz), a store, a model (.tla) or a conformance finding (.json)");
  }
  if (is_run_folder(path)) {
    add_run_folder(path);
    return;
  }
  std::vector<std::string> folders;
  const std::string store = (fs::path(path) / "store.sqlite").string();
  const bool has_store = fs::exists(store, error);
  if (has_store) campaigns_.push_back(std::make_unique<Campaign>(store));
  for (const auto& entry : fs::directory_iterator(path, error)) {
    std::error_code ignored;
    if (entry.is_symlink(ignored) || !entry.is_directory(ignored)) continue;
    if (is_run_folder(entry.path())) folders.push_back(entry.path().string());
    if (fs::exists(entry.path() / "store.sqlite", ignored)) {
      campaigns_.push_back(std::make_unique<Campaign>((entry.path() / "store.sqlite").string()));
    }
  }
  add_findings(path);
  std::sort(folders.rbegin(), folders.rend());  // names begin with the date: the newest first
  if (folders.size() > kRunsMax) folders.resize(kRunsMax);
  for (const std::string& folder : folders) add_run_folder(folder);
  if (folders.empty() && !has_store && campaigns_.empty() && findings_.empty()) {
    throw InputError(path +
                     ": holds no run, no folder of a run, no store and no conformance finding");
  }
}

std::vector<RunEntry> Library::runs() const {
  const std::lock_guard lock(mutex_);
  std::vector<RunEntry> entries;
  for (const Slot& slot : slots_) entries.push_back(slot.entry);
  return entries;
}

RunEntry Library::entry(std::size_t id) const {
  const std::lock_guard lock(mutex_);
  if (id == 0 || id > slots_.size()) {
    throw InputError(fmt::format("no run {}, expected 1 to {}", id, slots_.size()));
  }
  return slots_[id - 1].entry;
}

std::shared_ptr<const LoadedRun> Library::known_run(std::size_t id) {
  const std::lock_guard lock(mutex_);
  Slot& slot = slots_[id - 1];
  slot.used = ++clock_;
  return slot.run;
}

std::shared_ptr<const LoadedRun> Library::run(std::size_t id) {
  const RunEntry known = entry(id);
  if (auto run = known_run(id)) return run;
  std::shared_ptr<std::mutex> reading;
  {
    const std::lock_guard lock(mutex_);
    reading = slots_[id - 1].reading;
  }
  const std::lock_guard one_reader(*reading);
  if (auto run = known_run(id)) return run;
  if (known.path.empty()) {
    throw InputError(fmt::format("run {} was in memory alone and has been forgotten", id));
  }
  auto run = load_run(known.path, systems_);  // not under the lock: others may go on
  const std::lock_guard lock(mutex_);
  slots_[id - 1].run = run;
  note_verdict(run->verdict, slots_[id - 1].entry);
  forget_some();
  return run;
}

void Library::forget_some() {
  for (;;) {
    std::size_t loaded = 0;
    Slot* oldest = nullptr;
    for (Slot& slot : slots_) {
      if (!slot.run) continue;
      ++loaded;
      if (oldest == nullptr || slot.used < oldest->used) oldest = &slot;
    }
    if (loaded <= kLoadedMax) return;
    oldest->run.reset();
  }
}

std::size_t Library::add_run(RunEntry entry, std::shared_ptr<const LoadedRun> run) {
  const std::lock_guard lock(mutex_);
  entry.id = slots_.size() + 1;
  note_verdict(run->verdict, entry);
  Slot& slot = slots_.emplace_back();
  slot.entry = std::move(entry);
  slot.run = std::move(run);
  slot.used = ++clock_;
  forget_some();
  return slots_.size();
}

std::size_t Library::add_path(const std::string& path, const std::string& name) {
  const std::lock_guard lock(mutex_);
  for (const Slot& slot : slots_) {
    if (slot.entry.path == path) return slot.entry.id;
  }
  RunEntry entry;
  entry.id = slots_.size() + 1;
  entry.name = name;
  entry.path = path;
  std::error_code error;
  if (fs::exists(fs::path(path) / "verdict.json", error)) {
    try {
      note_verdict(run::read_verdict(path), entry);
    } catch (const InputError&) {
      // whoever opens the run hears what is wrong
    }
  }
  slots_.emplace_back().entry = std::move(entry);
  return slots_.size();
}

const Campaign& Library::store(std::size_t id) const {
  if (id == 0 || id > campaigns_.size()) {
    throw InputError(fmt::format("no store {}, expected 1 to {}", id, campaigns_.size()));
  }
  return *campaigns_[id - 1];
}

Campaign& Library::store(std::size_t id) {
  return const_cast<Campaign&>(std::as_const(*this).store(id));
}

}  // namespace dissensus::serve
