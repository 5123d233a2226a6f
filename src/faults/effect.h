// What a fault does while a run goes on. An effect may meet messages, at stations of their road,
// and it may be told of times, rounds and phases; the engine (engine.h) asks and tells effects in
// one order.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dissensus/faults.h"

#include "faults/acted.h"
#include "sim/world.h"

namespace dissensus::faults {

/// The protocol round of a message that a node sends now (SystemDescription::first_round); none for
/// kinds without a step, and before the first round.
std::optional<std::uint64_t> protocol_round(const sim::World& world, NodeId from, MessageKind kind);

/// Where a message meets faults, in this order. One that is lost at a station goes on to the next
/// if that is marked `lost_too` (what is decided there depends on no message before), else it is
/// dropped.
enum class Station : std::uint8_t {
  leave,      ///< it is sent: nodes that crash because of it
  partition,  ///< partitions by time or round
  drop,       ///< lost by sender, receiver, kind
  cut,        ///< cut links, and partitions that wait for something
  overhear,   ///< liars listen
  silence,    ///< kept from receivers by protocol round or sender
  twins,      ///< kept from those who do not hear this copy
  noise,      ///< lost or corrupted by chance
  speak,      ///< what gets so far has been said
  replay,     ///< an earlier one comes behind it
  lie,        ///< changed
  // From here on each copy for itself.
  delay,  ///< late
  copy,   ///< copies come behind it
  links,  ///< lost, doubled or late by chance
};
struct Stop {
  Station station;
  bool lost_too;  ///< messages that were lost at the station before pass here as well
};
inline constexpr std::array<Stop, 11> kRoad{{
    {Station::leave, false},
    {Station::partition, false},
    {Station::drop, false},
    {Station::cut, false},
    {Station::overhear, false},
    {Station::silence, false},
    {Station::twins, false},
    {Station::noise, true},
    {Station::speak, false},
    {Station::replay, false},
    {Station::lie, false},
}};
inline constexpr std::array<Station, 3> kRoadOfCopies{Station::delay, Station::copy,
                                                      Station::links};

/// Who is told first that the run begins, that a node enters a round, and that faults are over.
enum class Turn : std::uint8_t { partition, crash, environment, twins, clock, nobody };

/// A message on its way.
class Passage {
 public:
  Passage(sim::World& its_world, sim::Transmission& transmission, std::vector<Duration>& later)
      : world(its_world), sent(transmission), copies(later) {}

  void lose(DropReason why) {
    lost = true;
    reason = why;
  }
  const std::optional<std::uint64_t>& round() {
    look();
    return round_;
  }
  /// Whether the sender says it itself, or passes on what somebody else has said.
  bool own_words() {
    look();
    return own_words_;
  }

  sim::World& world;
  sim::Transmission& sent;
  bool lost = false;
  DropReason reason = DropReason::schedule;
  std::optional<sim::Transmission> replay;  ///< arrives behind it
  Duration late{};
  std::vector<Duration>& copies;  ///< how much later each further copy arrives
  // What unreliable links make of it.
  bool doubled = false;
  Duration link_late{};
  Duration double_late{};

 private:
  void look();
  bool looked_ = false;
  bool own_words_ = false;
  std::optional<std::uint64_t> round_;
};

/// The copies of the receiver that a message goes to.
struct Copies {
  bool first = true;
  NodeId second = kNoNode;  ///< the twin's name; kNoNode: none
};

class Effect {
 public:
  virtual ~Effect() = default;

  virtual std::span<const Station> stations() const { return {}; }
  virtual void meet(Passage& /*passage*/, Station /*station*/) {}
  virtual bool divides() const { return false; }
  /// Of one effect that divides: which copies of its receiver a message goes to.
  virtual Copies divide(const sim::Transmission& /*sent*/) { return {}; }

  virtual Turn turn() const { return Turn::nobody; }
  /// Moments that lie before now() have passed: a span is entered in its middle, a crash is not
  /// made up for.
  virtual void attach(sim::World& /*world*/) {}
  virtual void on_alarm(sim::World& /*world*/, unsigned /*which*/) {}
  virtual void on_round(sim::World& /*world*/, NodeId /*node*/, std::uint64_t /*round*/) {}
  virtual void on_phase(sim::World& /*world*/, NodeId /*node*/, std::uint32_t /*phase*/) {}
  /// Faults are over: what is down with an end in view comes back.
  virtual void end(sim::World& /*world*/) {}
  /// Those of a turn end in the order of these numbers.
  virtual std::uint64_t order_of_end() const { return 0; }
  /// Lets go of all messages.
  virtual void forget() {}
  /// Notes what cannot be seen when it happens.
  virtual void conclude(sim::World& /*world*/) {}

 protected:
  /// False: it would do nothing to a message now.
  bool awake_ = true;

  static constexpr unsigned kAlarms = 4;
  /// Calls on_alarm(which) after `delay`.
  void set_alarm(sim::World& world, Duration delay, unsigned which) const {
    world.set_alarm(delay, std::uint64_t{id_} * kAlarms + which);
  }

 private:
  friend class Engine;
  std::uint32_t id_ = 0;
};

/// Where an effect is made: of which fault of the schedule, for which nodes.
class Site {
 public:
  Site(Acted& list, std::size_t node_count, std::size_t bystanders,
       std::vector<std::unique_ptr<Effect>>& effects)
      : acted(list), nodes(node_count), exposed(node_count - bystanders), effects_(effects) {}

  /// The one effect of this type, which all faults that need it share.
  template <class Shared>
  Shared& shared() {
    for (const auto& effect : effects_) {
      if (auto* const found = dynamic_cast<Shared*>(effect.get())) return *found;
    }
    auto made = std::make_unique<Shared>(*this);
    Shared& result = *made;
    effects_.push_back(std::move(made));
    return result;
  }

  Acted& acted;
  std::size_t nodes;
  /// Without the bystanders, the last nodes: faults do not cut them off, and node numbers of faults
  /// that wait for a node count within the others.
  std::size_t exposed;
  std::size_t number = 0;  ///< of the fault in the schedule

 private:
  std::vector<std::unique_ptr<Effect>>& effects_;
};

/// The mark that a fault did something.
class Mark {
 public:
  explicit Mark(const Site& site) : acted_(site.acted), number_(site.number) {}
  void operator()() const { acted_.mark(number_); }
  bool is_set() const { return acted_.has(number_); }

 private:
  Acted& acted_;
  std::size_t number_;
};

/// A span of times, or of rounds of a node, that is looked at when something happens.
class Span {
 public:
  explicit Span(const Window& window);
  bool contains(const sim::World& world, NodeId node) const {
    return contains(by_round_ ? world.round_of(node)
                              : static_cast<std::uint64_t>(microseconds_of(world.now())));
  }
  bool contains(std::uint64_t value) const { return value >= begin_ && value < end_; }

 private:
  std::uint64_t begin_;
  std::uint64_t end_;
  bool by_round_;
};

/// By node: is it one of these?
std::vector<bool> table_of(const NodeSet& members, std::size_t nodes);

/// An effect that begins and ends with a window: by the clock, by rounds, or when something has
/// happened that it waits for. Its beginning and its end are events of the run.
class Lasting : public Effect {
 public:
  /// What of it is an event.
  enum class Shown : std::uint8_t { nothing, fault, partition };

  Lasting(const Window& window, const Site& site, Shown shown);

  Turn turn() const override { return Turn::environment; }
  void attach(sim::World& world) override;
  void on_alarm(sim::World& world, unsigned which) override;
  void on_round(sim::World& world, NodeId node, std::uint64_t round) override;
  void on_phase(sim::World& world, NodeId node, std::uint32_t phase) override;
  void end(sim::World& world) override;

 protected:
  virtual void begin(sim::World& world) = 0;
  virtual void stop(sim::World& world) = 0;
  /// What its beginning says.
  virtual std::string text() const { return {}; }
  /// Whose rounds a span of rounds is about. Of one that follows nodes it lasts as long as one of
  /// them is within it. Else it begins when some node enters it, and ends when one gets beyond.
  enum class Rounds : std::uint8_t { furthest, of_each, of_one };
  virtual Rounds rounds() const { return Rounds::furthest; }
  virtual NodeId follows() const { return kNoNode; }  ///< Rounds::of_one
  /// True: it stays when faults are over.
  virtual bool stays() const { return false; }

  /// The node that is meant by a number of the fault.
  NodeId actual(NodeId node) const {
    return node < exposed_ ? static_cast<NodeId>((node + origin_) % exposed_) : node;
  }
  NodeSet actual(const NodeSet& set) const;
  std::string listed_nodes(const NodeSet& set) const;
  bool waits() const { return window_.after.has_value(); }
  bool is_active() const { return active_; }
  /// Whether a node's round is within the window.
  bool is_inside(NodeId node) const { return inside_[node]; }
  bool is_by_round() const { return window_.by_round(); }

  std::size_t nodes_;
  std::size_t exposed_;
  Mark mark_;
  Time since_{};  ///< its beginning

  // How kinds differ in what they do at the beginning of a run.
  bool begins_at_once_ = false;  ///< a window that has begun acts before the nodes start
  bool knows_its_end_ = false;   ///< the alarm of its end is set at the beginning of the run

 private:
  void start(sim::World& world);
  void finish(sim::World& world);
  void happened(sim::World& world, NodeId node);
  void move(sim::World& world, NodeId node, std::uint64_t round);

  Window window_;
  Shown shown_;
  std::uint32_t seen_ = 0;  ///< how often its anchor has happened
  NodeId origin_ = 0;       ///< node numbers count from here
  bool active_ = false;
  bool over_ = false;  ///< its end has come
  EventId event_ = 0;  ///< of its beginning
  std::vector<bool> inside_;
  std::size_t inside_count_ = 0;
};

}  // namespace dissensus::faults
