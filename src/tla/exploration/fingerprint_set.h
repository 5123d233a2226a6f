// The set of fingerprints of the states that were found. One thread inserts; others may look.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace dissensus::tla {

class FingerprintSet {
 public:
  /// Linear probing; 0 is a free slot.
  class Slots {
   public:
    explicit Slots(std::uint64_t capacity)
        : mask_(capacity - 1), slots_(std::make_unique<std::atomic<std::uint64_t>[]>(capacity)) {}
    bool contains(std::uint64_t fingerprint) const {
      const std::uint64_t key = key_of(fingerprint);
      for (std::uint64_t i = key & mask_;; i = (i + 1) & mask_) {
        const std::uint64_t found = slots_[i].load(std::memory_order_relaxed);
        if (found == key) return true;
        if (found == 0) return false;
      }
    }
    void prefetch(std::uint64_t fingerprint) const {
      __builtin_prefetch(&slots_[key_of(fingerprint) & mask_]);
    }
    std::uint64_t capacity() const { return mask_ + 1; }

   private:
    friend class FingerprintSet;
    static std::uint64_t key_of(std::uint64_t fingerprint) {
      return fingerprint == 0 ? 1 : fingerprint;
    }
    bool insert(std::uint64_t fingerprint);
    std::uint64_t mask_;
    std::unique_ptr<std::atomic<std::uint64_t>[]> slots_;
  };

  FingerprintSet();

  /// False: it was there.
  bool insert(std::uint64_t fingerprint);
  void prefetch(std::uint64_t fingerprint) const { slots_->prefetch(fingerprint); }
  std::uint64_t size() const { return size_; }
  std::uint64_t bytes() const { return slots_->capacity() * sizeof(std::uint64_t); }
  /// For readers on other threads: everything that was inserted before the call, and perhaps some
  /// of what is inserted later.
  std::shared_ptr<const Slots> view() const { return slots_; }

 private:
  void grow();

  std::shared_ptr<Slots> slots_;
  std::uint64_t size_ = 0;
};

/// A small set that is emptied often: what one unit of work has seen.
class RecentFingerprints {
 public:
  RecentFingerprints();
  /// False: it was there.
  bool insert(std::uint64_t fingerprint);
  void clear();

 private:
  void grow();

  struct Slot {
    std::uint64_t fingerprint = 0;
    std::uint64_t round = 0;  // in use if it is the present one
  };
  std::unique_ptr<Slot[]> slots_;
  std::uint64_t mask_ = 0;
  std::uint64_t size_ = 0;
  std::uint64_t round_ = 1;
};

}  // namespace dissensus::tla
