// States that wait to be expanded, as values of one store or as bytes that every store can read.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "tla/evaluation/machine.h"

namespace dissensus::tla {

/// Up to a few hundred states of one level, which share many values: each is written once.
class StateBlock {
 public:
  std::uint32_t level = 0;
  std::uint64_t first_index = 0;  ///< of its states among all that were found
  std::size_t next_row = 0;       ///< states before it were taken already
  std::size_t owner = 0;          ///< the worker whose store has the values of a raw block
  bool is_busy = false;           ///< being encoded by its owner

  std::size_t size() const { return size_; }
  bool is_raw() const { return is_raw_; }
  bool is_in_file() const { return file_bytes_ != 0; }
  std::uint64_t bytes() const;

  /// Appends a state as it is: it can be read from the same store alone.
  void add_raw(const State& state);
  /// Keeps the states whose mark is true; there is one per state.
  void keep(const std::vector<bool>& marks);
  /// A block of one of the states.
  StateBlock row(std::size_t index) const;

 private:
  friend class BlockCodec;
  friend class SpillFile;
  std::size_t size_ = 0;
  std::size_t width_ = 0;
  bool is_raw_ = true;
  std::vector<Value> values_;         // raw: size x width
  std::vector<std::uint32_t> cells_;  // otherwise positions in the dictionary
  std::string dictionary_;
  std::uint32_t dictionary_size_ = 0;
  std::uint64_t file_offset_ = 0, file_bytes_ = 0;
};

/// Turns blocks of one store into bytes, and bytes into states of a store.
class BlockCodec {
 public:
  explicit BlockCodec(Store& store) : store_(store) {}
  /// After this the block can be read from any store.
  void encode(StateBlock& block);
  /// All values of a block; state number i begins at i x width.
  const std::vector<Value>& decode(const StateBlock& block);

 private:
  struct Slot {
    std::uint64_t word = 0;
    std::uint32_t position = 0;
  };
  std::uint32_t position_of(Value value, StateBlock& block);

  Store& store_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> used_;
  std::vector<Value> dictionary_, values_;
};

/// Blocks on disk. The file has no name and is gone with the process.
class SpillFile {
 public:
  ~SpillFile();
  /// Throws InputError when the disk is full.
  void write(StateBlock& block);
  void read(StateBlock& block);

 private:
  std::FILE* file_ = nullptr;
  std::uint64_t end_ = 0;
  std::uint64_t live_ = 0;  // blocks in it; the file starts anew when there are none
};

}  // namespace dissensus::tla
