#include "core/suggestion.h"

#include <algorithm>

namespace dissensus {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  constexpr std::size_t kLongest = 64;  // words, not texts
  a = a.substr(0, kLongest);
  b = b.substr(0, kLongest);
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        cost[i][j] = i + j;
        continue;
      }
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1,
                             cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[a.size()][b.size()];
}

const std::string* nearest(std::string_view word, const std::vector<std::string>& known) {
  std::size_t best = 1 + word.size() / 3;
  const std::string* found = nullptr;
  for (const std::string& candidate : known) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance <= best && (found == nullptr || distance < best)) {
      best = distance;
      found = &candidate;
    }
  }
  return found;
}

std::string suggestion(std::string_view word, const std::vector<std::string>& known) {
  const std::string* const found = nearest(word, known);
  return found == nullptr ? std::string() : ", did you mean '" + *found + "'?";
}

}  // namespace dissensus
