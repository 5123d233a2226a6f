// What test_instrument.cmake instruments: each way of branching, with outcomes that can be counted.
#include <cstdio>
#include <memory>
#include <vector>

#define IS_EVEN(x) ((x) % 2 == 0)

template <class T>
int count_above(const std::vector<T>& values, T limit) {
  int count = 0;
  for (const T value : values) {
    if (value > limit) ++count;
  }
  return count;
}

constexpr int clamp(int value) {
  if (value > 3) return 3;
  return value;
}
static_assert(clamp(5) == 3);

int main() {
  int even = 0;
  for (int i = 0; i < 3; ++i) {
    if (IS_EVEN(i)) ++even;
  }
  int left = 2;
  while (left > 0) --left;
  do {
    ++left;
  } while (left < 1);
  if (even == 2 && left == 1)
    std::puts("two");
  else
    std::puts("other");
  const std::unique_ptr<int> pointer;
  if (pointer) return 1;
  if (const int seen = count_above<int>({1, 2}, 0) + count_above<long>({1}, 5)) return seen - 2;
  if constexpr (sizeof(int) == 4) return 0;
}
