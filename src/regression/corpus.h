// Failing runs that are kept with the code: after a change each says whether it is fixed
// (docs/formats/corpus.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "run/runner.h"

namespace dissensus::regression {

inline constexpr std::string_view kCorpusFormat = "dissensus-corpus/1";

enum class Expectation : std::uint8_t { fails, fixed };

/// A failing run of a corpus.
struct Entry {
  std::string name;  ///< of its folder
  run::Recipe recipe;
  std::string signature;
  std::string violation;  ///< in words
  Expectation expected = Expectation::fails;
  std::size_t acting_parts = 0;  ///< parts of the schedule without which the run was another one
};

enum class State : std::uint8_t {
  still_fails,
  fixed,              ///< passes, though every part of the schedule still acts
  fails_differently,  ///< another property, rule or level
  missed,             ///< passes, but the schedule no longer meets what it was made for
  unknown,            ///< no verdict
  cannot_be_replayed,
};
std::string_view to_string(State state);

struct CheckedEntry {
  std::string name;
  Expectation expected = Expectation::fails;
  State state = State::unknown;
  std::string reason;  ///< in words
  bool same_hash = false;
  /// A change for the worse: fixed before and failing now, or failing in another way.
  bool is_regression() const;
  /// Nothing can be said about it.
  bool is_open() const;
};

/// Keeps a failing run as <corpus>/<name>/; throws InputError where it does not fail, or where the
/// name is taken. Returns the entry.
Entry add_entry(const std::string& corpus, const std::string& name, const run::Recipe& failing);

/// Names of the entries, in order. Throws InputError where `corpus` is no folder.
std::vector<std::string> entry_names(const std::string& corpus);
/// Throws InputError.
Entry read_entry(const std::string& corpus, const std::string& name, const SystemRegistry& systems);
void set_expectation(const std::string& corpus, const std::string& name, Expectation expected);

/// Runs an entry with the system as it is now. Never throws for what is wrong with the entry.
CheckedEntry check_entry(const std::string& corpus, const std::string& name,
                         const SystemRegistry& systems, run::Runner& runner);

/// For continuous integration.
std::string to_junit(const std::vector<CheckedEntry>& entries);
std::string to_markdown(const std::vector<CheckedEntry>& entries);

}  // namespace dissensus::regression
