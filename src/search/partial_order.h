// Partial-order sampling (POS: Yuan, Yang and Gu, CAV 2018; RAPOS: Sen, ASE 2007), and the uniform
// walk beside it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "dissensus/random.h"
#include "dissensus/scheduler.h"
#include "dissensus/search.h"

#include "search/pace.h"

namespace dissensus::search {

/// Each message has a random priority, the highest goes first. Messages to the same receiver race
/// with each other: when one is delivered, the others draw new priorities. Unlike a uniform walk
/// this does not favour orders that many schedules have in common.
class PartialOrderScheduler final : public HoldingScheduler {
 public:
  explicit PartialOrderScheduler(std::uint64_t seed) : seed_(seed) {}

  void start(std::size_t nodes, std::size_t kinds) override;
  void arrived(const PendingMessage& message) override;
  std::size_t pick(std::span<const PendingMessage> inbox) override;

 private:
  std::uint64_t seed_;
  Random random_;
  std::vector<std::uint64_t> priority_;  ///< by place in the inbox
};

/// RAPOS. Messages are delivered in batches whose members do not race, one receiver each. After a
/// batch only messages that race with one of its members may begin the next one, so that a partial
/// order is drawn about once, whatever the number of its interleavings; where none does, any may.
class RaposScheduler final : public HoldingScheduler {
 public:
  explicit RaposScheduler(std::uint64_t seed) : seed_(seed) {}

  void start(std::size_t nodes, std::size_t kinds) override;
  std::size_t pick(std::span<const PendingMessage> inbox) override;

 private:
  void draw_batch(std::span<const PendingMessage> inbox);

  std::uint64_t seed_;
  Random random_;
  std::vector<std::uint64_t> batch_;  ///< numbers of messages, the next one last
  std::vector<bool> is_hit_;          ///< by node: a receiver of the last batch
};

/// Every message that waits is as likely as any other.
class RandomWalkScheduler final : public Scheduler {
 public:
  explicit RandomWalkScheduler(std::uint64_t seed) : seed_(seed) {}
  void start(std::size_t, std::size_t) override { random_ = Random(seed_, "random-walk"); }
  std::size_t pick(std::span<const PendingMessage> inbox) override {
    return static_cast<std::size_t>(random_.below(inbox.size()));
  }

 private:
  std::uint64_t seed_;
  Random random_;
};

std::unique_ptr<Search> make_partial_order(const SearchContext& context, const Options& options);
std::unique_ptr<Search> make_rapos(const SearchContext& context, const Options& options);

}  // namespace dissensus::search
