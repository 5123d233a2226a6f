#include "isolate/run_evaluator.h"

#include <algorithm>

#include "core/assert.h"

namespace dissensus::isolate {
namespace {

/// Counts in unary: row k says "more than k". Adds one where a bit is set.
void count_up(std::uint64_t* rows, std::size_t row_count, std::span<const std::uint64_t> bits) {
  const std::size_t words = bits.size();
  for (std::size_t row = row_count; row-- > 1;) {
    std::uint64_t* upper = rows + row * words;
    const std::uint64_t* lower = upper - words;
    for (std::size_t word = 0; word < words; ++word) upper[word] |= lower[word] & bits[word];
  }
  for (std::size_t word = 0; word < words; ++word) rows[word] |= bits[word];
}

}  // namespace

RunEvaluator::RunEvaluator(const RunTable& table)
    : table_(table),
      space_(table.space()),
      words_(space_.words()),
      levels_(space_.options().tolerances.back() + std::size_t{1}),
      node_bits_(words_),
      any_node_(words_),
      group_rows_(space_.schema().groups.size() * levels_ * words_),
      rows_(space_.options().tolerances.size() * words_) {
  for (std::uint32_t pair = 0; pair < space_.pairs().size(); ++pair)
    code_pair_.insert(code_pair_.end(), space_.pairs()[pair].codes, pair);
}

/// The base predicates over pairs that hold on a node.
void RunEvaluator::expand(std::span<const Sighting> profile) {
  const std::size_t thresholds = space_.options().thresholds;
  std::fill(node_bits_.begin(), node_bits_.end(), 0);
  for (const Sighting& sighting : profile) {
    const KindPair& pair = space_.pairs()[code_pair_[sighting.code]];
    const std::uint64_t* satisfied =
        pair.satisfied.data() + (sighting.code - pair.first_code) * pair.words;
    std::uint64_t* block =
        node_bits_.data() + pair.first_word + (sighting.threshold - 1) * pair.words;
    for (std::size_t word = 0; word < pair.words; ++word) block[word] |= satisfied[word];
  }
  // Enough senders for a threshold are enough for the lower ones.
  for (const KindPair& pair : space_.pairs()) {
    std::uint64_t* block = node_bits_.data() + pair.first_word;
    for (std::size_t word = pair.words * (thresholds - 1); word-- > 0;)
      block[word] |= block[word + pair.words];
  }
}

void RunEvaluator::add_traits(const RunSummary& run, std::size_t node) {
  const std::vector<std::uint8_t>& asked = space_.options().trait_values;
  for (std::size_t trait = 0; trait < space_.traits().size(); ++trait) {
    const std::uint8_t count = run.traits[trait * space_.schema().nodes + node];
    for (std::size_t value = 0; value < asked.size() && asked[value] <= count; ++value) {
      const std::uint32_t bit = space_.trait_bit(trait, value);
      node_bits_[bit / 64] |= std::uint64_t{1} << (bit % 64);
    }
  }
}

void RunEvaluator::evaluate(const RunSummary& run) {
  const std::vector<NodeMask>& groups = space_.schema().groups;
  std::fill(any_node_.begin(), any_node_.end(), 0);
  std::fill(group_rows_.begin(), group_rows_.end(), 0);
  for (std::size_t node = 0; node < run.profiles.size(); ++node) {
    expand(table_.profile(run.profiles[node]));
    add_traits(run, node);
    for (std::size_t word = 0; word < words_; ++word) any_node_[word] |= node_bits_[word];
    for (std::size_t group = 0; group < groups.size(); ++group) {
      if ((groups[group] >> node & 1) != 0)
        count_up(group_rows_.data() + group * levels_ * words_, levels_, node_bits_);
    }
  }
  std::fill(rows_.begin(), rows_.end(), 0);
  const std::vector<std::uint32_t>& tolerances = space_.options().tolerances;
  for (std::size_t group = 0; group < groups.size(); ++group) {
    for (std::size_t row = 0; row < tolerances.size(); ++row) {
      const std::uint64_t* from = group_rows_.data() + (group * levels_ + tolerances[row]) * words_;
      std::uint64_t* to = rows_.data() + row * words_;
      for (std::size_t word = 0; word < words_; ++word) to[word] |= from[word];
    }
  }
}

bool RunEvaluator::is_true(const Candidate& candidate) const {
  const std::vector<std::uint32_t>& tolerances = space_.options().tolerances;
  const auto found = std::find(tolerances.begin(), tolerances.end(), candidate.tolerance);
  DISSENSUS_ASSERT(found != tolerances.end(), "RunEvaluator : the candidate is of this space");
  return (row(static_cast<std::size_t>(found - tolerances.begin()))[candidate.base / 64] >>
              (candidate.base % 64) &
          1) != 0;
}

}  // namespace dissensus::isolate
