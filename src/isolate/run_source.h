// Where runs come from: a data set in a file, a campaign's store, traces.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "isolate/schema.h"

namespace dissensus::isolate {

/// Messages that one node received, in order. Values of one message stand side by side, as many as
/// its kind has fields; a value that is only ever compared for equality (a hash, a text) is a
/// number that is unique within the run.
struct Inbox {
  struct Entry {
    std::uint16_t kind = 0;
    std::uint16_t sender = 0;
    std::uint32_t first_value = 0;  ///< index into `values`
  };
  std::vector<Entry> entries;
  std::vector<std::int64_t> values;

  void clear();
  /// The caller then appends the values of the kind's fields to `values`.
  void add(std::uint16_t kind, std::uint16_t sender);
};

/// Something that a run shows, in words; `about` is what others of its kind say in the same breath.
struct Sign {
  std::string about;
  std::string words;
  /// The violation or the level that it speaks of, where it speaks of one.
  std::string of = {};
  friend auto operator<=>(const Sign&, const Sign&) = default;
};

struct Run {
  std::string name;
  bool failing = false;
  std::uint64_t labels = 0;  ///< bit i: Schema::labels[i] applies
  std::string link;          ///< folder or page of the run; empty: none
  std::string symptom;       ///< how it failed, where that is known: which property, where
  std::vector<Sign> signs;   ///< see signs.h
  std::vector<Inbox> inboxes;

  /// Empty, with an inbox per node; keeps its memory.
  void reset(std::size_t nodes);
};

/// Runs one after the other, each read once. Implementations throw InputError for bad input.
class RunSource {
 public:
  virtual ~RunSource() = default;
  /// What is read, as the user named it; for error messages.
  virtual std::string name() const = 0;
  virtual const Schema& schema() const = 0;
  /// False at the end. `run` may hold an earlier run, whose memory is reused.
  virtual bool next(Run& run) = 0;
};

inline constexpr std::size_t kLabelsMax = 64;

}  // namespace dissensus::isolate
