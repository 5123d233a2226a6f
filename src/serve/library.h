// What is served: runs and stores, by small numbers, so that no request ever names a file.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "dissensus/system.h"

#include "serve/campaign.h"
#include "serve/loaded_run.h"

namespace dissensus::serve {

struct RunEntry {
  std::size_t id = 0;
  std::string name;        ///< for people
  std::string path;        ///< folder or trace file; empty: it is in memory alone
  std::size_t parent = 0;  ///< the run that this one was made from; 0: none
  std::string words;       ///< how it differs from that
  std::string outcome;     ///< "fail"; empty while nobody has looked
  std::string violation;   ///< the first one, in words
};

/// Threads may share it.
class Library {
 public:
  explicit Library(const SystemRegistry& systems) : systems_(systems) {}

  /// A run folder (its minimal run, too), a folder of such folders, a hunt's folder, a trace file,
  /// a store's file or URL, a model, a conformance finding. Throws InputError that says what was
  /// expected.
  void add_source(const std::string& path);

  std::vector<RunEntry> runs() const;
  RunEntry entry(std::size_t id) const;
  /// Reads it where it is not in memory. Throws InputError where there is no such run.
  std::shared_ptr<const LoadedRun> run(std::size_t id);
  /// A run that was made here; returns its number.
  std::size_t add_run(RunEntry entry, std::shared_ptr<const LoadedRun> run);
  /// The number of the run at this path, which is added where it is new.
  std::size_t add_path(const std::string& path, const std::string& name);

  /// Specifications (.tla), by their paths.
  const std::vector<std::string>& models() const { return models_; }
  /// Conformance findings (what conform check --out writes), by their paths.
  const std::vector<std::string>& findings() const { return findings_; }
  std::size_t stores() const { return campaigns_.size(); }
  /// From 1 on. Throws InputError where there is none.
  const Campaign& store(std::size_t id) const;
  Campaign& store(std::size_t id);
  const SystemRegistry& systems() const { return systems_; }

 private:
  struct Slot {
    RunEntry entry;
    std::shared_ptr<const LoadedRun> run;
    std::uint64_t used = 0;
    /// Held while it is read: who asks for the same run meanwhile waits and does not read it, too.
    std::shared_ptr<std::mutex> reading = std::make_shared<std::mutex>();
  };
  std::shared_ptr<const LoadedRun> known_run(std::size_t id);
  void forget_some();
  void add_run_folder(const std::string& path);
  void add_findings(const std::string& folder);

  const SystemRegistry& systems_;
  mutable std::mutex mutex_;
  std::vector<Slot> slots_;
  std::uint64_t clock_ = 0;
  std::vector<std::unique_ptr<Campaign>> campaigns_;  ///< constant once serving, like the next
  std::vector<std::string> models_;
  std::vector<std::string> findings_;
};

}  // namespace dissensus::serve
