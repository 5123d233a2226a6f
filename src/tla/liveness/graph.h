// The behaviours of a specification as a graph: states are numbers, and of each step only the truth
// of the atoms is known.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace dissensus::tla {

/// Truth values of atoms.
using Letter = std::vector<std::uint64_t>;

inline bool is_true(const Letter& letter, std::uint32_t atom) {
  return (letter[atom / 64] >> (atom % 64) & 1) != 0;
}
inline void set_true(Letter& letter, std::uint32_t atom) {
  letter[atom / 64] |= std::uint64_t{1} << (atom % 64);
}
inline Letter empty_letter(std::size_t atoms) {
  return Letter((atoms + 63) / 64 + (atoms == 0 ? 1 : 0));
}

/// Different letters are few: each gets a number.
class LetterTable {
 public:
  std::uint32_t number_of(const Letter& letter);
  const Letter& operator[](std::uint32_t number) const { return letters_[number]; }
  std::size_t size() const { return letters_.size(); }
  std::uint64_t bytes() const;

 private:
  std::vector<Letter> letters_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> numbers_;  // never iterated
};

struct BehaviourGraph {
  struct Edge {
    std::uint32_t target = 0;
    std::uint32_t letter = 0;
  };
  LetterTable letters;
  std::vector<std::uint32_t> initial;
  /// The steps out of state s, stuttering included: edges[first[s]] up to edges[first[s + 1]].
  std::vector<std::uint64_t> first;
  std::vector<Edge> edges;

  std::size_t size() const { return first.empty() ? 0 : first.size() - 1; }
  std::span<const Edge> edges_of(std::uint32_t state) const {
    return std::span<const Edge>(edges).subspan(first[state], first[state + 1] - first[state]);
  }
};

}  // namespace dissensus::tla
