#include "tla/exploration/state_block.h"

#include <cerrno>

#include "dissensus/digest.h"
#include "dissensus/options.h"

#include "core/assert.h"
#include "core/bytes.h"
#include "core/file.h"

namespace dissensus::tla {

std::uint64_t StateBlock::bytes() const {
  return sizeof(StateBlock) + values_.capacity() * sizeof(Value) +
         cells_.capacity() * sizeof(std::uint32_t) + dictionary_.capacity();
}

void StateBlock::add_raw(const State& state) {
  width_ = state.size();
  values_.insert(values_.end(), state.begin(), state.end());
  ++size_;
}

void StateBlock::keep(const std::vector<bool>& marks) {
  DISSENSUS_ASSERT(marks.size() == size_, "StateBlock::keep : a mark for every state");
  std::size_t kept = 0;
  const auto move_row = [&](auto& rows, std::size_t from) {
    if (from == kept) return;
    const auto width = static_cast<std::ptrdiff_t>(width_);
    const auto source = rows.begin() + static_cast<std::ptrdiff_t>(from) * width;
    std::copy(source, source + width, rows.begin() + static_cast<std::ptrdiff_t>(kept) * width);
  };
  for (std::size_t i = 0; i < size_; ++i) {
    if (!marks[i]) continue;
    if (is_raw_) {
      move_row(values_, i);
    } else {
      move_row(cells_, i);
    }
    ++kept;
  }
  size_ = kept;
  if (is_raw_) {
    values_.resize(kept * width_);
    values_.shrink_to_fit();
  } else {
    cells_.resize(kept * width_);
    cells_.shrink_to_fit();
  }
}

StateBlock StateBlock::row(std::size_t index) const {
  StateBlock block;
  block.level = level;
  block.first_index = first_index + index;
  block.size_ = 1;
  block.width_ = width_;
  block.is_raw_ = is_raw_;
  block.owner = owner;
  const auto begin = static_cast<std::ptrdiff_t>(index * width_);
  const auto end = begin + static_cast<std::ptrdiff_t>(width_);
  if (is_raw_) {
    block.values_.assign(values_.begin() + begin, values_.begin() + end);
  } else {
    block.cells_.assign(cells_.begin() + begin, cells_.begin() + end);
    block.dictionary_ = dictionary_;
    block.dictionary_size_ = dictionary_size_;
  }
  return block;
}

std::uint32_t BlockCodec::position_of(Value value, StateBlock& block) {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = mix64(value.word(), slots_.size()) & mask;; i = (i + 1) & mask) {
    Slot& slot = slots_[i];
    if (slot.word == value.word()) return slot.position;
    if (slot.word != 0) continue;
    slot = {value.word(), block.dictionary_size_++};
    used_.push_back(static_cast<std::uint32_t>(i));
    serialize(value, block.dictionary_);
    return slot.position;
  }
}

void BlockCodec::encode(StateBlock& block) {
  if (!block.is_raw_) return;
  std::size_t slots = 64;
  while (slots < block.values_.size() * 2) slots *= 2;
  if (slots_.size() < slots) {
    slots_.assign(slots, {});
    used_.clear();
  }
  block.cells_.reserve(block.values_.size());
  for (const Value value : block.values_) block.cells_.push_back(position_of(value, block));
  for (const std::uint32_t i : used_) slots_[i] = {};
  used_.clear();
  block.dictionary_.shrink_to_fit();
  block.values_ = {};
  block.is_raw_ = false;
}

const std::vector<Value>& BlockCodec::decode(const StateBlock& block) {
  if (block.is_raw_) return block.values_;
  DISSENSUS_ASSERT(block.file_bytes_ == 0, "BlockCodec::decode : the block is in memory");
  dictionary_.clear();
  ByteReader reader(block.dictionary_, "a value");
  for (std::uint32_t i = 0; i < block.dictionary_size_; ++i) {
    dictionary_.push_back(deserialize(store_, reader));
  }
  values_.clear();
  values_.reserve(block.cells_.size());
  for (const std::uint32_t cell : block.cells_) values_.push_back(dictionary_[cell]);
  return values_;
}

SpillFile::~SpillFile() {
  if (file_ != nullptr) std::fclose(file_);
}

void SpillFile::write(StateBlock& block) {
  DISSENSUS_ASSERT(!block.is_raw_, "SpillFile::write : the block is encoded");
  if (file_ == nullptr) file_ = std::tmpfile();
  const auto fail = [] {
    fail_with("queued states cannot be written to a temporary file",
              {errno, std::generic_category()});
  };
  if (file_ == nullptr) fail();
  if (live_ == 0) end_ = 0;
  const std::size_t cell_bytes = block.cells_.size() * sizeof(std::uint32_t);
  if (std::fseek(file_, static_cast<long>(end_), SEEK_SET) != 0 ||
      std::fwrite(block.cells_.data(), 1, cell_bytes, file_) != cell_bytes ||
      std::fwrite(block.dictionary_.data(), 1, block.dictionary_.size(), file_) !=
          block.dictionary_.size()) {
    fail();
  }
  block.file_offset_ = end_;
  block.file_bytes_ = cell_bytes + block.dictionary_.size();
  end_ += block.file_bytes_;
  ++live_;
  block.cells_ = {};
  block.dictionary_ = {};
}

void SpillFile::read(StateBlock& block) {
  if (block.file_bytes_ == 0) return;
  block.cells_.resize(block.size_ * block.width_);
  const std::size_t cell_bytes = block.cells_.size() * sizeof(std::uint32_t);
  block.dictionary_.resize(block.file_bytes_ - cell_bytes);
  if (std::fseek(file_, static_cast<long>(block.file_offset_), SEEK_SET) != 0 ||
      std::fread(block.cells_.data(), 1, cell_bytes, file_) != cell_bytes ||
      std::fread(block.dictionary_.data(), 1, block.dictionary_.size(), file_) !=
          block.dictionary_.size()) {
    throw InputError("cannot read queued states back from a temporary file");
  }
  block.file_bytes_ = 0;
  --live_;
}

}  // namespace dissensus::tla
