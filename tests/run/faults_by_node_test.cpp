// Every kind of fault on every kind of node is carried out, or refused where it is written. All
// nodes tick: each sends a number to the others every 50 ms, after a write to its disk where it has
// one, and each fault that its kind admits gets a slot of time of its own. What a fault does there
// must be seen there, and must not be seen there without it.
#include <functional>
#include <map>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/file.h"
#include "faults/kinds.h"
#include "run/runner.h"
#include "sim/disk.h"
#include "systems/built_in/built_in.h"

namespace dissensus::run {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::StartsWith;

constexpr int kSlotMs = 400;
constexpr int kTickMs = 50;

// ---- nodes that would show every fault

struct Tick {
  std::uint64_t number = 0;
  std::uint64_t now = 0;
  MessageKind kind() const { return 0; }
};

SystemDescription ticking_description(NodeKind nodes) {
  SystemDescription description;
  description.name = "ticking";
  description.nodes = nodes;
  description.levels = {{.name = "nothing", .validity = false}};
  description.phases = {"slot"};
  description.message<Tick>("tick")
      .field("number", SemanticType::number, &Tick::number)
      .field("now", SemanticType::time, &Tick::now)
      .small_scope({"number"});
  return description;
}

class TickingNode final : public Node {
 public:
  explicit TickingNode(bool has_disk) : has_disk_(has_disk) {}
  void start(Context& context) override { wait(context); }
  void restart(Context& context, const Node&) override { wait(context); }
  void receive(Context&, NodeId, const Message&) override {}
  void timer(Context& context, TimerId, std::uint64_t) override {
    const auto now = static_cast<std::uint64_t>(microseconds_of(context.now()));
    if (slot_ != now / (kSlotMs * 1000)) {
      slot_ = now / (kSlotMs * 1000);
      context.round(slot_);
      context.phase(0);
    }
    if (!has_disk_) {
      tick(context);
      return;
    }
    const std::byte bytes[16]{};
    context.disk().write(1, 0, bytes);
    context.disk().read(1);
    context.disk().sync(1, 0);
  }
  void disk_done(Context& context, const DiskCompletion&) override { tick(context); }

 private:
  void wait(Context& context) {
    const std::int64_t now = microseconds_of(context.now());
    context.set_timer(Duration(kTickMs * 1000 - now % (kTickMs * 1000)));
  }
  void tick(Context& context) {
    context.broadcast(Tick{++number_, static_cast<std::uint64_t>(microseconds_of(context.now()))});
    wait(context);
  }

  bool has_disk_;
  std::uint64_t number_ = 0;
  std::uint64_t slot_ = 0;
};

class TickingSystem final : public System {
 public:
  explicit TickingSystem(NodeKind nodes) : description_(ticking_description(nodes)) {}
  const SystemDescription& description() const override { return description_; }
  std::size_t node_count() const override { return 3; }
  std::unique_ptr<Node> make_node(NodeId) const override {
    return std::make_unique<TickingNode>(description_.nodes == NodeKind::simulated_with_disk);
  }

 private:
  SystemDescription description_;
};

constexpr std::string_view kTold = R"(
import json, sys
SLOT, TICK = 400000, 50000
me, peers, number, slot = "", [], 0, 0
def say(line): print(json.dumps(line))
for text in sys.stdin:
    line = json.loads(text)
    now = line["now"]
    if line.get("type") == "timer":
        if slot != now // SLOT:
            slot = now // SLOT
            say({"type": "round", "round": slot})
            say({"type": "phase", "phase": "slot"})
        number += 1
        for peer in peers:
            say({"src": me, "dest": peer, "body": {"type": "tick", "number": number, "now": now}})
    elif line["body"]["type"] == "init":
        me = line["body"]["node_id"]
        peers = [name for name in line["body"]["node_ids"] if name != me]
        say({"src": me, "dest": "world", "body": {"type": "init_ok"}})
    else:
        print('{"type":"done"}', flush=True)
        continue
    say({"type": "set_timer", "timer": "tick", "after": TICK - now % TICK})
    print('{"type":"done"}', flush=True)
)";

constexpr std::string_view kPlain = R"(
import json, os, sys, threading, time
def tick(me, peers):
    number = 0
    file = os.open("/tmp/ticks-%s" % os.getpid(), os.O_RDWR | os.O_CREAT)
    os.unlink("/tmp/ticks-%s" % os.getpid())
    while True:
        time.sleep(0.05)
        os.pwrite(file, b"x", 0)
        os.fsync(file)
        number += 1
        for peer in peers:
            body = {"type": "tick", "number": number, "now": 0}
            print(json.dumps({"src": me, "dest": peer, "body": body}), flush=True)
for text in sys.stdin:
    body = json.loads(text)["body"]
    if body["type"] == "init":
        me = body["node_id"]
        answer = {"src": me, "dest": "world", "body": {"type": "init_ok"}}
        print(json.dumps(answer), flush=True)
        peers = [name for name in body["node_ids"] if name != me]
        threading.Thread(target=tick, args=(me, peers), daemon=True).start()
)";

constexpr std::string_view kServer = R"(
import os, socket, sys, time
own = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
file = os.open("/node/ticks", os.O_RDWR | os.O_CREAT)
while True:
    time.sleep(0.05)
    os.pwrite(file, b"x", 0)
    os.fsync(file)
    for peer in sys.argv[2].split():
        if peer != sys.argv[1]:
            own.sendto(b"tick", (peer, 7000))
)";

/// Commands of Redis to whoever listens, and no answers.
constexpr std::string_view kRedis = R"(
import socket, sys, threading, time
listener = socket.create_server((sys.argv[1], 7000))
def hear():
    while True:
        threading.Thread(target=swallow, args=(listener.accept()[0],), daemon=True).start()
def swallow(connection):
    while connection.recv(4096):
        pass
threading.Thread(target=hear, daemon=True).start()
time.sleep(0.01)
peers = [socket.create_connection((peer, 7000)) for peer in sys.argv[2].split() if peer != sys.argv[1]]
while True:
    time.sleep(0.05)
    for peer in peers:
        peer.sendall(b"*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$1\r\nv\r\n")
)";

Scenario ticking(NodeKind nodes) {
  std::string system;
  switch (nodes) {
    case NodeKind::simulated:
    case NodeKind::simulated_with_disk:
    case NodeKind::rippled:
      system = "kind = \"ticking\"";
      break;
    case NodeKind::told:
    case NodeKind::plain_virtual:
      system = fmt::format(
          "kind = \"process\"\nclock = \"{}\"\nnodes = 3\nlearn = 0\n{}"
          "command = [\"/usr/bin/python3\", \"-c\", '''{}''']\n"
          "[[system.message]]\ntype = \"tick\"\nfields = [{{ name = \"number\", type = \"number\" "
          "}}, "
          "{{ name = \"now\", type = \"time\" }}]\n",
          nodes == NodeKind::told ? "told" : "virtual",
          nodes == NodeKind::told ? "phases = [\"slot\"]\n" : "",
          nodes == NodeKind::told ? kTold : kPlain);
      break;
    case NodeKind::server:
    case NodeKind::server_written:
      system = fmt::format(
          "kind = \"server\"\nnodes = 3\n{}"
          "command = [\"/usr/bin/python3\", \"-c\", '''{}''', \"{{address}}\", "
          "\"{{addresses}}\"]\n",
          nodes == NodeKind::server ? "" : "protocol = \"redis\"\n",
          nodes == NodeKind::server ? kServer : kRedis);
      break;
  }
  SystemRegistry systems = built_in_systems();
  systems.add({"ticking", "", [nodes](const Options&) -> std::unique_ptr<System> {
                 return std::make_unique<TickingSystem>(nodes);
               }});
  return parse_scenario(fmt::format("format = \"dissensus-scenario/1\"\nname = \"ticking\"\n"
                                    "[system]\n{}\n[network]\nlatency = \"1ms\"\n"
                                    "[limits]\nvirtual_time = \"{}ms\"\n",
                                    system, 40 * kSlotMs),
                        "ticking.toml", systems);
}

// ---- what is seen of them

struct Slot {
  int number = 0;
  Time begin() const { return Time{} + milliseconds(kSlotMs * number); }
  /// Of the fault; a tick's time remains before the next slot.
  Time until() const { return begin() + milliseconds(kSlotMs - 100); }
};

class Seen {
 public:
  explicit Seen(const std::vector<trace::Record>& records) : records_(records) {
    for (const trace::Record& record : records) {
      if (record.type == EventType::deliver) arrivals_[record.cause].push_back(record.time);
    }
  }
  /// Ticks of a node to another one that it sent in the slot while the fault lasted.
  std::vector<trace::Record> sent(NodeId from, NodeId to, const Slot& slot) const {
    std::vector<trace::Record> result;
    for (const trace::Record& record : records_) {
      const bool counts = record.type == EventType::send && record.node == from &&
                          record.peer == to && record.time >= slot.begin() + milliseconds(10) &&
                          record.time < slot.until();
      if (counts) result.push_back(record);
    }
    return result;
  }
  std::size_t count(EventType type, NodeId node, const Slot& slot, int detail = -1) const {
    std::size_t result = 0;
    for (const trace::Record& record : records_) {
      result += record.type == type && record.node == node && record.time >= slot.begin() &&
                        record.time < slot.until() && (detail < 0 || record.detail == detail)
                    ? 1
                    : 0;
    }
    return result;
  }
  bool all(const Slot& slot, const std::function<bool(const trace::Record&)>& holds) const {
    const auto ticks = sent(0, 1, slot);
    return !ticks.empty() && std::all_of(ticks.begin(), ticks.end(), holds);
  }
  const std::vector<Time>& arrivals(const trace::Record& record) { return arrivals_[record.id]; }

  bool are_lost(const Slot& slot) {
    return all(slot, [&](const auto& tick) { return arrivals(tick).empty(); });
  }
  bool are_late(const Slot& slot) {
    return all(slot, [&](const auto& tick) {
      return arrivals(tick).size() == 1 && arrivals(tick).front() - tick.time >= milliseconds(60);
    });
  }
  bool come_twice(const Slot& slot) {
    return all(slot, [&](const auto& tick) { return arrivals(tick).size() == 2; });
  }
  bool is_silent(const Slot& slot) const { return sent(0, 1, slot).empty(); }
  bool is_down(const Slot& slot) const {
    return is_silent(slot) && count(EventType::crash, 0, slot) == 1;
  }
  bool hears_nothing(const Slot& slot) const { return count(EventType::deliver, 0, slot) == 0; }

 private:
  const std::vector<trace::Record>& records_;
  std::map<EventId, std::vector<Time>> arrivals_;
};

struct Shown {
  std::string_view kind;   ///< a row of the table
  std::string_view fault;  ///< FROM, UNTIL and ROUND stand for those of the slot
  std::function<bool(Seen&, const Slot&)> is_seen;
};

/// Clocks that stand still or are wrong come last: rounds are those of the clock.
const std::vector<Shown>& shown() {
  const auto lost = [](Seen& seen, const Slot& slot) { return seen.are_lost(slot); };
  const auto failed = [](Seen& seen, const Slot& slot) {
    return seen.count(EventType::disk, 0, slot, int(sim::DiskEvent::failed)) > 0;
  };
  const auto changed = [](Seen& seen, const Slot& slot) {
    return seen.count(EventType::mutate, 0, slot) > 0;
  };
  const auto down = [](Seen& seen, const Slot& slot) { return seen.is_down(slot); };
  static const std::vector<Shown> kShown{
      {"drop", R"("type": "drop", "sender": 0, FROM, UNTIL)", lost},
      {"delay", R"("type": "delay", "sender": 0, "by": "60ms", FROM, UNTIL)",
       [](Seen& seen, const Slot& slot) { return seen.are_late(slot); }},
      {"duplicate", R"("type": "duplicate", "sender": 0, FROM, UNTIL)",
       [](Seen& seen, const Slot& slot) { return seen.come_twice(slot); }},
      {"partition", R"("type": "partition", "groups": [[0]], FROM, UNTIL)", lost},
      {"cut", R"("type": "cut", "shape": "one-way", "nodes": [0], FROM, UNTIL)", lost},
      {"links", R"("type": "links", "senders": [0], "loss": 1, "seed": 1, FROM, UNTIL)", lost},
      {"silence", R"("type": "silence", "node": 0, FROM, UNTIL)", lost},
      {"noise: drop", R"("type": "noise", "node": 0, "drop": 1, "seed": 1, FROM, UNTIL)", lost},
      {"crash", R"("type": "crash", "node": 0, AT, "restart_after": "LENGTH")", down},
      {"outage", R"("type": "outage", "nodes": [0], FROM, UNTIL)", down},
      {"disk: slow",
       R"("type": "disk", "node": 0, "trouble": "slow", "extra": "170ms", FROM, UNTIL)",
       [](Seen& seen, const Slot& slot) {
         const std::size_t ticks = seen.sent(0, 1, slot).size();
         return ticks == 1 || ticks == 2;
       }},
      {"disk: error", R"("type": "disk", "node": 0, "trouble": "error", FROM, UNTIL)", failed},
      {"disk: no-space", R"("type": "disk", "node": 0, "trouble": "no-space", FROM, UNTIL)",
       failed},
      {"disk: corrupt", R"("type": "disk", "node": 0, "trouble": "corrupt", FROM, UNTIL)",
       [](Seen& seen, const Slot& slot) {
         return seen.count(EventType::disk, 0, slot, int(sim::DiskEvent::corrupted)) > 0;
       }},
      {"noise: corrupt", R"("type": "noise", "node": 0, "corrupt": 1, "seed": 1, FROM, UNTIL)",
       changed},
      {"mutate", R"("type": "mutate", "node": 0, ROUND, "seed": 1)", changed},
      {"replay", R"("type": "replay", "node": 0, ROUND, "seed": 1)",
       [](Seen& seen, const Slot& slot) { return seen.count(EventType::duplicate, 0, slot) > 0; }},
      {"round-partition", R"("type": "round-partition", ROUND, "groups": [[0]])", lost},
      {"silence: round", R"("type": "silence", "node": 0, ROUND)", lost},
      {"rounds", R"("type": "drop", "sender": 0, ROUNDS)", lost},
      {"crash: at_round", R"("type": "crash", "node": 0, AT_ROUND, "restart_after": "LENGTH")",
       down},
      {"after: round",
       R"("type": "partition", "groups": [[0]], "until": "LENGTH", "after": {ROUND, "node": 2})",
       lost},
      {"after: phase",
       R"("type": "partition", "groups": [[0]], "until": "LENGTH", "after": {"phase": "slot", "node": 2, NTH})",
       lost},
      {"pause", R"("type": "pause", "nodes": [0], FROM, UNTIL)",
       [](Seen& seen, const Slot& slot) {
         return seen.is_silent(slot) && seen.hears_nothing(slot) &&
                seen.count(EventType::crash, 0, slot) == 0;
       }},
      {"skew", R"("type": "skew", "node": 0, "offset": "10s", FROM, UNTIL)",
       [](Seen& seen, const Slot& slot) {
         return seen.all(slot, [](const trace::Record& tick) {
           const FieldValue& now = tick.fields.at(1);
           const auto* whole = std::get_if<std::int64_t>(&now);
           const std::uint64_t time =
               whole != nullptr ? static_cast<std::uint64_t>(*whole) : std::get<std::uint64_t>(now);
           return time > static_cast<std::uint64_t>(microseconds_of(tick.time)) + 9'000'000;
         });
       }},
      // Ticks look at nothing that they read: tests/faults/stale_test.cpp shows it.
      {"stale-reads", R"("type": "stale-reads", "node": 0, FROM, UNTIL)", nullptr},
      // By what a node does, whenever that is: a run of its own.
      {"crash: file_operation", R"("type": "crash", "node": 0, "at": {"file_operation": 3})",
       [](Seen& seen, const Slot& slot) { return seen.is_silent(slot); }},
      // From the start of the run: the same.
      {"twins", R"("type": "twins", "node": 0)",
       [](Seen& seen, const Slot& slot) { return seen.sent(0, 1, slot).size() > 8; }},
  };
  return kShown;
}

std::string fault_in(const Shown& what, const Slot& slot, const Scenario& scenario) {
  std::string text(what.fault);
  // Servers enter a phase once, when they start.
  if (what.kind == "after: phase" && scenario.system_description().name == "server") {
    text =
        R"("type": "partition", "groups": [[0]], FROM, UNTIL, "after": {"phase": "starting", "node": 2})";
  }
  const auto fill = [&text](const std::string& word, const std::string& with) {
    const std::size_t at = text.find(word);
    if (at != std::string::npos) text.replace(at, word.size(), with);
  };
  const int from = kSlotMs * slot.number;
  fill("FROM", fmt::format("\"from\": \"{}ms\"", from));
  fill("UNTIL", fmt::format("\"until\": \"{}ms\"", from + kSlotMs - 100));
  fill("AT_ROUND", fmt::format("\"at_round\": {}", slot.number));
  fill("AT", fmt::format("\"at\": \"{}ms\"", from));
  fill("LENGTH", fmt::format("{}ms", kSlotMs - 100));
  fill("ROUNDS", fmt::format("\"rounds\": [{}, {}]", slot.number, slot.number + 1));
  fill("ROUND", fmt::format("\"round\": {}", slot.number));
  fill("NTH", fmt::format("\"nth\": {}", slot.number));
  return "{" + text + "}";
}

std::string schedule_of(const std::string& faults, const std::string& system) {
  return "{\"format\": \"dissensus-schedule/1\",\n\"system\": \"" + system +
         "\",\n\"nodes\": 3,\n\"faults\": [\n" + faults + "\n]}";
}

faults::Schedule read(const std::string& faults, const Scenario& scenario) {
  return faults::parse_schedule(schedule_of(faults, scenario.system_description().name), "s.json",
                                scenario.system_description(), scenario.nodes());
}

RunResult run_for(const Scenario& asked, const faults::Schedule& schedule, int slots) {
  Scenario scenario = asked;
  scenario.plan.limits.virtual_time = milliseconds(kSlotMs * slots);
  RunOptions options;
  options.detail = trace::Detail::everything;
  Runner runner;
  return runner.run(scenario, schedule, 1, options);
}

bool is_possible(const Shown& what, const Scenario& scenario) {
  return !faults::obstacle_to_kind(what.kind, scenario.system_description());
}

/// The effects of what a scenario's nodes admit, each in its slot; two slots lie between them.
void expect_all_carried_out(const Scenario& scenario, const std::vector<std::string_view>& kinds) {
  std::string faults;
  std::vector<std::pair<const Shown*, Slot>> slots;
  Slot next{2};
  for (const Shown& what : shown()) {
    const bool is_asked =
        kinds.empty() || std::find(kinds.begin(), kinds.end(), what.kind) != kinds.end();
    const bool has_own_run =
        what.kind == "twins" || what.kind == "crash: file_operation" || what.is_seen == nullptr;
    if (!is_asked || has_own_run || !is_possible(what, scenario)) continue;
    faults += (faults.empty() ? "" : ",\n") + fault_in(what, next, scenario);
    slots.emplace_back(&what, next);
    next.number += 2;
  }
  const RunResult with = run_for(scenario, read(faults, scenario), next.number);
  const RunResult without = run_for(scenario, {}, next.number);
  Seen seen(with.records);
  Seen undisturbed(without.records);
  for (const auto& [what, slot] : slots) {
    EXPECT_TRUE(what->is_seen(seen, slot)) << what->kind << " was not carried out";
    EXPECT_FALSE(what->is_seen(undisturbed, slot)) << what->kind << " shows without the fault";
    EXPECT_FALSE(undisturbed.is_silent(slot)) << "in the slot of " << what->kind;
  }
  for (const oracle::Violation& note : with.verdict.notes) {
    EXPECT_NE(note.rule, "never-acted") << note.text;
  }
}

void expect_in_own_run(const Scenario& scenario, std::string_view kind) {
  const Shown& what = *std::find_if(shown().begin(), shown().end(),
                                    [kind](const Shown& each) { return each.kind == kind; });
  const Slot slot{2};
  const RunResult with = run_for(scenario, read(fault_in(what, slot, scenario), scenario), 4);
  const RunResult without = run_for(scenario, {}, 4);
  Seen seen(with.records);
  Seen undisturbed(without.records);
  EXPECT_TRUE(what.is_seen(seen, slot));
  EXPECT_FALSE(what.is_seen(undisturbed, slot));
}

// ---- the table

TEST(FaultsByNode, SimulatedNodesHaveAllButDisks) {
  expect_all_carried_out(ticking(NodeKind::simulated), {});
  expect_in_own_run(ticking(NodeKind::simulated), "twins");
}

TEST(FaultsByNode, SimulatedNodesWithDisksHaveAll) {
  const Scenario scenario = ticking(NodeKind::simulated_with_disk);
  for (const Shown& what : shown()) EXPECT_TRUE(is_possible(what, scenario)) << what.kind;
  expect_all_carried_out(scenario, {});
  expect_in_own_run(scenario, "twins");
  expect_in_own_run(scenario, "crash: file_operation");
}

TEST(FaultsByNode, ToldProgramsHaveAllButDisks) {
  expect_all_carried_out(ticking(NodeKind::told), {});
  expect_in_own_run(ticking(NodeKind::told), "twins");
}

TEST(FaultsByNode, ProgramsInVirtualTime) {
  expect_all_carried_out(ticking(NodeKind::plain_virtual), {});
}

TEST(FaultsByNode, Servers) {
  expect_all_carried_out(ticking(NodeKind::server), {});
}

// Losing is tried on datagrams: what is lost of a connection is sent again.
TEST(FaultsByNode, ServersWhoseProtocolIsWritten) {
  expect_all_carried_out(ticking(NodeKind::server_written), {"delay", "noise: corrupt", "pause"});
}

TEST(FaultsByNode, WhatIsNotPossibleIsRefusedWithItsPlaceAndWhatIs) {
  std::size_t refused = 0;
  for (std::size_t i = 0; i < kNodeKinds; ++i) {
    const auto nodes = static_cast<NodeKind>(i);
    const Scenario scenario = ticking(nodes);
    for (const Shown& what : shown()) {
      if (is_possible(what, scenario)) {
        EXPECT_NO_THROW(read(fault_in(what, {1}, scenario), scenario)) << what.kind;
        continue;
      }
      // Without phases there is no phase to name.
      if (what.kind == "after: phase" && scenario.system_description().phases.empty()) continue;
      ++refused;
      try {
        read(fault_in(what, {1}, scenario), scenario);
        ADD_FAILURE() << what.kind << " on " << offers_of(nodes).name << " was accepted";
      } catch (const InputError& error) {
        EXPECT_THAT(error.what(), StartsWith("s.json:5: faults[0]"));
        EXPECT_THAT(error.what(), HasSubstr("is not possible: "));
        EXPECT_THAT(error.what(), HasSubstr("; possible: "));
      }
    }
  }
  EXPECT_GT(refused, 35u);
}

std::string refusal_of(const std::string& fault, NodeKind nodes) {
  try {
    read(fault, ticking(nodes));
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

/// Which message it is, and which node, can make the difference.
TEST(FaultsByNode, ConnectionsHaveNoCopiesAndClientsNoDisks) {
  const std::string copies = R"({"type": "duplicate", "message": ")";
  EXPECT_THAT(refusal_of(copies + "data\"}", NodeKind::server),
              StartsWith("s.json:5: faults[0].message: 'duplicate' is not possible: receivers"));
  EXPECT_EQ(refusal_of(copies + "datagram\"}", NodeKind::server), "accepted");
  SystemRegistry systems = built_in_systems();
  const Scenario scenario = parse_scenario(
      "format = \"dissensus-scenario/1\"\nname = \"a\"\n[system]\nkind = \"process\"\n"
      "clock = \"virtual\"\nnodes = 1\ncommand = [\"/bin/cat\"]\n"
      "[system.workload]\nkind = \"echo\"\nclients = 2\n",
      "a.toml", systems);
  const std::string slow = R"({"type": "disk", "trouble": "slow", "extra": "1s", "node": )";
  EXPECT_NO_THROW(read(slow + "0}", scenario));
  EXPECT_THROW(read(slow + "1}", scenario), InputError);
}

TEST(FaultsByNode, EveryRowOfTheTableIsTried) {
  for (const faults::Requirement* const row : faults::requirements()) {
    EXPECT_TRUE(std::any_of(shown().begin(), shown().end(), [row](const Shown& what) {
      return what.kind == row->name;
    })) << row->name;
  }
}

TEST(FaultsByNode, TheTableOfTheDocumentsIsThisOne) {
  const std::string page =
      read_file(DISSENSUS_SOURCE_DIR "/docs/results/verdicts.md", std::size_t{1} << 20);
  EXPECT_NE(page.find(faults::kinds_table()), std::string::npos)
      << "docs/results/verdicts.md, \"Faults by kind of node\", is to have this table:\n"
      << faults::kinds_table();
}

// ---- spaces

std::string refusal(NodeKind nodes, const std::string& table) {
  const Scenario scenario = ticking(nodes);
  SystemRegistry systems = built_in_systems();
  systems.add({"ticking", "", [nodes](const Options&) -> std::unique_ptr<System> {
                 return std::make_unique<TickingSystem>(nodes);
               }});
  try {
    parse_scenario(scenario.text + table, "a.toml", systems);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(FaultsByNode, SpacesOfFaultsNameWhatIsNotPossible) {
  const std::string faults = "[schedule.faults]\npartitions = 1\n";
  const std::string byzantine = "[schedule.byzantine]\n";
  EXPECT_THAT(refusal(NodeKind::rippled, faults + "pauses = 1\n"), HasSubstr("pauses: 'pause'"));
  EXPECT_THAT(refusal(NodeKind::server, faults + "clocks = 1\n"), HasSubstr("clocks: 'skew'"));
  EXPECT_THAT(refusal(NodeKind::told, faults + "disks = 1\n"), HasSubstr("disks: 'disk: slow'"));
  EXPECT_THAT(refusal(NodeKind::server, faults + "disks = 1\ndisk = [\"slow\", \"error\"]\n"),
              HasSubstr("disk: 'disk: error'"));
  EXPECT_THAT(refusal(NodeKind::server, byzantine + "corrupt = 0.1\n"),
              HasSubstr("corrupt: 'noise: corrupt'"));
  EXPECT_THAT(refusal(NodeKind::plain_virtual, byzantine + "network_faults = 1\n"),
              HasSubstr("network_faults: 'round-partition'"));
  EXPECT_THAT(refusal(NodeKind::plain_virtual, byzantine + "twins = 1\n"),
              HasSubstr("twins: 'twins'"));
  EXPECT_THAT(refusal(NodeKind::server, "[clocks]\noffset = [\"1s\", \"0s\", \"0s\"]\n"),
              HasSubstr("clocks.offset: 'skew'"));
  for (const NodeKind nodes : {NodeKind::simulated, NodeKind::told, NodeKind::server}) {
    EXPECT_EQ(refusal(nodes, faults + "crashes = 1\npauses = 1\nlinks = 1\n"), "accepted");
  }
}

/// What a space draws can be read back, where the scenario names no trouble of disks of its own.
TEST(FaultsByNode, SearchesDrawNothingThatIsRefused) {
  SystemRegistry systems = built_in_systems();
  const Scenario servers = parse_scenario(
      ticking(NodeKind::server).text +
          "[schedule.faults]\npartitions = 2\ncrashes = 2\npauses = 1\nlinks = 2\ndisks = 3\n",
      "a.toml", systems);
  for (std::uint64_t i = 0; i < 200; ++i) {
    Random random(3, "draws", i);
    const auto story = static_cast<faults::Story>(i % faults::kStories);
    for (const faults::Fault& fault :
         faults::random_story(servers.space.faults, 3, story, random)) {
      EXPECT_FALSE(faults::obstacle_to(fault, servers.system_description()));
    }
  }
}

}  // namespace
}  // namespace dissensus::run
