// Faults of the environment while a run goes on: nodes that are down or stand still, links that are
// cut or unreliable, clocks and disks in trouble. Each has a window, which counts from the start of
// the run or from something that happens in it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dissensus/random.h"

#include "faults/acted.h"
#include "faults/schedule.h"
#include "sim/world.h"

namespace dissensus::faults {

class EnvironmentPlan {
 public:
  /// `faults` and `acted` must outlive the plan; faults of other types are passed over, and so are
  /// partitions and skews without an anchor, which FaultPlan and ByzantinePlan know.
  /// The last `bystanders` nodes are not cut off from anybody, and node numbers of faults that wait
  /// for a node count within the others.
  EnvironmentPlan(const std::vector<Fault>& faults, Acted& acted, std::size_t nodes,
                  std::size_t bystanders = 0);

  void attach(sim::World& world);
  /// Tags of this plan's alarms have kAlarmBit set.
  static constexpr std::uint64_t kAlarmBit = std::uint64_t{1} << 61;
  void on_alarm(sim::World& world, std::uint64_t tag);
  void on_phase(sim::World& world, NodeId node, std::uint32_t phase);
  void on_round(sim::World& world, NodeId node, std::uint64_t round);
  /// Ends all faults: what is down with an end in view comes back.
  void end(sim::World& world);

  /// True if some fault concerns messages.
  bool sees_messages() const { return sees_messages_; }
  bool separates(NodeId from, NodeId to) {
    if (cut_[from * nodes_ + to] == 0) return false;
    note_cut(from, to);
    return true;
  }

  /// What unreliable links make of a message.
  struct Fate {
    bool lost = false;
    bool twice = false;
    Duration late{};
    Duration copy_late{};
  };
  Fate judge(const sim::World& world, const sim::Transmission& sent);
  /// Notes what cannot be seen when it happens: what came of disks in trouble that still are.
  void conclude(sim::World& world);

 private:
  struct Entry {
    const Fault* fault = nullptr;
    const Window* window = nullptr;
    std::size_t number = 0;  ///< of the fault in the schedule
    std::uint32_t seen = 0;  ///< how often its anchor has happened
    NodeId origin = 0;       ///< node numbers count from here
    bool active = false;
    bool over = false;  ///< its end came before its beginning
    EventId event = 0;  ///< of its beginning
    NodeSet hit;        ///< the nodes that it did something to
    Time since{};
    std::uint64_t before = 0;  ///< how often the disk's trouble had told when it began
    Random random{};
    std::vector<bool> senders;  ///< by node; of unreliable links
    std::vector<bool> receivers;
  };
  struct Starter;
  struct Stopper;

  void anchored(sim::World& world, Entry& entry, NodeId node);
  void set_alarm(sim::World& world, const Entry& entry, Duration delay, bool begins);
  void begin(sim::World& world, Entry& entry);
  void stop(sim::World& world, Entry& entry);
  void cut_links(const Entry& entry, int change);
  void note_cut(NodeId from, NodeId to);
  void note_disk(sim::World& world, Entry& entry);
  NodeId actual(const Entry& entry, NodeId node) const {
    return node < exposed_ ? static_cast<NodeId>((node + entry.origin) % exposed_) : node;
  }
  NodeSet actual(const Entry& entry, const NodeSet& set) const;
  bool blocks(const Entry& entry, NodeId from, NodeId to) const;
  std::string text_of(const Entry& entry) const;

  Acted& acted_;
  std::size_t nodes_;
  std::size_t exposed_;  ///< without the bystanders
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> links_;  ///< active entries of unreliable links
  std::vector<std::uint16_t> cut_;    ///< by link: how many cuts it has
  bool sees_messages_ = false;
  bool ended_ = false;
};

}  // namespace dissensus::faults
