#include "systems/libraft/heap.h"

#include <cstdlib>
#include <cstring>
#include <mutex>

#include "core/assert.h"
#include "systems/libraft/raft.h"

namespace dissensus::libraft {

namespace {
thread_local Heap* current = nullptr;

Heap& heap_in_use() {
  DISSENSUS_ASSERT(current != nullptr, "libraft : memory is asked for within a run only");
  return *current;
}
}  // namespace

Heap::~Heap() {
  while (first_ != nullptr) {
    Block* const block = first_;
    first_ = block->next;
    std::free(block);
  }
}

void Heap::link(Block* block) {
  block->heap = this;
  block->previous = nullptr;
  block->next = first_;
  if (first_ != nullptr) first_->previous = block;
  first_ = block;
  bytes_ += block->bytes;
}

void Heap::unlink(Block* block) {
  if (block->previous != nullptr) {
    block->previous->next = block->next;
  } else {
    block->heap->first_ = block->next;
  }
  if (block->next != nullptr) block->next->previous = block->previous;
  block->heap->bytes_ -= block->bytes;
}

void* Heap::allocate(std::size_t bytes) {
  // Zeroed, because the library stores and sends bytes that it never set: the padding of encoded
  // configurations. Whatever lay in memory would then be part of the run.
  auto* const block = static_cast<Block*>(std::calloc(1, sizeof(Block) + bytes));
  if (block == nullptr) return nullptr;
  block->bytes = bytes;
  link(block);
  return block + 1;
}

void Heap::release(void* pointer) {
  if (pointer == nullptr) return;
  Block* const block = static_cast<Block*>(pointer) - 1;
  unlink(block);
  std::free(block);
}

void* Heap::resize(void* pointer, std::size_t bytes) {
  if (pointer == nullptr) return allocate(bytes);
  Block* const block = static_cast<Block*>(pointer) - 1;
  void* const result = allocate(bytes);
  if (result == nullptr) return nullptr;
  std::memcpy(result, pointer, block->bytes < bytes ? block->bytes : bytes);
  release(pointer);
  return result;
}

Heap::Use::Use(Heap& heap) : before_(current) {
  current = &heap;
}
Heap::Use::~Use() {
  current = before_;
}

void install_heap() {
  static std::once_flag once;
  static raft_heap heap{
      nullptr, [](void*, std::size_t size) { return heap_in_use().allocate(size); },
      [](void*, void* pointer) { Heap::release(pointer); },
      [](void*, std::size_t count, std::size_t size) {
        return heap_in_use().allocate(count * size);
      },
      [](void*, void* pointer, std::size_t size) { return heap_in_use().resize(pointer, size); },
      // Blocks are aligned to 16 bytes; only the library's own disk code asks for more.
      [](void*, std::size_t alignment, std::size_t size) {
        return alignment <= 16 ? heap_in_use().allocate(size) : nullptr;
      },
      [](void*, std::size_t, void* pointer) { Heap::release(pointer); }};
  std::call_once(once, [] { raft_heap_set(&heap); });
}

}  // namespace dissensus::libraft
