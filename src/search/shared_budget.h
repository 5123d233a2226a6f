// Several searches that share one budget: who is asked next follows from what each has yielded.
// What `portfolio` and `adaptive` have in common; they differ in members and in what counts as a
// yield.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dissensus/search.h"

#include "search/immigration.h"

namespace dissensus::search {

struct Member {
  std::string_view name;
  std::unique_ptr<Search> search;
  bool single_objective = false;  ///< it is told the sum of all objectives
  std::size_t asked = 0;
};
/// A built-in search by its name, which must be one, with a seed of its own.
Member make_member(const SearchContext& context, std::string_view name, std::size_t index,
                   const Options& options);

class SharedBudget : public Search, public Immigration {
 public:
  /// `floor` is the share of the runs that is dealt out evenly whatever the yields are.
  SharedBudget(std::vector<Member> members, double floor, Random random);

  std::optional<Candidate> ask() final;
  void tell(const Candidate& candidate, const Evaluation& evaluation) final;
  /// Every member that listens; nobody's yield: no member has asked for it.
  void welcome(const Genotype& genotype, const Evaluation& evaluation) final;

 protected:
  /// Positive; a member that yields a fifth more than another gets about twice as many runs.
  virtual double yield_of(std::size_t member) const = 0;
  /// A position in `ready` whose turn it is whatever the yields are.
  virtual std::optional<std::size_t> fixed_turn(const std::vector<std::size_t>& ready) const = 0;
  virtual void learn(std::size_t member, const Evaluation& evaluation) = 0;
  /// A violation that others found.
  virtual void know(const std::string& signature) = 0;

  std::vector<Member>& members() { return members_; }
  const std::vector<Member>& members() const { return members_; }
  std::size_t asked() const { return asked_; }

 private:
  struct UnderWay {
    std::size_t member;
    std::uint64_t tag;
  };
  std::size_t choose(const std::vector<std::size_t>& ready);
  double share(std::size_t member) const;

  std::vector<Member> members_;
  double floor_;
  Random random_;
  std::size_t asked_ = 0;
  std::deque<UnderWay> under_way_;
};

/// What is usual in a hunt: a moving average, and how a value compares with it, 0.5 for one that
/// equals it.
class Usual {
 public:
  double judge(double value);

 private:
  double mean_ = 0;
};

}  // namespace dissensus::search
