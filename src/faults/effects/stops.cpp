// Nodes that stop: crashes of one node, outages of several, and nodes that stand still.
#include <algorithm>

#include <fmt/format.h>

#include "faults/kinds.h"
#include "faults/part_types.h"

namespace dissensus::faults {

template <class Visit>
constexpr void fields_of(const CrashPoint*, const Visit& visit) {
  visit("message", &CrashPoint::message);
  visit("file_operation", &CrashPoint::file_operation);
  visit("nth", &CrashPoint::nth);
}

namespace {

/// By a time, a round, or by what the node does.
class Crash final : public Effect, private sim::DiskWatcher {
 public:
  Crash(const CrashFault& fault, const Site& site) : fault_(fault), mark_(site) {}

  std::span<const Station> stations() const override {
    static constexpr std::array kStations{Station::leave};
    if (fault_.point && fault_.point->message) return kStations;
    return {};
  }
  void meet(Passage& passage, Station) override {
    const sim::Transmission& sent = passage.sent;
    const bool counts = sent.from == fault_.node && sent.from_twin == kNoNode &&
                        sent.message.kind() == *fault_.point->message;
    if (counts) count(passage.world, fault_.point->nth);
  }
  void operated(NodeId node) override {
    if (node == fault_.node) count(*world_, *fault_.point->file_operation);
  }

  Turn turn() const override { return Turn::crash; }
  void attach(sim::World& world) override {
    world_ = &world;
    if (fault_.point) {
      if (fault_.point->file_operation) world.watch_disks(*this);
      return;
    }
    if (fault_.at_round) {
      const std::uint64_t round = world.round_of(fault_.node);
      done_ = round != 0 && round >= *fault_.at_round;
      return;
    }
    const Duration now = world.now() - Time{};
    if (*fault_.at >= now) set_alarm(world, *fault_.at - now, kCrash);
  }
  void on_alarm(sim::World& world, unsigned which) override {
    if (which == kCrash) crash(world);
    if (which == kRestart) restart(world);
  }
  void on_round(sim::World& world, NodeId node, std::uint64_t round) override {
    if (done_ || fault_.node != node || !fault_.at_round) return;
    if (round >= *fault_.at_round) crash(world);
  }
  void end(sim::World& world) override {
    world.unwatch_disks(*this);
    restart(world);
  }

 private:
  enum Alarm : unsigned { kCrash, kRestart };

  /// It has done once more what it crashes by.
  void count(sim::World& world, std::uint64_t last) {
    if (done_ || ++seen_ != last) return;
    done_ = true;
    // A program that is asked something cannot be ended before it has answered.
    if (world.outside() != nullptr) {
      set_alarm(world, Duration{}, kCrash);
    } else {
      crash(world);
    }
  }
  /// One that finds its node down has no effect, its restart included.
  void crash(sim::World& world) {
    done_ = true;
    if (!world.is_running(fault_.node)) return;
    world.crash(fault_.node);
    mark_();
    if (!fault_.restart_after) return;
    restart_pending_ = true;
    set_alarm(world, *fault_.restart_after, kRestart);
  }
  void restart(sim::World& world) {
    if (!restart_pending_) return;
    restart_pending_ = false;
    world.restart(fault_.node);
  }

  CrashFault fault_;
  Mark mark_;
  sim::World* world_ = nullptr;
  std::uint64_t seen_ = 0;
  bool done_ = false;
  bool restart_pending_ = false;
};

/// Several nodes at once, for as long as the window lasts. Those that are down already stay as they
/// are.
template <class Known>
class Stop : public Lasting {
 public:
  Stop(const Known& fault, const Site& site, Shown shown)
      : Lasting(fault.when, site, shown), named_(fault.nodes) {}

 protected:
  virtual void hit(sim::World& world, NodeId node) = 0;
  void begin(sim::World& world) override {
    for (const NodeId node : actual(named_)) {
      if (!world.is_running(node)) continue;
      hit(world, node);
      hit_.push_back(node);
      mark_();
    }
  }

  NodeSet named_;
  NodeSet hit_;
};

class Outage final : public Stop<OutageFault> {
 public:
  // Crashes are events of their own.
  Outage(const OutageFault& fault, const Site& site)
      : Stop(fault, site, Shown::nothing), stays_(!fault.when.until) {}

 protected:
  void hit(sim::World& world, NodeId node) override { world.crash(node); }
  void stop(sim::World& world) override {
    for (const NodeId node : hit_) world.restart(node);
  }
  bool stays() const override { return stays_; }

 private:
  bool stays_;
};

class Pause final : public Stop<PauseFault> {
 public:
  Pause(const PauseFault& fault, const Site& site) : Stop(fault, site, Shown::fault) {}

 protected:
  void hit(sim::World& world, NodeId node) override { world.pause(node); }
  void stop(sim::World& world) override {
    for (const NodeId node : hit_) world.resume(node);
  }
  std::string text() const override { return "pause of " + listed_nodes(named_); }
};

// ---- declarations

/// `at`: a time, or a table that says what the node does.
class MomentPart final : public Part {
 public:
  MomentPart() : Part("at", Weight::one_of) {}

  void read(void* fault, const Options& document, const Target& target) const override {
    const auto at = document.find("at");
    if (!at) return;
    if (!at->is_table()) {
      of(fault).at = read_duration(*at);
      return;
    }
    const Options table = at->table();
    CrashPoint& point = of(fault).point.emplace();
    const auto message = table.find("message");
    const auto operation = table.find("file_operation");
    if (message.has_value() == operation.has_value()) {
      table.fail("expected either 'file_operation' or 'message': what the node does last");
    }
    if (operation) {
      point.file_operation = static_cast<std::uint64_t>(operation->integer(1, kRoundMax));
      return;
    }
    point.message = read_kind(*message, target);
    point.nth = static_cast<std::uint32_t>(table.integer("nth", 1, 1, kNthMax));
  }
  void write(const void* fault, Members& members, const Target& target) const override {
    const CrashFault& crash = of(fault);
    if (crash.at) members.add_duration("at", *crash.at);
    if (!crash.point) return;
    Members point;
    if (crash.point->file_operation) {
      point.add_number("file_operation", *crash.point->file_operation);
    } else {
      point.add_text("message", target.description.kinds.at(*crash.point->message).name);
      if (crash.point->nth != 1) point.add_number("nth", crash.point->nth);
    }
    members.add("at", point.on_one_line());
  }
  void put(const void* fault, ByteWriter& writer) const override {
    dissensus::put(writer, of(fault).at);
    dissensus::put(writer, of(fault).point);
  }
  void take(void* fault, ByteReader& reader) const override {
    dissensus::take(reader, of(fault).at);
    std::optional<CrashPoint>& point = of(fault).point;
    dissensus::take(reader, point);
    if (point && point->message.has_value() == point->file_operation.has_value()) reader.fail();
  }
  void add_schema(Json& properties) const override {
    const Json number{{"type", "integer"}, {"minimum", 1}};
    properties["at"] = {
        {"oneOf",
         {{{"type", "string"}},
          {{"type", "object"},
           {"properties",
            {{"file_operation", number}, {"message", {{"type", "string"}}}, {"nth", number}}},
           {"additionalProperties", false}}}}};
  }
  void draw(void* fault, Drawer&, const Window& when) const override { of(fault).at = when.from; }
  Range range(const Options& table, const Target& target) const override {
    const auto at = table.find("at");
    if (!at) return nullptr;
    if (!at->is_table()) {
      const auto read = [](const OptionValue& value) { return read_duration(value); };
      return [times = read_bounds(*at, read)](void* fault, Drawer& drawer, const Window&) {
        of(fault).at = times.draw(drawer.random);
      };
    }
    return range_of_points(at->table(), target);
  }
  void add_range_schema(Json& properties) const override {
    const Json number{{"type", "integer"}, {"minimum", 1}};
    const Json points{{"type", "object"},
                      {"properties",
                       {{"file_operation", schema_of_span(number)},
                        {"message", schema_of_alternatives({{"type", "string"}})},
                        {"nth", schema_of_span(number)}}},
                      {"additionalProperties", false}};
    properties["at"] = {{"oneOf", {schema_of_span(schema_of_duration()), points}}};
  }
  /// An earlier operation, or an earlier message, may do.
  bool reduce(void* fault, Reduction& reduction) const override {
    std::optional<CrashPoint>& point = of(fault).point;
    if (!point) return true;
    std::uint64_t number = point->file_operation ? *point->file_operation : point->nth;
    const std::int64_t start = static_cast<std::int64_t>(number) - 1;
    number = static_cast<std::uint64_t>(reduction.source.next(start, Scale::count)) + 1;
    if (point->file_operation) {
      point->file_operation = number;
    } else {
      point->nth = static_cast<std::uint32_t>(number);
    }
    return true;
  }
  void add_numbers(const void* fault, std::vector<FaultNumber>& numbers) const override {
    if (!of(fault).at) return;
    numbers.push_back({"at", *of(fault).at, [](void* each, Duration to) { of(each).at = to; }});
  }
  void shorten(void* fault, const Shorten& shorten) const override {
    if (of(fault).at) of(fault).at = shorten(*of(fault).at);
  }

 private:
  static constexpr std::int64_t kNthMax = 1'000'000'000;

  static Range range_of_points(const Options& table, const Target& target) {
    const auto operations = table.find("file_operation");
    const auto message = table.find("message");
    if (message.has_value() == operations.has_value()) {
      table.fail("expected either 'file_operation' or 'message': what the node does last");
    }
    const auto number = [](const OptionValue& value) { return value.integer(1, kNthMax); };
    if (operations) {
      return
          [bounds = read_bounds(*operations, number)](void* fault, Drawer& drawer, const Window&) {
            of(fault).point = {static_cast<std::uint64_t>(bounds.draw(drawer.random)), {}, 1};
          };
    }
    const auto kinds = read_alternatives(
        *message, [&](const OptionValue& value) { return read_kind(value, target); });
    const auto nth = table.find("nth");
    const auto bounds = nth ? read_bounds(*nth, number) : Bounds<std::int64_t>{1, 1};
    return [kinds, bounds](void* fault, Drawer& drawer, const Window&) {
      const MessageKind kind = any_of(kinds, drawer.random);
      of(fault).point = {{}, kind, static_cast<std::uint32_t>(bounds.draw(drawer.random))};
    };
  }
  static CrashFault& of(void* fault) { return *static_cast<CrashFault*>(fault); }
  static const CrashFault& of(const void* fault) { return *static_cast<const CrashFault*>(fault); }
};

void check_crash(const CrashFault& fault, const Options& document, const Target&) {
  if (fault.at_round && (fault.at || fault.point)) {
    document.fail("at_round", "expected 'at' or 'at_round', found both");
  }
  if (!fault.at_round && !fault.point) document.at("at");
}

std::string words_of_crash(const CrashFault& fault, const Speaker& say) {
  if (fault.at == Duration{} && !fault.restart_after) {
    return fmt::format("node {} is down from the start", fault.node);
  }
  std::string when = fault.at ? "at " + in_words(*fault.at) : "";
  if (fault.at_round) when = fmt::format("when it enters round {}", *fault.at_round);
  if (fault.point && fault.point->file_operation) {
    when = fmt::format("with its {} operation on a file", ordinal(*fault.point->file_operation));
  } else if (fault.point) {
    when = fmt::format("when it has sent its {} message {}", ordinal(fault.point->nth),
                       say.description.kinds.at(*fault.point->message).name);
  }
  const std::string then = fault.restart_after
                               ? fmt::format("restarts {} later", in_words(*fault.restart_after))
                               : std::string("stays down");
  return fmt::format("node {} crashes {} and {}", fault.node, when, then);
}

std::optional<Obstacle> crash_without_disk(const CrashFault& fault,
                                           const SystemDescription& description) {
  if (!fault.point || !fault.point->file_operation) return std::nullopt;
  return obstacle_to_disk(fault.node, description);
}

std::string words_of_outage(const OutageFault& fault, const Speaker& say) {
  const bool one = fault.nodes.size() == 1;
  std::string text =
      fmt::format("{} {} {}{}", one ? "node" : "nodes", listed(fault.nodes, fault.when),
                  one ? "crashes" : "crash", say.moment(fault.when));
  if (fault.when.by_round()) return text;
  if (!fault.when.until) return text + (one ? " and stays down" : " and stay down");
  return text + fmt::format(" and {} {} later", one ? "restarts" : "restart",
                            in_words(*fault.when.until - fault.when.from));
}

std::string words_of_pause(const PauseFault& fault, const Speaker& say) {
  const bool one = fault.nodes.size() == 1;
  return fmt::format("{} {} {}{}", one ? "node" : "nodes", listed(fault.nodes, fault.when),
                     one ? "stands still" : "stand still", say.when(fault.when));
}

}  // namespace

const FaultKind& CrashFault::kind() {
  static const FaultKind kKind =
      Declaration<CrashFault>("crash")
          .part(make_node("node", member<&CrashFault::node>))
          .part(std::make_unique<MomentPart>())
          .part(make_round("at_round", member<&CrashFault::at_round>, Weight::one_of))
          .part(make_duration("restart_after", member<&CrashFault::restart_after>, {}))
          .needs({.name = "crash", .key = "type"})
          .needs({.name = "crash: at_round",
                  .key = "at_round",
                  .needs = {Offer::rounds},
                  .instead = "at",
                  .concerns =
                      [](const void* fault) {
                        return static_cast<const CrashFault*>(fault)->at_round.has_value();
                      }})
          .needs({.name = "crash: file_operation",
                  .key = "at",
                  .needs = {Offer::bad_disk},
                  .instead = "at, with a time",
                  .concerns =
                      [](const void* fault) {
                        const auto& crash = *static_cast<const CrashFault*>(fault);
                        return crash.point && crash.point->file_operation;
                      }})
          .checked(check_crash)
          .hindered(crash_without_disk)
          .said(words_of_crash)
          .done<Crash>();
  return kKind;
}

const FaultKind& OutageFault::kind() {
  static const FaultKind kKind =
      Declaration<OutageFault>("outage")
          .part(make_nodes("nodes", member<&OutageFault::nodes>, {}))
          .part(make_window(member<&OutageFault::when>, {.may_wait = true}))
          .needs({.name = "outage", .key = "type"})
          .drawn_as("crashes")
          .said(words_of_outage)
          .done<Outage>();
  return kKind;
}

const FaultKind& PauseFault::kind() {
  static const FaultKind kKind =
      Declaration<PauseFault>("pause")
          .part(make_nodes("nodes", member<&PauseFault::nodes>, {}))
          .part(make_window(member<&PauseFault::when>, {.may_wait = true}))
          .needs({.name = "pause", .key = "type", .needs = {Offer::pause}, .instead = "outage"})
          .drawn_as("pauses")
          .said(words_of_pause)
          .done<Pause>();
  return kKind;
}

void declare_stops(std::vector<const FaultKind*>& kinds) {
  kinds.insert(kinds.end(), {&CrashFault::kind(), &OutageFault::kind(), &PauseFault::kind()});
}

}  // namespace dissensus::faults
