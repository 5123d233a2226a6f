#include "tla/liveness/graph.h"

#include "dissensus/digest.h"

namespace dissensus::tla {

std::uint32_t LetterTable::number_of(const Letter& letter) {
  std::uint64_t hash = 0;
  for (const std::uint64_t word : letter) hash = mix64(hash + 1, word);
  const auto [from, to] = numbers_.equal_range(hash);
  for (auto known = from; known != to; ++known) {
    if (letters_[known->second] == letter) return known->second;
  }
  const auto number = static_cast<std::uint32_t>(letters_.size());
  letters_.push_back(letter);
  numbers_.emplace(hash, number);
  return number;
}

std::uint64_t LetterTable::bytes() const {
  constexpr std::uint64_t kEntry = 96;  // of the vector, the map, and what allocation costs
  return letters_.empty()
             ? 0
             : letters_.size() * (kEntry + letters_.front().size() * sizeof(Letter::value_type));
}

}  // namespace dissensus::tla
