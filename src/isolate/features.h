// Predicates as sets of failing runs: what remains of many thousands when those that hold in the
// same failing runs are one, and those that say nothing about failing are none.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "isolate/run_table.h"
#include "isolate/stopped.h"

namespace dissensus::isolate {

/// A set of failing runs, by their number among the failing ones.
class RunSet {
 public:
  explicit RunSet(std::size_t runs = 0) : words_((runs + 63) / 64) {}
  void add(std::size_t run) { words_[run / 64] |= std::uint64_t{1} << (run % 64); }
  bool has(std::size_t run) const { return (words_[run / 64] >> (run % 64) & 1) != 0; }
  std::size_t size() const;
  std::size_t common(const RunSet& other) const;
  RunSet operator&(const RunSet& other) const;
  RunSet operator|(const RunSet& other) const;
  RunSet without(const RunSet& other) const;
  std::span<const std::uint64_t> words() const { return words_; }
  friend bool operator==(const RunSet&, const RunSet&) = default;

 private:
  std::vector<std::uint64_t> words_;
};

struct Feature {
  Candidate candidate;
  Sign sign;  ///< has words: runs that show this, and no predicate
  RunSet runs;
  std::size_t successful = 0;
  std::size_t equal = 1;  ///< candidates that hold in exactly these failing runs
  double weight = 1;
  /// What it is about: a family of predicates, or of signs. One family is one witness.
  std::string family = {};
  /// The families whose features follow from each other: how a run fails, at which event, and where
  /// nodes stand then, is one. One of these is one witness.
  std::string witness = {};
  /// Per failing run: in which part of it a predicate was first true, counted from 0. Empty: not
  /// known, as it is of signs and of what senders do again and again.
  std::vector<std::uint8_t> began = {};
  bool is_way_of_failing() const { return sign.about == kWayOfFailing; }
};

struct FeatureOptions {
  std::size_t support_min = 3;
  std::size_t features_max = 1'500;
  std::size_t jobs = 1;
  KeepGoing keep_going = {};
};

struct Features {
  std::vector<std::size_t> failing;  ///< runs of the table, by number among the failing ones
  std::vector<Feature> list;
  /// Signs of how nodes decide that are likelier in failing runs, and seen in successful ones, too.
  /// Those of a level that breaks are in the list as well.
  std::vector<Feature> mechanisms;
  /// Predicates that hold in next to all failing runs, and in next to no successful one.
  std::vector<Feature> universal;
  std::size_t significant = 0;  ///< before equal ones were joined and others left out
};
Features collect_features(const RunTable& table, const FeatureOptions& options);

}  // namespace dissensus::isolate
