// The memory that the library allocates in one run. Whatever a run leaves behind, or drops in the
// middle because a node crashed, goes when the run does.
#pragma once

#include <cstddef>

namespace dissensus::libraft {

class Heap {
 public:
  Heap() = default;
  ~Heap();
  Heap(const Heap&) = delete;
  Heap& operator=(const Heap&) = delete;

  void* allocate(std::size_t bytes);
  void* resize(void* pointer, std::size_t bytes);
  static void release(void* pointer);
  std::size_t bytes() const { return bytes_; }

  /// While it lives, the library allocates from this heap in this thread.
  class Use {
   public:
    explicit Use(Heap& heap);
    ~Use();
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    Heap* before_;
  };

 private:
  /// In front of each block, so that a block can be found again.
  struct alignas(16) Block {
    Block* next;
    Block* previous;
    Heap* heap;
    std::size_t bytes;
  };
  void link(Block* block);
  static void unlink(Block* block);

  Block* first_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Tells the library once per process to use these heaps.
void install_heap();

}  // namespace dissensus::libraft
