// What predicates need to know of many runs, in little memory.
//
// Of a node's inbox only its profile is kept: which codes (see PredicateSpace) the pairs (earlier
// message, message) had, and for each the largest number of senders of the earlier message. Equal
// profiles are stored once, so memory grows with what is new in a run, never with the number of
// predicates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dissensus/digest.h"

#include "isolate/predicate_space.h"
#include "isolate/run_source.h"

namespace dissensus::isolate {

/// A code and the largest threshold with which it was seen.
struct Sighting {
  std::uint32_t code : 24 = 0;  ///< numbered over all pairs of kinds
  std::uint32_t threshold : 8 = 0;
  friend bool operator==(const Sighting&, const Sighting&) = default;
};

/// Signs about this are the way in which a run fails, as whoever judged it says.
inline constexpr std::string_view kWayOfFailing = "way of failing";

/// In ascending order of code.
using Profile = std::vector<Sighting>;

struct RunSummary {
  std::string name;
  std::string link;
  std::vector<std::uint32_t> signs;  ///< of the table, ascending; how it fails is one of them
  bool failing = false;
  std::uint64_t labels = 0;
  std::vector<std::uint32_t> profiles;  ///< one per node
  /// Of a failing run, after each part of it but the last: one per node. See SpaceOptions::parts.
  std::vector<std::uint32_t> beginnings;
  /// Per trait of the space, per node: for how many values it shows, at most 255.
  std::vector<std::uint8_t> traits;
};

class RunTable {
 public:
  explicit RunTable(const PredicateSpace& space) : space_(&space) {}

  void add(const Run& run, std::span<const Profile> profiles, std::span<const Profile> beginnings,
           std::vector<std::uint8_t> traits);

  const PredicateSpace& space() const { return *space_; }
  const std::vector<RunSummary>& runs() const { return runs_; }
  std::size_t failing() const { return failing_; }
  std::size_t profiles() const { return profile_ends_.size(); }
  std::span<const Sighting> profile(std::uint32_t index) const;
  /// All that some run shows.
  const std::vector<Sign>& signs() const { return signs_; }
  /// Whether a run shows it; signs of other tables are known by their words.
  bool shows(const RunSummary& run, const std::string& words) const;
  /// Bytes held by profiles and runs.
  std::size_t bytes() const;

 private:
  std::uint32_t intern(const Profile& profile);
  std::uint32_t intern(const Sign& sign);

  const PredicateSpace* space_;
  std::vector<RunSummary> runs_;
  std::size_t failing_ = 0;
  std::vector<Sighting> sightings_;
  std::vector<Sign> signs_;
  std::map<std::string, std::uint32_t> sign_index_;  ///< by words
  std::vector<std::size_t> profile_ends_;
  struct DigestHash {
    std::size_t operator()(const Digest& digest) const { return digest.low; }
  };
  std::unordered_map<Digest, std::uint32_t, DigestHash> index_;
};

/// A table of a single run, to be looked at with what was learned from others.
RunTable table_of(const Run& run, const PredicateSpace& space);

/// Throws InputError, naming the source, where there is nothing to compare.
void require_both_outcomes(const std::string& name, std::size_t runs, std::size_t failing);

/// Reads a source to its end; the table does not depend on `jobs`. Throws InputError where there is
/// not at least one failing and one successful run.
RunTable read_runs(RunSource& source, const PredicateSpace& space, std::size_t jobs);

}  // namespace dissensus::isolate
