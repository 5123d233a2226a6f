#include "systems/dag/settings.h"

#include <array>
#include <string>

#include <fmt/format.h>

#include "core/node_key.h"
#include "core/suggestion.h"

namespace dissensus::dag {

namespace {
constexpr std::array<BugDescription, 9> kBugs{{
    {"rounds-from-one", "rounds are counted from one in all that the node tells"},
    {"genesis-outside-wave-one", "the genesis row is in wave 0 and in no block"},
    {"duplicate-add", "links repeat 1 of 200 vertices, and nodes do not notice a repetition"},
    {"leader-sentinels", "waves without a decided leader have an entry among the leaders"},
    {"ignore-epoch-change", "nodes stay in their first epoch, which decides nothing more"},
    {"unordered-blocks", "vertices of a round are delivered in the order of a hash map"},
    {"wave-underflow", "the decided wave is computed with unsigned rounds, wrong after skips"},
    {"future-vertices", "vertices are added before the node has its own in their round"},
    {"late-round", "1 of 50 times the round counter follows one iteration late"},
}};

template <class Descriptions>
[[noreturn]] void fail_unknown(const OptionValue& value, std::string_view what,
                               const Descriptions& descriptions) {
  std::vector<std::string> known;
  for (const auto& description : descriptions) known.emplace_back(description.name);
  value.fail(fmt::format("no such {} '{}'{} (known: {})", what, value.text(),
                         suggestion(value.text(), known), fmt::join(known, ", ")));
}

constexpr std::string_view kLeaders[] = {"round-robin", "stake-hash"};

DelayRange read_delay(const Options& options, std::string_view key) {
  const auto value = options.find(key);
  if (!value) return {};
  DelayRange range;
  if (value->is_list()) {
    const std::vector<OptionValue> bounds = value->list();
    if (bounds.size() != 2) value->fail("expected a duration or [minimum, maximum]");
    range = {bounds[0].duration(), bounds[1].duration()};
    if (range.max < range.min) value->fail("expected [minimum, maximum], minimum <= maximum");
  } else {
    range.min = range.max = value->duration();
  }
  return range;
}
}  // namespace

std::span<const BugDescription> bugs() {
  return kBugs;
}

Settings::Settings(const Options& options) {
  nodes =
      static_cast<std::size_t>(options.integer(node_key(options, "num_nodes"), 4, 1, kDagNodesMax));
  read_pace(options);
  read_failures(options);
  read_epochs(options);
  read_faults(options);
  static constexpr std::string_view kBroadcasts[] = {"best-effort", "reliable"};
  reliable = options.choice("broadcast", kBroadcasts, 1) == 1;
  leader_rule = static_cast<LeaderRule>(options.choice("leaders", kLeaders, 0));
  static constexpr std::string_view kStates[] = {"view", "full"};
  full_state = options.choice("state", kStates, 0) == 1;
}

Settings Settings::other(const Options& options, Mask& members) const {
  Settings settings = *this;
  members = read_nodes(options.at("nodes"));
  if (const auto leaders = options.find("leaders")) {
    settings.leader_rule = static_cast<LeaderRule>(leaders->choice(kLeaders));
  }
  settings.bug_mask = 0;
  settings.guards = {};
  settings.read_faults(options);
  options.finish();
  return settings;
}

void Settings::read_pace(const Options& options) {
  production_rate =
      static_cast<std::uint32_t>(options.integer("vertex_production_rate", 20, 1, 1'000'000));
  iteration = options.duration("iteration_duration", iteration);
  if (iteration <= Duration{}) options.fail("iteration_duration", "expected more than zero");
  send_delay = read_delay(options, "message_send_delay");
  receive_delay = read_delay(options, "message_receive_delay");
  fetch_interval = options.duration("fetch_interval", fetch_interval);
}

void Settings::read_failures(const Options& options) {
  faulty = static_cast<std::size_t>(
      options.integer("number_faulty", 0, 0, static_cast<std::int64_t>(nodes)));
  failure_chance = options.number("failure_chance", 0, 0, 1);
  failure_window = options.duration("failure_window", failure_window);
  if (failure_window <= Duration{}) options.fail("failure_window", "expected more than zero");
  recovery = options.duration("recovery_time", recovery);
  if (const auto liars = options.find("equivocators")) equivocators = read_nodes(*liars);
  static constexpr std::string_view kEquivocations[] = {"split", "late"};
  equivocates_late = options.choice("equivocation", kEquivocations, 0) == 1;
  if (const auto liars = options.find("forgers")) forgers = read_nodes(*liars);
}

Mask Settings::read_nodes(const OptionValue& value) const {
  Mask mask = 0;
  for (const OptionValue& member : value.list()) {
    const auto node = static_cast<NodeId>(member.integer(0, static_cast<std::int64_t>(nodes) - 1));
    if ((mask & mask_of(node)) != 0) {
      member.fail(fmt::format("node {} is named twice, expected once", node));
    }
    mask |= mask_of(node);
  }
  return mask;
}

std::vector<std::uint64_t> Settings::read_stakes(const OptionValue& value) const {
  const std::vector<OptionValue> entries = value.list();
  if (entries.size() != nodes) {
    value.fail(fmt::format("expected one stake per node ({}), found {}", nodes, entries.size()));
  }
  std::vector<std::uint64_t> result;
  for (const OptionValue& entry : entries) {
    result.push_back(static_cast<std::uint64_t>(entry.integer(1, 1'000'000'000)));
  }
  return result;
}

void Settings::read_epochs(const Options& options) {
  epoch_waves = static_cast<std::uint32_t>(options.integer("waves_per_epoch", 0, 0, 1'000'000));
  if (const auto lists = options.find("committees")) {
    for (const OptionValue& list : lists->list()) {
      committees.push_back(read_nodes(list));
      if (committees.back() == 0) list.fail("expected at least one node, found none");
    }
    if (committees.empty()) lists->fail("expected at least one committee, found none");
  } else {
    const auto size = static_cast<std::size_t>(options.integer(
        "committee_size", static_cast<std::int64_t>(nodes), 1, static_cast<std::int64_t>(nodes)));
    // Each epoch moves the committee on by one node.
    for (std::size_t first = 0; first < (size == nodes ? 1 : nodes); ++first) {
      Mask& mask = committees.emplace_back(0);
      for (std::size_t i = 0; i < size; ++i) {
        mask |= mask_of(static_cast<NodeId>((first + i) % nodes));
      }
    }
  }
  if (const auto value = options.find("stakes")) {
    const std::vector<OptionValue> entries = value->list();
    if (!entries.empty() && entries.front().is_list()) {
      for (const OptionValue& entry : entries) stakes.push_back(read_stakes(entry));
    } else {
      stakes.push_back(read_stakes(*value));
    }
  } else {
    stakes.emplace_back(nodes, 1);
  }
}

void Settings::read_faults(const Options& options) {
  if (const auto list = options.find("bugs")) {
    for (const OptionValue& value : list->list()) {
      std::size_t index = 0;
      while (index < kBugs.size() && kBugs[index].name != value.text()) ++index;
      if (index == kBugs.size()) fail_unknown(value, "bug", kBugs);
      bug_mask |= 1u << index;
    }
  }
  if (has(Bug::duplicate_add)) {
    guards.remove(Guard::first_in_slot);
    guards.remove(Guard::slot_empty);
  }
  if (has(Bug::future_vertices)) guards.remove(Guard::round_bound);
  const auto read_guard = [&](std::string_view key) -> std::optional<Guard> {
    const auto value = options.find(key);
    if (!value) return std::nullopt;
    const auto guard = find_guard(value->text());
    if (!guard) fail_unknown(*value, "guard", dag::guards());
    return guard;
  };
  if (const auto guard = read_guard("delete_guard")) guards.remove(*guard);
  if (const auto guard = read_guard("negate_guard")) guards.negate(*guard);
}

Committee Settings::committee(std::uint32_t epoch) const {
  return {epoch, committees[epoch % committees.size()], stakes[epoch % stakes.size()], leader_rule};
}

Duration Settings::production_interval() const {
  return std::max(iteration, Duration{1'000'000 / production_rate});
}

}  // namespace dissensus::dag
