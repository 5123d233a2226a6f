#include "tla/exploration/fingerprint_set.h"

#include <utility>

namespace dissensus::tla {

namespace {
constexpr std::uint64_t kFirstCapacity = 1 << 14;
constexpr std::uint64_t kFirstRecent = 1 << 10;
}  // namespace

bool FingerprintSet::Slots::insert(std::uint64_t fingerprint) {
  const std::uint64_t key = key_of(fingerprint);
  for (std::uint64_t i = key & mask_;; i = (i + 1) & mask_) {
    const std::uint64_t found = slots_[i].load(std::memory_order_relaxed);
    if (found == key) return false;
    if (found == 0) {
      slots_[i].store(key, std::memory_order_relaxed);
      return true;
    }
  }
}

FingerprintSet::FingerprintSet() : slots_(std::make_shared<Slots>(kFirstCapacity)) {}

bool FingerprintSet::insert(std::uint64_t fingerprint) {
  if (!slots_->insert(fingerprint)) return false;
  ++size_;
  if (size_ > slots_->capacity() / 4 * 3) grow();
  return true;
}

void FingerprintSet::grow() {
  auto larger = std::make_shared<Slots>(slots_->capacity() * 2);
  for (std::uint64_t i = 0; i < slots_->capacity(); ++i) {
    const std::uint64_t key = slots_->slots_[i].load(std::memory_order_relaxed);
    if (key != 0) larger->insert(key);
  }
  slots_ = std::move(larger);
}

RecentFingerprints::RecentFingerprints()
    : slots_(std::make_unique<Slot[]>(kFirstRecent)), mask_(kFirstRecent - 1) {}

bool RecentFingerprints::insert(std::uint64_t fingerprint) {
  for (std::uint64_t i = fingerprint & mask_;; i = (i + 1) & mask_) {
    Slot& slot = slots_[i];
    if (slot.round != round_) {
      slot = {fingerprint, round_};
      if (++size_ > mask_ / 2) grow();
      return true;
    }
    if (slot.fingerprint == fingerprint) return false;
  }
}

void RecentFingerprints::clear() {
  ++round_;
  size_ = 0;
}

void RecentFingerprints::grow() {
  const std::unique_ptr<Slot[]> old = std::move(slots_);
  const std::uint64_t count = mask_ + 1;
  slots_ = std::make_unique<Slot[]>(count * 2);
  mask_ = count * 2 - 1;
  size_ = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (old[i].round == round_) insert(old[i].fingerprint);
  }
}

}  // namespace dissensus::tla
