#include "isolate/reunion.h"

#include <algorithm>
#include <string>

namespace dissensus::isolate {
namespace {

/// So much of a group must have what is said of it, and at most so much of the others.
constexpr double kShareMin = 0.8;
constexpr double kOthersMax = 0.15;
/// In so many runs of each group what they share must come first.
constexpr double kFirstMin = 0.75;
constexpr std::uint8_t kNever = 255;

double share(const RunSet& of, const RunSet& runs) {
  return of.size() == 0 ? 0 : static_cast<double>(of.common(runs)) / static_cast<double>(of.size());
}

class Reunion {
 public:
  Reunion(const Features& features, std::vector<Group>& groups)
      : features_(features),
        has_signs_(std::any_of(features.list.begin(), features.list.end(),
                               [](const Feature& one) { return !one.sign.words.empty(); })),
        groups_(groups) {}

  void run() {
    while (unite_two()) {
    }
  }

 private:
  RunSet others_than(const Group& one, const Group& other) const {
    RunSet rest(features_.failing.size());
    for (const Group& group : groups_) {
      if (&group != &one && &group != &other) rest = rest | group.runs;
    }
    return rest;
  }

  bool is_shared(const Group& one, const Group& other, const RunSet& rest,
                 const RunSet& runs) const {
    return share(one.runs, runs) >= kShareMin && share(other.runs, runs) >= kShareMin &&
           share(rest, runs) <= kOthersMax;
  }

  /// The words of the evidence that they share; empty: none.
  std::string evidence_of(const Group& one, const Group& other, const RunSet& rest) const {
    if (rest.size() == 0) return {};
    for (const Feature& mechanism : features_.mechanisms) {
      if (is_shared(one, other, rest, mechanism.runs)) return mechanism.sign.words;
    }
    return {};
  }

  /// Whether what they share came before all in which they differ.
  bool shared_came_first(const Group& one, const Group& other, const RunSet& rest) const {
    const std::size_t runs = features_.failing.size();
    std::vector<std::uint8_t> first_shared(runs, kNever);
    std::vector<std::uint8_t> first_different(runs, kNever);
    const auto note = [&](const Feature& feature, std::vector<std::uint8_t>& first) {
      for (std::size_t run = 0; run < runs; ++run) {
        if (feature.runs.has(run)) first[run] = std::min(first[run], feature.began[run]);
      }
    };
    const auto look = [&](const std::vector<Feature>& list) {
      for (const Feature& feature : list) {
        if (feature.began.empty()) continue;
        const double of_one = share(one.runs, feature.runs);
        const double of_other = share(other.runs, feature.runs);
        if (is_shared(one, other, rest, feature.runs)) {
          note(feature, first_shared);
        } else if (std::max(of_one, of_other) >= kShareMin &&
                   std::min(of_one, of_other) <= kOthersMax) {
          note(feature, first_different);
        }
      }
    };
    look(features_.list);
    look(features_.universal);
    const auto came_first = [&](const RunSet& group) {
      std::size_t count = 0;
      for (std::size_t run = 0; run < runs; ++run) {
        const bool is_first =
            first_shared[run] != kNever && first_shared[run] < first_different[run];
        count += group.has(run) && is_first ? 1 : 0;
      }
      return static_cast<double>(count) >= kFirstMin * static_cast<double>(group.size());
    };
    return came_first(one.runs) && came_first(other.runs);
  }

  bool unite_two() {
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      for (std::size_t k = i + 1; k < groups_.size(); ++k) {
        const RunSet rest = others_than(groups_[i], groups_[k]);
        std::string shared = evidence_of(groups_[i], groups_[k], rest);
        if (shared.empty() && !has_signs_ && shared_came_first(groups_[i], groups_[k], rest))
          shared = "What they have in common came before all in which they differ.";
        if (shared.empty()) continue;
        unite(groups_, i, k, shared);
        return true;
      }
    }
    return false;
  }

  const Features& features_;
  bool has_signs_;
  std::vector<Group>& groups_;
};

}  // namespace

void reunite(const Features& features, std::vector<Group>& groups) {
  Reunion(features, groups).run();
}

}  // namespace dissensus::isolate
