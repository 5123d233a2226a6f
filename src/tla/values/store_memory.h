// The memory of a store: cells in chunks, and the table that finds an equal cell.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "tla/values/value.h"

namespace dissensus::tla {

/// The items of a set, or the components of a tuple, as a span.
inline std::span<const Value> items_of(Value value) {
  return {value.cell()->items(), value.cell()->size};
}
/// The values of a function, record or tuple without the domain or the names.
inline std::span<const Value> values_of(Value function) {
  const std::span<const Value> items = items_of(function);
  return function.cell()->type == Type::tuple ? items : items.subspan(1);
}

/// Comparability of values, see Cell::shape.
std::uint32_t shape_of(Value value);

/// Order by content; see Store::compare.
int compare_values(Value a, Value b);

enum class Relation : std::uint8_t { equal, different, incomparable };
/// TLA+ equality of canonical values. `left` and `right` become the pair that cannot be compared.
Relation relation(Value a, Value b, Value& left, Value& right);
/// Throws ValueError when TLC would refuse to compare the two.
void require_comparable(Value a, Value b);
[[noreturn]] void fail_incomparable(Value left, Value right);

/// `sorted` has no duplicates; throws where two that stand side by side cannot be compared.
void require_neighbours_comparable(std::span<const Value> sorted);
/// Position of the element in a sorted list, or of where it would be.
std::size_t find_element(std::span<const Value> sorted, Value element);

/// The value for a message, cut.
std::string shown(Value value);
/// "the number 1", "the string \"a\"", for messages.
std::string described(Value value);

/// Chunks of cells and an open-addressing table over them. Cells are entered into the table in the
/// order of their making, also when it grows: emptying the slots of all cells after a mark
/// therefore gives exactly the table of that time.
class CellMemory {
 public:
  explicit CellMemory(const StoreLimits& limits);

  /// Room for a cell of `size` items at the end of the memory; becomes a value with finish. No
  /// other cell may be begun in between.
  Value* begin(std::size_t size);
  Value finish(Type type, std::size_t size);
  /// finish with a hash and shape that the caller knows.
  Value finish_with(Type type, std::size_t size, std::uint64_t hash, std::uint32_t shape);
  Value text(Type type, std::string_view text);
  /// The hash goes on from that of the tuple.
  Value append(Value tuple, Value item);

  Value make(Type type, std::span<const Value> items) {
    Value* place = begin(items.size());
    for (const Value item : items) *place++ = item;
    return finish(type, items.size());
  }

  Store::Mark mark() const;
  void release(const Store::Mark& mark);
  std::uint64_t generation() const { return generation_; }
  std::size_t bytes() const { return allocated_ + table_.size() * sizeof(std::uint64_t); }
  std::size_t cells() const { return cells_; }
  const StoreLimits& limits() const { return limits_; }

  static std::uint64_t tuple_hash_step(std::uint64_t hash, Value item) {
    return mix64(hash, item.hash()) + hash;
  }

 private:
  struct Chunk {
    std::unique_ptr<std::uint64_t[]> words;
    std::size_t capacity = 0;  ///< in words, as used
    std::size_t used = 0;
  };

  void next_chunk(std::size_t words);
  void grow_table();
  void enter(const Cell* cell);
  void forget(const Cell* cell);
  template <class Visit>
  void for_each_cell(std::size_t chunk, std::size_t used, const Visit& visit) const;
  Cell* top() const;
  Value commit(Cell* cell, std::size_t words);

  StoreLimits limits_;
  std::vector<Chunk> chunks_;
  std::size_t chunk_ = 0;  ///< the one in use
  std::vector<std::uint64_t> table_;
  std::size_t mask_ = 0;
  std::size_t cells_ = 0;
  std::size_t allocated_ = 0;
  std::uint64_t generation_ = 1;
};

struct Store::Implementation {
  explicit Implementation(const StoreLimits& limits) : memory(limits) {}

  CellMemory memory;
  Value empty_set, empty_tuple, naturals, integers, strings, any;
  /// Lists of small lazy sets that were asked for lately; emptied by release.
  struct Listed {
    Value lazy, list;
  };
  std::array<Listed, 64> listed{};
  Listed& listed_slot(Value lazy) { return listed[(lazy.word() >> 4) % listed.size()]; }
};

}  // namespace dissensus::tla
