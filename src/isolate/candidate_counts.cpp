#include "isolate/candidate_counts.h"

#include <algorithm>
#include <bit>

#include "core/assert.h"
#include "isolate/parallel_slices.h"
#include "isolate/run_evaluator.h"

namespace dissensus::isolate {
namespace {

void count_bits(std::span<const std::uint64_t> bits, std::uint32_t* counts) {
  for (std::size_t word = 0; word < bits.size(); ++word) {
    for (std::uint64_t rest = bits[word]; rest != 0; rest &= rest - 1)
      ++counts[word * 64 + static_cast<std::size_t>(std::countr_zero(rest))];
  }
}

/// Bits of predicates without assertions.
std::vector<std::uint32_t> bare_bits(const PredicateSpace& space) {
  std::vector<std::uint32_t> bits;
  for (const KindPair& pair : space.pairs()) {
    for (std::size_t threshold = 0; threshold < space.options().thresholds; ++threshold)
      bits.push_back(static_cast<std::uint32_t>((pair.first_word + threshold * pair.words) * 64));
  }
  return bits;
}

void add(std::vector<std::uint32_t>& to, const std::vector<std::uint32_t>& from) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
}

}  // namespace

CandidateCounts::CandidateCounts(const RunTable& table, std::span<const std::uint8_t> classes,
                                 std::size_t class_count, std::size_t jobs,
                                 const KeepGoing& keep_going)
    : space_(&table.space()), bits_(space_->words() * 64), runs_(class_count) {
  DISSENSUS_ASSERT(classes.size() == table.runs().size(), "CandidateCounts : one class per run");
  for (const std::uint8_t of_class : classes) {
    if (of_class != kSkip) ++runs_[of_class];
  }
  const std::size_t rows = space_->options().tolerances.size();
  const std::vector<std::uint32_t> bare = bare_bits(*space_);
  struct Part {
    std::vector<std::vector<std::uint32_t>> holds;
    std::vector<std::vector<std::uint32_t>> observed;
  };
  jobs = std::max<std::size_t>(1, jobs);
  std::vector<Part> parts(jobs);
  for_each_slice(classes.size(), jobs, [&](std::size_t job, std::size_t begin, std::size_t end) {
    Part& part = parts[job];
    part.holds.assign(class_count, std::vector<std::uint32_t>(rows * bits_));
    part.observed.assign(class_count, std::vector<std::uint32_t>(bits_));
    RunEvaluator evaluator(table);
    for (std::size_t run = begin; run < end; ++run) {
      if (classes[run] == kSkip) continue;
      stop_unless(keep_going);
      evaluator.evaluate(table.runs()[run]);
      for (std::size_t row = 0; row < rows; ++row)
        count_bits(evaluator.row(row), part.holds[classes[run]].data() + row * bits_);
      for (const std::uint32_t bit : bare)
        part.observed[classes[run]][bit] += evaluator.observed(bit) ? 1 : 0;
    }
  });
  true_ = std::move(parts[0].holds);
  observed_ = std::move(parts[0].observed);
  for (std::size_t job = 1; job < jobs; ++job) {
    for (std::size_t c = 0; c < class_count && !parts[job].holds.empty(); ++c) {
      add(true_[c], parts[job].holds[c]);
      add(observed_[c], parts[job].observed[c]);
    }
  }
}

std::size_t CandidateCounts::observed(std::size_t of_class, std::uint32_t base) const {
  const std::uint32_t bit = space_->observed_bit(base);
  return bit == PredicateSpace::kAlwaysObserved ? runs_[of_class] : observed_[of_class][bit];
}

}  // namespace dissensus::isolate
