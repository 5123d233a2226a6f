#include "faults/fault_space.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <numeric>

#include <fmt/format.h>

#include "dissensus/faults.h"

#include "core/limits.h"
#include "faults/draw.h"
#include "faults/kinds.h"
#include "faults/part_types.h"

namespace dissensus::faults {

namespace {

using std::chrono::milliseconds;
using Family = FaultSpace::Family;
using Liars = FaultSpace::Liars;

std::string key_of(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

/// What may be drawn, in the order in which draws choose among it: first what spaces have always
/// had, since what a seed draws depends on it. Kinds that share a key have one of their own as
/// well.
std::vector<Family> all_families() {
  std::vector<Family> families;
  for (const char* const key : {"partitions", "crashes", "pauses", "clocks", "links", "disks"}) {
    families.push_back({key, {}, 0, {}, {}});
  }
  const auto add = [&families](const std::string& key, const FaultKind* kind) {
    auto found = std::find_if(families.begin(), families.end(),
                              [&key](const Family& family) { return family.key == key; });
    if (found == families.end()) found = families.insert(families.end(), {key, {}, 0, {}, {}});
    found->kinds.push_back(kind);
  };
  for (const FaultKind* const kind : fault_kinds()) {
    add(kind->family.empty() ? key_of(kind->name) : kind->family, kind);
  }
  const std::vector<Family> shared = families;
  for (const Family& family : shared) {
    if (family.kinds.size() == 1) continue;
    for (const FaultKind* const kind : family.kinds) add(key_of(kind->name), kind);
  }
  return families;
}

// ---- families

/// Which words of a setting are drawn: those that are possible of those that are named, or of the
/// usual ones.
FaultSpace::Words read_words(const Options& options, const Setting& setting,
                             const SystemDescription& description, std::size_t nodes) {
  FaultSpace::Words result{setting.part, {}};
  const auto list = options.find(setting.key);
  if (list) {
    for (const OptionValue& value : list->list()) {
      result.admitted.push_back(value.choice(setting.words));
    }
    if (result.admitted.empty()) list->fail("expected at least one");
  } else {
    result.admitted.resize(setting.usual);
    std::iota(result.admitted.begin(), result.admitted.end(), std::size_t{0});
  }
  std::erase_if(result.admitted, [&](std::size_t word) {
    const auto obstacle = setting.obstacle(word, description, nodes);
    if (obstacle && !obstacle->empty() && list) list->fail(*obstacle);
    return obstacle.has_value();
  });
  return result;
}

/// A number, or a table of a number and ranges.
void read_family(const Options& options, const Target& target, Family& family) {
  constexpr std::int64_t kMost = 1000;
  const auto found = options.find(family.key);
  if (!found || !found->is_table()) {
    family.most = static_cast<std::uint32_t>(options.integer(family.key, 0, 0, kMost));
    return;
  }
  if (family.kinds.size() > 1) {
    std::vector<std::string> keys;
    for (const FaultKind* const kind : family.kinds) keys.push_back("'" + key_of(kind->name) + "'");
    found->fail(fmt::format("expected a number, or a table for {}", fmt::join(keys, " or ")));
  }
  const FaultKind& kind = *family.kinds.front();
  const Options table = found->table();
  family.most = static_cast<std::uint32_t>(table.at("most").integer(1, kMost));
  for (const PartPtr& part : kind.parts) {
    if (kind.liar && part->key == "node" && table.has("node")) {
      table.fail("node", "expected who lies in 'liars', with 'nodes' and 'faulty'");
    }
    family.ranges.push_back(part->range(table, target));
  }
  const bool has_any = std::any_of(family.ranges.begin(), family.ranges.end(),
                                   [](const Range& range) { return range != nullptr; });
  if (!has_any) family.ranges.clear();
  const auto description = std::make_shared<const SystemDescription>(target.description);
  family.mistake = [description, nodes = target.genes.nodes](const Fault& fault) {
    return mistake_in(fault, *description, nodes);
  };
}

void read_families(const Options& options, const Target& target, FaultSpace& space) {
  const std::size_t nodes = target.genes.nodes;
  for (Family& family : all_families()) {
    const FaultKind& kind = *family.kinds.front();
    read_family(options, target, family);
    const auto obstacle = obstacle_to_kind(kind.requirements.front().name, target.description);
    if (family.most > 0 && obstacle) options.fail(family.key, obstacle->text);
    if (family.most == 0 && family.key != kind.family) continue;
    for (const Setting& setting : kind.settings) {
      if (family.key != kind.family) continue;
      FaultSpace::Words words = read_words(options, setting, target.description, nodes);
      if (family.most == 0) continue;
      if (words.admitted.empty()) options.fail(setting.key, std::string(setting.none_left));
      space.words.push_back(std::move(words));
    }
    for (const Family& other : space.families) {
      const bool is_twice = family.most > 0 && std::find(other.kinds.begin(), other.kinds.end(),
                                                         &kind) != other.kinds.end();
      if (is_twice) {
        options.fail(family.key, fmt::format("expected either this or '{}'", other.key));
      }
    }
    if (family.most > 0) space.families.push_back(std::move(family));
  }
}

std::vector<std::uint32_t> read_anchors(const Options& options,
                                        const SystemDescription& description) {
  const auto list = options.find("anchors");
  const auto obstacle = obstacle_to_kind("after: phase", description);
  if (!list) return obstacle ? std::vector<std::uint32_t>{} : description.anchors;
  if (obstacle) list->fail(obstacle->text);
  std::vector<std::uint32_t> result;
  for (const OptionValue& value : list->list()) result.push_back(read_phase(value, description));
  return result;
}

void read_times(const Options& options, const SystemDescription& description, FaultSpace& space) {
  const Duration own =
      description.time_scale > Duration{} ? description.time_scale : Duration{1'000'000};
  space.scale = options.duration("scale", own);
  if (space.scale < milliseconds(8)) options.fail("scale", "expected at least 8ms");
  space.horizon = options.duration("until", 10 * space.scale);
  if (space.horizon < milliseconds(1)) options.fail("until", "expected at least 1ms");
  if (space.scale > kVirtualTimeMax / 100 || space.horizon > kVirtualTimeMax / 2) {
    options.fail("expected a scale of at most 87h and an end of at most 4380h");
  }
}

// ---- liars

/// What ByzzFuzz and its relatives draw: a kind of fault, the key that says in how many rounds
/// (empty: a fault of each liar, if one of the ranges is asked for), and its parts with ranges.
struct LiarKey {
  std::string_view key;
  const FaultKind& (*kind)();
  std::vector<std::string_view> ranges;
};
const std::vector<LiarKey>& liar_keys() {
  static const std::vector<LiarKey> kKeys{
      {"process_faults", MutateFault::kind, {"receivers", "scope"}},
      {"network_faults", RoundPartitionFault::kind, {}},
      {"replays", ReplayFault::kind, {"receivers"}},
      {"silences", SilenceFault::kind, {"receivers"}},
      {"twins", TwinsFault::kind, {}},
      {"", NoiseFault::kind, {"drop", "corrupt"}},
      {"", SkewFault::kind, {"offset"}},
  };
  return kKeys;
}

void read_liar_rounds(const Options& options, Liars& liars) {
  const auto rounds = options.find("rounds");
  if (!rounds) return;
  const std::vector<OptionValue> bounds = rounds->list();
  if (bounds.size() != 2) rounds->fail("expected [first, last]");
  liars.first_round = static_cast<std::uint64_t>(bounds[0].integer(0, kRoundMax));
  liars.last_round = static_cast<std::uint64_t>(bounds[1].integer(0, kRoundMax));
  if (liars.last_round < liars.first_round) rounds->fail("expected [first, last], first <= last");
}

void read_who_lies(const Options& options, const Target& target, Liars& liars) {
  const auto nodes = options.find("nodes");
  liars.nodes = nodes ? read_set(*nodes, target) : other_nodes(kNoNode, target.genes.nodes);
  std::sort(liars.nodes.begin(), liars.nodes.end());
  liars.faulty = static_cast<std::uint32_t>(
      options.integer("faulty", 1, 1, static_cast<std::int64_t>(liars.nodes.size())));
}

/// "skew": the clock is off by at most this.
Range range_of_skew(const Options& options) {
  const Duration most = options.duration("skew", Duration{});
  if (most > kVirtualTimeMax) options.fail("skew", "expected at most 8760h");
  if (most == Duration{}) return nullptr;
  return [bounds = Bounds<Duration>{-most, most}](void* fault, Drawer& drawer, const Window&) {
    static_cast<SkewFault*>(fault)->offset = bounds.draw(drawer.random);
  };
}

bool is_asked_for(const Options& options, std::string_view key) {
  const auto value = options.find(key);
  return value && !(value->is_number() && value->number() == 0);
}

void add_row(const Options& options, const Target& target, const LiarKey& key, Liars& liars) {
  Liars::Row row{&key.kind(), 0, {}};
  std::string_view place = key.key;
  for (const PartPtr& part : row.kind->parts) {
    Range range;
    if (part->key == "offset") {
      range = range_of_skew(options);
    } else if (std::find(key.ranges.begin(), key.ranges.end(), part->key) != key.ranges.end()) {
      range = part->range(options, target);
    }
    const bool counts =
        range != nullptr && (part->key == "offset" || is_asked_for(options, part->key));
    if (key.key.empty() && counts) {
      row.most = liars.faulty;
      place = part->key == "offset" ? "skew" : part->key;
    }
    row.ranges.push_back(std::move(range));
  }
  if (!key.key.empty()) {
    row.most = static_cast<std::uint32_t>(options.integer(key.key, 0, 0, 1000));
  }
  if (row.kind == &TwinsFault::kind()) {
    row.most = std::min(row.most, liars.faulty);
    if (row.most > 0 && liars.twins_apart) liars.spare = target.genes.nodes;
  }
  if (row.most == 0) return;
  if (row.kind == &RoundPartitionFault::kind() && target.genes.nodes > kPartitionNodesMax) {
    options.fail(place,
                 fmt::format("partitions are drawn for at most {} nodes", kPartitionNodesMax));
  }
  Liars only = liars;
  only.rows = {row};
  Random random(0, "obstacle");
  constexpr int kDraws = 50;  // a draw may separate nobody
  for (int i = 0; i < kDraws; ++i) {
    const std::vector<Fault> plan = random_lies(only, target.genes.nodes, random);
    if (plan.empty()) continue;
    const auto obstacle = obstacle_to(plan.front(), target.description);
    if (obstacle) options.fail(place, obstacle->text);
    break;
  }
  liars.rows.push_back(std::move(row));
}

}  // namespace

FaultSpace::Liars read_liars(const Options& options, const SystemDescription& description,
                             std::size_t nodes) {
  const Target target{description, {nodes, description.kinds.size()}};
  Liars liars;
  read_liar_rounds(options, liars);
  read_who_lies(options, target, liars);
  if (const auto apart = options.find("twins_apart")) liars.twins_apart = apart->duration();
  for (const LiarKey& key : liar_keys()) add_row(options, target, key, liars);
  return liars;
}

FaultSpace read_fault_space(const Options& options, const SystemDescription& description,
                            std::size_t nodes, std::size_t exposed) {
  FaultSpace space;
  if (exposed < 2) options.fail("expected a system of at least two nodes");
  read_families(options, {description, {exposed, description.kinds.size()}}, space);
  read_times(options, description, space);
  space.anchors = read_anchors(options, description);
  space.anchored = options.number("anchored", space.anchored, 0, 1);
  space.nth_max = static_cast<std::uint32_t>(options.integer("nth", space.nth_max, 1, 10'000));
  space.victims_max = static_cast<std::uint32_t>(
      options.integer("victims", 0, 0, static_cast<std::int64_t>(exposed)));
  space.liars = read_liars(options.table("liars"), description, nodes);
  if (space.empty()) {
    std::vector<std::string> keys;
    for (const Family& family : all_families()) keys.push_back(family.key);
    options.fail(fmt::format("expected at least one of {}, liars", fmt::join(keys, ", ")));
  }
  for (const Family& family : space.families) {
    if (family.ranges.empty()) continue;
    if (const auto mistake = why_nothing_fits(space, family, exposed)) {
      options.fail(family.key, fmt::format("no fault fits these ranges: {}", *mistake));
    }
  }
  return space;
}

std::uint32_t FaultSpace::total() const {
  std::uint32_t sum = 0;
  for (const Family& family : families) sum += family.most;
  return sum;
}

std::size_t FaultSpace::plan_size_max() const {
  std::size_t sum = total() + liars.spare;
  for (const Liars::Row& row : liars.rows) sum += row.most;
  return sum;
}

std::size_t FaultSpace::Liars::most(const FaultKind& kind) const {
  for (const Row& row : rows) {
    if (row.kind == &kind) return row.most;
  }
  return 0;
}

// ---- the table as a schema

std::string fault_space_schema() {
  const Json number = schema_of_integer(0, 1000);
  Json properties;
  for (const Family& family : all_families()) {
    if (family.kinds.size() > 1) {
      properties[family.key] = number;
      continue;
    }
    Json parts{{"most", schema_of_integer(1, 1000)}};
    for (const PartPtr& part : family.kinds.front()->parts) part->add_range_schema(parts);
    if (family.kinds.front()->liar) parts.erase("node");
    const Json table{{"type", "object"},
                     {"properties", parts},
                     {"required", {"most"}},
                     {"additionalProperties", false}};
    properties[family.key] = {{"oneOf", {number, table}}};
  }
  for (const FaultKind* const kind : fault_kinds()) {
    for (const Setting& setting : kind->settings) {
      const std::vector<std::string> words(setting.words.begin(), setting.words.end());
      properties[std::string(setting.key)] = schema_of_list({{"enum", words}}, 1);
    }
  }
  properties["scale"] = properties["until"] = schema_of_duration();
  properties["anchors"] = {{"type", "array"}, {"items", {{"type", "string"}}}};
  properties["anchored"] = {{"type", "number"}, {"minimum", 0}, {"maximum", 1}};
  properties["nth"] = schema_of_integer(1, 10'000);
  properties["victims"] = schema_of_integer(0, kMaxNodes);
  Json liars;
  for (const LiarKey& key : liar_keys()) {
    if (!key.key.empty()) liars[std::string(key.key)] = number;
    Json parts;
    for (const PartPtr& part : key.kind().parts) part->add_range_schema(parts);
    for (const std::string_view range : key.ranges) {
      if (range != "offset") liars[std::string(range)] = parts[std::string(range)];
    }
  }
  liars["skew"] = liars["twins_apart"] = schema_of_duration();
  liars["rounds"] = schema_of_list(schema_of_integer(0, kRoundMax), 2, 2);
  liars["nodes"] = schema_of_nodes();
  liars["faulty"] = schema_of_integer(1, kMaxNodes);
  properties["liars"] = {
      {"type", "object"}, {"properties", liars}, {"additionalProperties", false}};
  const Json schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                    {"title", "[schedule.faults] of a scenario"},
                    {"type", "object"},
                    {"properties", properties},
                    {"additionalProperties", false}};
  return schema.dump(2);
}

}  // namespace dissensus::faults
