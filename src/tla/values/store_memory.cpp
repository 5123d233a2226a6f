#include "tla/values/store_memory.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "core/assert.h"

namespace dissensus::tla {
namespace {

constexpr std::size_t kCellWords = sizeof(Cell) / sizeof(std::uint64_t);
constexpr std::size_t kFirstChunkWords = std::size_t{1} << 12;
constexpr std::size_t kChunkWordsMax = std::size_t{1} << 19;
constexpr std::size_t kFirstTableSlots = std::size_t{1} << 10;
// A slot is the address of a cell and, in the sixteen bits that addresses leave free, a piece of
// its hash.
constexpr unsigned kTagShift = 48;
constexpr std::uint64_t kAddressMask = (std::uint64_t{1} << kTagShift) - 1;

std::uint64_t slot_of(const Cell* cell) {
  return reinterpret_cast<std::uintptr_t>(cell) | (cell->hash >> kTagShift) << kTagShift;
}
const Cell* cell_of(std::uint64_t slot) {
  return reinterpret_cast<const Cell*>(static_cast<std::uintptr_t>(slot & kAddressMask));
}

std::size_t words_of(Type type, std::size_t size) {
  const bool is_text = type == Type::text || type == Type::model_value;
  return kCellWords + (is_text ? (size + 7) / 8 : size);
}

constexpr std::uint32_t kNumberShape = 2, kBooleanShape = 3, kTextShape = 4, kModelValueShape = 5,
                        kSetShape = 11, kTupleShape = 12, kRecordShape = 13, kFunctionShape = 14;

constexpr std::uint64_t kTypeSeed = 0x2D358DCCAA6C78A5ULL;
std::uint64_t seed_of(Type type) {
  return mix64(kTypeSeed, static_cast<std::uint64_t>(type) + 1);
}

std::uint32_t shape_mix(std::uint64_t a, std::uint64_t b) {
  const auto shape = static_cast<std::uint32_t>(mix64(a, b)) & 0xFFFFFF;
  return shape == 0 ? 1 : shape;
}

/// The shape that all have, or 0.
std::uint32_t common_shape(std::span<const Value> items) {
  if (items.empty()) return 0;
  const std::uint32_t shape = shape_of(items.front());
  for (const Value item : items.subspan(1)) {
    if (shape_of(item) != shape) return 0;
  }
  return shape;
}

std::uint32_t shape_of_each(std::uint64_t seed, std::span<const Value> items) {
  std::uint32_t shape = static_cast<std::uint32_t>(seed);
  for (const Value item : items) {
    const std::uint32_t part = shape_of(item);
    if (part == 0) return 0;
    shape = shape_mix(shape, part);
  }
  return shape;
}

std::uint32_t shape_of_items(Type type, std::span<const Value> items) {
  switch (type) {
    case Type::set: {
      if (items.empty()) return kSetShape;
      const std::uint32_t common = common_shape(items);
      return common == 0 ? 0 : shape_mix(kSetShape, common);
    }
    case Type::tuple: {
      if (items.empty()) return kTupleShape;
      const std::uint32_t common = common_shape(items);
      return common != 0 ? shape_mix(kTupleShape, common) : shape_of_each(kTupleShape, items);
    }
    case Type::record:
      return shape_of_each(shape_mix(kRecordShape, items[0].hash()), items.subspan(1));
    case Type::function: {
      const std::uint32_t domain = shape_of(items[0]);
      const std::uint32_t common = common_shape(items.subspan(1));
      return domain == 0 || common == 0 ? 0 : shape_mix(shape_mix(kFunctionShape, domain), common);
    }
    default:
      return 0;
  }
}

}  // namespace

std::uint32_t shape_of(Value value) {
  return value.is_integer()   ? kNumberShape
         : value.is_boolean() ? kBooleanShape
                              : value.cell()->shape;
}

CellMemory::CellMemory(const StoreLimits& limits)
    : limits_(limits), table_(kFirstTableSlots), mask_(kFirstTableSlots - 1) {
  next_chunk(0);
}

void CellMemory::next_chunk(std::size_t words) {
  // Chunks that a release left empty are used again when they are large enough.
  while (!chunks_.empty() && chunk_ + 1 < chunks_.size()) {
    ++chunk_;
    chunks_[chunk_].used = 0;
    if (chunks_[chunk_].capacity >= words) return;
  }
  std::size_t capacity =
      chunks_.empty() ? kFirstChunkWords : std::min(chunks_.back().capacity * 2, kChunkWordsMax);
  capacity = std::max(capacity, words);
  if (bytes() + capacity * sizeof(std::uint64_t) > limits_.bytes) {
    throw ValueError(fmt::format(
        "the values take more than the limit of {} MB of memory; raise the limit or check a "
        "smaller model",
        limits_.bytes >> 20));
  }
  Chunk chunk;
  chunk.words.reset(new std::uint64_t[capacity]);
  chunk.capacity = capacity;
  chunks_.push_back(std::move(chunk));
  chunk_ = chunks_.size() - 1;
  allocated_ += capacity * sizeof(std::uint64_t);
}

Cell* CellMemory::top() const {
  const Chunk& chunk = chunks_[chunk_];
  return reinterpret_cast<Cell*>(chunk.words.get() + chunk.used);
}

Value* CellMemory::begin(std::size_t size) {
  if (size > 0xFFFFFFFF - kCellWords) throw ValueError("a value of more than 2^32 items");
  const std::size_t words = kCellWords + size;
  if (chunks_[chunk_].capacity - chunks_[chunk_].used < words) next_chunk(words);
  return reinterpret_cast<Value*>(top() + 1);
}

Value CellMemory::commit(Cell* cell, std::size_t words) {
  chunks_[chunk_].used += words;
  ++cells_;
  return Value::of(cell);
}

Value CellMemory::finish(Type type, std::size_t size) {
  const std::span<const Value> items{reinterpret_cast<const Value*>(top() + 1), size};
  std::uint64_t hash = seed_of(type);
  for (const Value item : items) hash = tuple_hash_step(hash, item);
  return finish_with(type, size, hash, shape_of_items(type, items));
}

Value CellMemory::finish_with(Type type, std::size_t size, std::uint64_t hash,
                              std::uint32_t shape) {
  Cell* cell = top();
  const auto* items = reinterpret_cast<const Value*>(cell + 1);
  const std::uint64_t tag = hash >> kTagShift;
  std::size_t place = hash & mask_;
  for (; table_[place] != 0; place = (place + 1) & mask_) {
    if (table_[place] >> kTagShift != tag) continue;
    const Cell* known = cell_of(table_[place]);
    if (known->hash == hash && known->type == type && known->size == size &&
        std::memcmp(known->items(), items, size * sizeof(Value)) == 0) {
      return Value::of(known);
    }
  }
  cell->hash = hash;
  cell->size = static_cast<std::uint32_t>(size);
  cell->shape = shape & 0xFFFFFF;
  cell->type = type;
  table_[place] = slot_of(cell);
  const Value value = commit(cell, kCellWords + size);
  if (cells_ * 2 > table_.size()) grow_table();
  return value;
}

Value CellMemory::append(Value tuple, Value item) {
  const Cell* cell = tuple.cell();
  Value* place = begin(std::size_t{cell->size} + 1);
  std::copy(cell->items(), cell->items() + cell->size, place);
  place[cell->size] = item;
  const std::uint64_t hash = tuple_hash_step(cell->hash, item);
  const std::uint32_t part = shape_of(item);
  const bool keeps_shape =
      cell->size != 0 && part != 0 && cell->shape == shape_mix(kTupleShape, part);
  const std::uint32_t shape =
      keeps_shape ? cell->shape : shape_of_items(Type::tuple, {place, std::size_t{cell->size} + 1});
  return finish_with(Type::tuple, std::size_t{cell->size} + 1, hash, shape);
}

Value CellMemory::text(Type type, std::string_view text) {
  const std::uint64_t hash = mix64(digest_of_text(text).low, seed_of(type)) + seed_of(type);
  const std::uint64_t tag = hash >> kTagShift;
  const std::size_t words = words_of(type, text.size());
  begin(words - kCellWords);
  std::size_t place = hash & mask_;
  for (; table_[place] != 0; place = (place + 1) & mask_) {
    if (table_[place] >> kTagShift != tag) continue;
    const Cell* known = cell_of(table_[place]);
    if (known->hash == hash && known->type == type && known->bytes() == text) {
      return Value::of(known);
    }
  }
  Cell* cell = top();
  cell->hash = hash;
  cell->size = static_cast<std::uint32_t>(text.size());
  const bool is_typed = text.size() > 2 && text[1] == '_';
  const std::uint32_t shape = type == Type::text ? kTextShape
                              : is_typed
                                  ? shape_mix(kModelValueShape, static_cast<unsigned char>(text[0]))
                                  : kModelValueShape;
  cell->shape = shape & 0xFFFFFF;
  cell->type = type;
  if (!text.empty()) std::memcpy(cell + 1, text.data(), text.size());
  table_[place] = slot_of(cell);
  const Value value = commit(cell, words);
  if (cells_ * 2 > table_.size()) grow_table();
  return value;
}

void CellMemory::enter(const Cell* cell) {
  std::size_t place = cell->hash & mask_;
  while (table_[place] != 0) place = (place + 1) & mask_;
  table_[place] = slot_of(cell);
}

void CellMemory::forget(const Cell* cell) {
  const std::uint64_t slot = slot_of(cell);
  std::size_t place = cell->hash & mask_;
  // Slots on the way may have been emptied already: they do not end the search.
  while (table_[place] != slot) place = (place + 1) & mask_;
  table_[place] = 0;
}

template <class Visit>
void CellMemory::for_each_cell(std::size_t chunk, std::size_t used, const Visit& visit) const {
  for (; chunk <= chunk_; ++chunk, used = 0) {
    while (used < chunks_[chunk].used) {
      const auto* cell = reinterpret_cast<const Cell*>(chunks_[chunk].words.get() + used);
      visit(cell);
      used += words_of(cell->type, cell->size);
    }
  }
}

void CellMemory::grow_table() {
  std::vector<std::uint64_t> larger(table_.size() * 2);
  table_.swap(larger);
  mask_ = table_.size() - 1;
  for_each_cell(0, 0, [&](const Cell* cell) { enter(cell); });
}

Store::Mark CellMemory::mark() const {
  return {chunk_, chunks_[chunk_].used, cells_, generation_};
}

void CellMemory::release(const Store::Mark& mark) {
  DISSENSUS_ASSERT(mark.cells <= cells_ && mark.chunk <= chunk_,
                   "Store::release : marks are released in the reverse of their order");
  if (mark.cells == cells_) return;
  const std::size_t released = cells_ - mark.cells;
  if (released > mark.cells && released > table_.size() / 4) {
    // Cheaper to enter what stays than to look for each that goes.
    chunks_[mark.chunk].used = mark.used;
    chunk_ = mark.chunk;
    std::fill(table_.begin(), table_.end(), 0);
    for_each_cell(0, 0, [&](const Cell* cell) { enter(cell); });
  } else {
    for_each_cell(mark.chunk, mark.used, [&](const Cell* cell) { forget(cell); });
    chunks_[mark.chunk].used = mark.used;
    chunk_ = mark.chunk;
  }
  cells_ = mark.cells;
  ++generation_;
}

}  // namespace dissensus::tla
