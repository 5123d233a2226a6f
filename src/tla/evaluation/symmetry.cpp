#include "tla/evaluation/symmetry.h"

#include <algorithm>
#include <map>
#include <set>

#include "dissensus/digest.h"

namespace dissensus::tla {

namespace {

constexpr std::uint64_t kFingerprintStart = 0xD6E8FEB86659FD93ULL;

std::uint64_t mix_fingerprint(std::uint64_t fingerprint, std::uint64_t hash) {
  return mix64(fingerprint + 0x9E3779B97F4A7C15ULL, hash);
}

}  // namespace

std::uint64_t fingerprint_of(std::span<const Value> values) {
  std::uint64_t result = kFingerprintStart;
  for (const Value value : values) result = mix_fingerprint(result, value.hash());
  return result;
}

namespace {

constexpr std::size_t kHashesMax = std::size_t{1} << 24;

constexpr std::size_t kPermutationsMax = 100'000;
constexpr std::size_t kPermutedMax = 1'000'000;

using Moves = std::map<std::uint64_t, Value>;

Value moved(const Moves& moves, Value value) {
  const auto found = moves.find(value.word());
  return found == moves.end() ? value : found->second;
}

}  // namespace

/// The group that the given permutations generate.
void Symmetry::prepare() {
  Store& store = evaluator_.store;
  std::vector<std::vector<std::pair<Value, Value>>> generators;
  const Node* at = nullptr;
  for (const EntryPoint& entry : evaluator_.program.symmetries) {
    at = entry.node;
    Frame frame = evaluator_.new_frame(entry.frame_size, nullptr, *entry.node);
    const Value set = evaluator_.evaluate(*entry.node, frame);
    evaluator_.guarded(*entry.node, [&] {
      SetCursor cursor(store, set);
      for (Value function; cursor.next(function);) {
        if (!function.is_cell() || !is_function(function.type())) {
          throw ValueError("SYMMETRY: expected a set of permutations, found " + shown(function));
        }
        std::vector<std::pair<Value, Value>> pairs;
        SetCursor arguments(store, store.domain(function));
        for (Value argument; arguments.next(argument);) {
          pairs.emplace_back(argument, store.apply(function, argument));
        }
        generators.push_back(std::move(pairs));
      }
    });
  }
  std::set<std::vector<std::pair<std::uint64_t, std::uint64_t>>> known;
  std::vector<Moves> group;
  const auto add = [&](const Moves& moves) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> key;
    for (const auto& [from, to] : moves) {
      if (from != to.word()) key.emplace_back(from, to.word());
    }
    if (known.insert(key).second) group.push_back(moves);
    if (group.size() > kPermutationsMax) {
      evaluator_.fail(*at, "SYMMETRY: more than 100000 permutations");
    }
  };
  add({});
  for (std::size_t i = 0; i < group.size(); ++i) {
    for (const auto& generator : generators) {
      Moves product;
      const Moves before = group[i];
      std::vector<Value> points;
      for (const auto& [from, to] : generator) points.push_back(from);
      Moves step;
      for (const auto& [from, to] : generator) step[from.word()] = to;
      for (const auto& [from, to] : before) product[from] = moved(step, to);
      for (const Value point : points) {
        if (product.find(point.word()) == product.end()) {
          product[point.word()] = moved(step, point);
        }
      }
      add(product);
    }
  }
  permutations_.clear();
  for (const Moves& moves : group) {
    Permutation permutation;
    for (const auto& [from, to] : moves) permutation.permuted[from] = to;
    permutations_.push_back(std::move(permutation));
  }
}

Value Symmetry::permute_function(Permutation& permutation, Value value) {
  Store& store = evaluator_.store;
  const Cell& cell = *value.cell();
  const Value* items = cell.items();
  const Value* keys = items[0].cell()->items();
  std::vector<std::pair<Value, Value>> pairs;
  for (std::uint32_t i = 0; i < items[0].cell()->size; ++i) {
    pairs.emplace_back(permute(permutation, keys[i]), permute(permutation, items[1 + i]));
  }
  std::sort(pairs.begin(), pairs.end(),
            [&](const auto& a, const auto& b) { return store.compare(a.first, b.first) < 0; });
  std::vector<Value> domain, values;
  for (const auto& [key, each] : pairs) {
    domain.push_back(key);
    values.push_back(each);
  }
  return store.function(store.set(domain), values);
}

Value Symmetry::permute(Permutation& permutation, Value value) {
  if (!value.is_cell()) return value;
  const Type type = value.type();
  if (type == Type::text) return value;
  const auto known = permutation.permuted.find(value.word());
  if (known != permutation.permuted.end()) return known->second;
  if (type == Type::model_value) return value;
  Store& store = evaluator_.store;
  const Cell& cell = *value.cell();
  Value result = value;
  if (type == Type::function) {
    result = permute_function(permutation, value);
  } else if (type == Type::set || type == Type::tuple || type == Type::record) {
    std::vector<Value> items;
    const std::uint32_t first = type == Type::record ? 1 : 0;
    const std::uint32_t size = type == Type::record ? cell.items()[0].cell()->size + 1 : cell.size;
    for (std::uint32_t i = first; i < size; ++i) {
      items.push_back(permute(permutation, cell.items()[i]));
    }
    if (type == Type::set) {
      result = store.set(items);
    } else if (type == Type::tuple) {
      result = store.tuple(items);
    } else {
      const Cell& names = *cell.items()[0].cell();
      result = store.record(std::span<const Value>(names.items(), names.size), items);
    }
  }
  if (permutation.permuted.size() < kPermutedMax) permutation.permuted[value.word()] = result;
  return result;
}

const std::vector<std::uint64_t>& Symmetry::hashes_of(Value value) {
  const auto known = hashes_.find(value.word());
  if (known != hashes_.end()) return known->second;
  std::vector<std::uint64_t> hashes;
  hashes.reserve(permutations_.size());
  for (Permutation& permutation : permutations_) {
    hashes.push_back(permute(permutation, value).hash());
  }
  return hashes_.emplace(value.word(), std::move(hashes)).first->second;
}

std::uint64_t Symmetry::fingerprint(std::span<const Value> values) {
  if (evaluator_.program.symmetries.empty()) return fingerprint_of(values);
  if (permutations_.empty()) prepare();
  if (hashes_.size() * permutations_.size() > kHashesMax) hashes_.clear();
  std::vector<std::uint64_t> mixed(permutations_.size(), kFingerprintStart);
  for (const Value value : values) {
    const std::vector<std::uint64_t>& hashes = hashes_of(value);
    for (std::size_t i = 0; i < mixed.size(); ++i) mixed[i] = mix_fingerprint(mixed[i], hashes[i]);
  }
  return *std::min_element(mixed.begin(), mixed.end());
}

}  // namespace dissensus::tla
