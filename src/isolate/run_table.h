// What predicates need to know of many runs, in little memory.
//
// Of a node's inbox only its profile is kept: which codes (see PredicateSpace) the pairs (earlier
// message, message) had, and for each the largest number of senders of the earlier message. Equal
// profiles are stored once, so memory grows with what is new in a run, never with the number of
// predicates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
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

/// In ascending order of code.
using Profile = std::vector<Sighting>;

struct RunSummary {
  std::string name;
  std::string link;
  std::string symptom;
  bool failing = false;
  std::uint64_t labels = 0;
  std::vector<std::uint32_t> profiles;  ///< one per node
  /// Per trait of the space, per node: for how many values it shows, at most 255.
  std::vector<std::uint8_t> traits;
};

class RunTable {
 public:
  explicit RunTable(const PredicateSpace& space) : space_(&space) {}

  void add(const Run& run, std::span<const Profile> profiles, std::vector<std::uint8_t> traits);

  const PredicateSpace& space() const { return *space_; }
  const std::vector<RunSummary>& runs() const { return runs_; }
  std::size_t failing() const { return failing_; }
  std::size_t profiles() const { return profile_ends_.size(); }
  std::span<const Sighting> profile(std::uint32_t index) const;
  /// Bytes held by profiles and runs.
  std::size_t bytes() const;

 private:
  std::uint32_t intern(const Profile& profile);

  const PredicateSpace* space_;
  std::vector<RunSummary> runs_;
  std::size_t failing_ = 0;
  std::vector<Sighting> sightings_;
  std::vector<std::size_t> profile_ends_;
  struct DigestHash {
    std::size_t operator()(const Digest& digest) const { return digest.low; }
  };
  std::unordered_map<Digest, std::uint32_t, DigestHash> index_;
};

/// Throws InputError, naming the source, where there is nothing to compare.
void require_both_outcomes(const std::string& name, std::size_t runs, std::size_t failing);

/// Reads a source to its end; the table does not depend on `jobs`. Throws InputError where there is
/// not at least one failing and one successful run.
RunTable read_runs(RunSource& source, const PredicateSpace& space, std::size_t jobs);

}  // namespace dissensus::isolate
