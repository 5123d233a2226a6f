#include "faults/part.h"

#include <algorithm>
#include <chrono>
#include <limits>

#include <fmt/format.h>

#include "core/assert.h"
#include "core/limits.h"
#include "core/suggestion.h"
#include "faults/draw.h"

namespace dissensus::faults {

template <class Visit>
constexpr void fields_of(const MessageFilter*, const Visit& visit) {
  visit("sender", &MessageFilter::from);
  visit("receiver", &MessageFilter::to);
  visit("message", &MessageFilter::kind);
}
template <class Visit>
constexpr void fields_of(const Anchor*, const Visit& visit) {
  visit("phase", &Anchor::phase);
  visit("round", &Anchor::round);
  visit("node", &Anchor::node);
  visit("nth", &Anchor::nth);
  visit("relative", &Anchor::relative);
  visit("until_next", &Anchor::until_next);
  visit("before", &Anchor::before);
}
template <class Visit>
constexpr void fields_of(const Window*, const Visit& visit) {
  visit("from", &Window::from);
  visit("until", &Window::until);
  visit("from_round", &Window::from_round);
  visit("until_round", &Window::until_round);
  visit("after", &Window::after);
}

using Json = nlohmann::ordered_json;
using std::chrono::milliseconds;

std::int64_t whole_milliseconds(Duration duration) {
  return std::chrono::ceil<milliseconds>(duration).count();
}

Duration Drawer::whole(Duration duration) {
  return std::max<Duration>(std::chrono::duration_cast<milliseconds>(duration), Duration{});
}

// ---- reading

[[noreturn]] void fail_unknown_kind(const OptionValue& place, const std::string& word,
                                    const SystemDescription& description) {
  std::vector<std::string> names;
  for (const KindDescription& kind : description.kinds) names.push_back(kind.name);
  std::string near = suggestion(word, names);
  if (near.empty()) near = fmt::format(", expected one of {}", fmt::join(names, ", "));
  place.fail(fmt::format("unknown message kind{}", near));
}

NodeId read_node(const OptionValue& value, const Target& target) {
  return static_cast<NodeId>(value.integer(0, static_cast<std::int64_t>(target.genes.nodes) - 1));
}

Duration read_duration(const OptionValue& value) {
  const Duration duration = value.duration();
  if (duration > kVirtualTimeMax) {
    value.fail(fmt::format("expected a duration of at most {}h, found '{}'",
                           std::chrono::duration_cast<std::chrono::hours>(kVirtualTimeMax).count(),
                           value.text()));
  }
  return duration;
}

NodeSet read_set(const OptionValue& list, const Target& target) {
  NodeSet result;
  for (const OptionValue& member : list.list()) {
    const NodeId node = read_node(member, target);
    if (std::find(result.begin(), result.end(), node) != result.end()) {
      member.fail(fmt::format("node {} is named twice, expected once", node));
    }
    result.push_back(node);
  }
  if (result.empty()) list.fail("expected at least one node, found none");
  return result;
}

std::vector<NodeSet> read_groups(const Options& fault, const Target& target) {
  std::vector<NodeSet> result;
  const OptionValue groups = fault.at("groups");
  std::vector<bool> named(target.genes.nodes);
  std::size_t named_count = 0;
  for (const OptionValue& group : groups.list()) {
    NodeSet& nodes = result.emplace_back();
    for (const OptionValue& member : group.list()) {
      const NodeId node = read_node(member, target);
      if (named[node]) member.fail(fmt::format("node {} is in two groups, expected one", node));
      named[node] = true;
      ++named_count;
      nodes.push_back(node);
    }
    if (nodes.empty()) group.fail("expected at least one node, found none");
  }
  const std::size_t parts = result.size() + (named_count < named.size() ? 1 : 0);
  if (result.empty() || parts < 2) {
    groups.fail("expected groups that separate some nodes from others");
  }
  return result;
}

namespace {

std::uint64_t read_round(const OptionValue& value) {
  return static_cast<std::uint64_t>(value.integer(0, kRoundMax));
}

Json schema_of_integer(std::int64_t low, std::int64_t high) {
  return {{"type", "integer"}, {"minimum", low}, {"maximum", high}};
}
Json schema_of_nodes() {
  return {{"type", "array"}, {"items", schema_of_integer(0, kMaxNodes - 1)}, {"minItems", 1}};
}
Json schema_of_duration() {
  return {{"type", "string"}, {"pattern", "^-?[0-9.]+(us|ms|s|min|h)$"}};
}

/// A part whose value is one member.
template <class Value>
class Typed : public Part {
 public:
  Typed(std::string_view name, Access<Value> access, Weight part_weight = Weight::beside)
      : Part(name, part_weight), access_(access) {}

  void put(const void* fault, ByteWriter& writer) const override {
    dissensus::put(writer, of(fault));
  }
  void take(void* fault, ByteReader& reader) const override { dissensus::take(reader, of(fault)); }

 protected:
  Value& of(void* fault) const { return access_(fault); }
  const Value& of(const void* fault) const { return access_(const_cast<void*>(fault)); }

 private:
  Access<Value> access_;
};

// ---- nodes

class NodePart final : public Typed<NodeId> {
 public:
  using Typed::Typed;
  void read(void* fault, const Options& document, const Target& target) const override {
    of(fault) = read_node(document.at(key), target);
  }
  void write(const void* fault, Members& members, const Target&) const override {
    members.add_number(key, of(fault));
  }
  void add_schema(Json& properties) const override {
    properties[std::string(key)] = schema_of_integer(0, kMaxNodes - 1);
  }
  void draw(void* fault, Drawer& drawer, const Window& when) const override {
    of(fault) = drawer.node(when);
  }
  bool is_required() const override { return true; }
};

class OptionalNodePart final : public Typed<std::optional<NodeId>> {
 public:
  using Typed::Typed;
  void read(void* fault, const Options& document, const Target& target) const override {
    if (const auto node = document.find(key)) of(fault) = read_node(*node, target);
  }
  void write(const void* fault, Members& members, const Target&) const override {
    if (of(fault)) members.add_number(key, *of(fault));
  }
  void add_schema(Json& properties) const override {
    properties[std::string(key)] = schema_of_integer(0, kMaxNodes - 1);
  }
  void draw(void* fault, Drawer& drawer, const Window& when) const override {
    of(fault) = drawer.node(when);
  }
};

class NodesPart final : public Typed<NodeSet> {
 public:
  NodesPart(std::string_view name, Access<NodeSet> access, const ListOf& list)
      : Typed(name, access, Weight::essential), list_(list) {}

  void read(void* fault, const Options& document, const Target& target) const override {
    const auto found = document.find(key);
    if (list_.missing == ListOf::Default::none) {
      of(fault) = read_set(document.at(key), target);
    } else if (!found) {
      of(fault) = all(fault, target.genes.nodes);
    } else if (list_.missing == ListOf::Default::others) {
      of(fault) = read_peers(*found, list_.node(fault), target);
    } else {
      of(fault) = read_set(*found, target);
    }
  }
  void write(const void* fault, Members& members, const Target& target) const override {
    const bool has_default = list_.missing != ListOf::Default::none;
    if (has_default && of(fault) == all(fault, target.genes.nodes)) return;
    members.add(key, fmt::format("[{}]", fmt::join(of(fault), ", ")));
  }
  void add_schema(Json& properties) const override {
    properties[std::string(key)] = schema_of_nodes();
  }
  void draw(void* fault, Drawer& drawer, const Window& when) const override {
    of(fault) = list_.missing == ListOf::Default::none
                    ? drawer.victims(when)
                    : random_subset(all(fault, drawer.nodes), drawer.random);
  }
  bool reduce(void* fault, Reduction& reduction) const override {
    if (!list_.shrinks) return true;
    NodeSet& nodes = of(fault);
    const std::size_t kept = list_.kept == nullptr ? 0 : list_.kept(fault);
    if (kept >= nodes.size() && kept > 0) return true;
    NodeSet left(nodes.begin(), nodes.begin() + static_cast<std::ptrdiff_t>(kept));
    for (std::size_t i = kept; i < nodes.size(); ++i) {
      if (reduction.source.next(1, Scale::whole) > 0) left.push_back(nodes[i]);
    }
    nodes = std::move(left);
    return nodes.size() > kept;
  }
  bool is_required() const override { return list_.missing == ListOf::Default::none; }

 private:
  NodeSet all(const void* fault, std::size_t nodes) const {
    const bool others = list_.missing == ListOf::Default::others;
    return other_nodes(others ? list_.node(const_cast<void*>(fault)) : kNoNode, nodes);
  }
  /// Nodes that `node` talks with.
  static NodeSet read_peers(const OptionValue& list, NodeId node, const Target& target) {
    NodeSet result;
    for (const OptionValue& member : list.list()) {
      const NodeId peer = read_node(member, target);
      if (peer == node) member.fail(fmt::format("node {} does not send to itself", node));
      if (std::find(result.begin(), result.end(), peer) != result.end()) {
        member.fail(fmt::format("node {} is named twice, expected once", peer));
      }
      result.push_back(peer);
    }
    if (result.empty()) list.fail("expected at least one node, found none");
    return result;
  }

  ListOf list_;
};

class GroupsPart final : public Typed<std::vector<NodeSet>> {
 public:
  explicit GroupsPart(Access<std::vector<NodeSet>> access)
      : Typed("groups", access, Weight::essential) {}

  void read(void* fault, const Options& document, const Target& target) const override {
    of(fault) = read_groups(document, target);
  }
  void write(const void* fault, Members& members, const Target&) const override {
    std::vector<std::string> texts;
    for (const NodeSet& group : of(fault)) {
      texts.push_back(fmt::format("[{}]", fmt::join(group, ", ")));
    }
    members.add(key, fmt::format("[{}]", fmt::join(texts, ", ")));
  }
  void add_schema(Json& properties) const override {
    properties["groups"] = {{"type", "array"}, {"items", schema_of_nodes()}, {"minItems", 1}};
  }
  void draw(void* fault, Drawer& drawer, const Window& when) const override {
    NodeSet side = drawer.ordered(when);
    side.resize(1 + drawer.random.below(std::max<std::size_t>(drawer.nodes / 2, 1)));
    std::sort(side.begin(), side.end());
    of(fault) = {std::move(side)};
  }
  /// Nodes join the largest part; those that no group names are the last one.
  bool reduce(void* fault, Reduction& reduction) const override {
    std::vector<NodeSet>& groups = of(fault);
    std::vector<std::size_t> part(reduction.nodes, groups.size());
    for (std::size_t index = 0; index < groups.size(); ++index) {
      for (const NodeId node : groups[index]) part[node] = index;
    }
    std::vector<std::size_t> sizes(groups.size() + 1);
    for (const std::size_t index : part) ++sizes[index];
    const auto largest =
        static_cast<std::size_t>(std::max_element(sizes.begin(), sizes.end()) - sizes.begin());
    bool separated = false;
    bool moved = false;
    for (std::size_t& index : part) {
      if (index == largest) continue;
      const bool stays = reduction.source.next(1, Scale::whole) > 0;
      separated = separated || stays;
      moved = moved || !stays;
      if (!stays) index = largest;
    }
    if (moved) groups = groups_of(part, groups.size());
    return separated;
  }
  bool is_required() const override { return true; }

 private:
  static std::vector<NodeSet> groups_of(const std::vector<std::size_t>& part, std::size_t count) {
    std::vector<NodeSet> result(count);
    for (std::size_t node = 0; node < part.size(); ++node) {
      if (part[node] < count) result[part[node]].push_back(static_cast<NodeId>(node));
    }
    std::erase_if(result, [](const NodeSet& group) { return group.empty(); });
    return result;
  }
};

// ---- messages

class FilterPart final : public Typed<MessageFilter> {
 public:
  explicit FilterPart(Access<MessageFilter> access) : Typed("message", access) {}

  void read(void* fault, const Options& document, const Target& target) const override {
    MessageFilter& filter = of(fault);
    if (const auto message = document.find("message")) {
      const std::string name = message->text();
      filter.kind = target.description.find_kind(name);
      if (*filter.kind == kNoKind) fail_unknown_kind(*message, name, target.description);
    }
    if (const auto sender = document.find("sender")) filter.from = read_node(*sender, target);
    if (const auto receiver = document.find("receiver")) {
      filter.to = read_node(*receiver, target);
      if (filter.from == filter.to) {
        receiver->fail("a node does not send to itself, expected another node than the sender");
      }
    }
  }
  void write(const void* fault, Members& members, const Target& target) const override {
    const MessageFilter& filter = of(fault);
    if (filter.kind) members.add_text("message", target.description.kinds.at(*filter.kind).name);
    if (filter.from) members.add_number("sender", *filter.from);
    if (filter.to) members.add_number("receiver", *filter.to);
  }
  void add_schema(Json& properties) const override {
    properties["message"] = {{"type", "string"}};
    properties["sender"] = properties["receiver"] = schema_of_integer(0, kMaxNodes - 1);
  }
  void draw(void* fault, Drawer& drawer, const Window& when) const override {
    const NodeSet order = drawer.ordered(when);
    if (drawer.random.chance(0.6)) of(fault).from = order[0];
    if (drawer.random.chance(0.4)) of(fault).to = order[1];
  }
  const MessageFilter* filter(const void* fault) const override { return &of(fault); }
};

class CountPart final : public Typed<std::optional<std::uint32_t>> {
 public:
  explicit CountPart(Access<std::optional<std::uint32_t>> access)
      : Typed("count", access, Weight::essential) {}

  void read(void* fault, const Options& document, const Target&) const override {
    if (const auto count = document.find(key)) {
      of(fault) =
          static_cast<std::uint32_t>(count->integer(1, std::numeric_limits<std::uint32_t>::max()));
    }
  }
  void write(const void* fault, Members& members, const Target&) const override {
    if (of(fault)) members.add_number(key, *of(fault));
  }
  void add_schema(Json& properties) const override {
    properties["count"] = schema_of_integer(1, std::numeric_limits<std::uint32_t>::max());
  }
  void draw(void* fault, Drawer& drawer, const Window&) const override {
    if (drawer.random.chance(0.5)) {
      of(fault) = static_cast<std::uint32_t>(1 + drawer.random.below(8));
    }
  }
  bool reduce(void* fault, Reduction& reduction) const override {
    std::optional<std::uint32_t>& count = of(fault);
    const std::int64_t start = count ? std::int64_t{*count} : kBoundMax + 1;
    const std::int64_t level = reduction.source.next(start, Scale::count);
    if (level != start) count = static_cast<std::uint32_t>(level);
    return level > 0;
  }

 private:
  /// Where a number has no bound, bounds up to this one are tried.
  static constexpr std::int64_t kBoundMax = 16;
};

class FieldPart final : public Typed<std::string> {
 public:
  explicit FieldPart(Access<std::string> access) : Typed("field", access) {}

  void read(void* fault, const Options& document, const Target& target) const override {
    const auto field = document.find(key);
    if (!field) return;
    std::vector<std::string> known;
    for (const PayloadDescription& payload : target.description.payloads) {
      for (std::size_t i = 0; i < payload.fields.size(); ++i) {
        if (payload.setters[i] && i != payload.author) known.push_back(payload.fields[i].name);
      }
    }
    of(fault) = field->text();
    if (std::find(known.begin(), known.end(), field->text()) != known.end()) return;
    std::string near = suggestion(field->text(), known);
    if (near.empty()) near = fmt::format(", expected one of {}", fmt::join(known, ", "));
    field->fail(
        fmt::format("no message has a field '{}' that can be changed{}", field->text(), near));
  }
  void write(const void* fault, Members& members, const Target&) const override {
    if (!of(fault).empty()) members.add_text(key, of(fault));
  }
  void add_schema(Json& properties) const override { properties["field"] = {{"type", "string"}}; }
};

// ---- numbers

/// Rounds and seeds: whole numbers that cannot be missing.
class NumberPart final : public Typed<std::uint64_t> {
 public:
  NumberPart(std::string_view name, Access<std::uint64_t> access, std::int64_t most)
      : Typed(name, access), most_(most) {}
  void read(void* fault, const Options& document, const Target&) const override {
    of(fault) = static_cast<std::uint64_t>(document.at(key).integer(0, most_));
  }
  void write(const void* fault, Members& members, const Target&) const override {
    members.add_number(key, of(fault));
  }
  void add_schema(Json& properties) const override {
    properties[std::string(key)] = schema_of_integer(0, most_);
  }
  void draw(void* fault, Drawer& drawer, const Window&) const override {
    of(fault) = most_ == kSeedMax ? drawer.random.next() >> 32 : drawer.random.below(10);
  }
  std::uint64_t* round(void* fault) const override {
    return most_ == kRoundMax ? &of(fault) : nullptr;
  }
  bool is_required() const override { return true; }

 private:
  std::int64_t most_;
};

class OptionalRoundPart final : public Typed<std::optional<std::uint64_t>> {
 public:
  using Typed::Typed;
  void read(void* fault, const Options& document, const Target&) const override {
    if (const auto round = document.find(key)) of(fault) = read_round(*round);
  }
  void write(const void* fault, Members& members, const Target&) const override {
    if (of(fault)) members.add_number(key, *of(fault));
  }
  void add_schema(Json& properties) const override {
    properties[std::string(key)] = schema_of_integer(0, kRoundMax);
  }
};

class SharePart final : public Typed<double> {
 public:
  SharePart(std::string_view name, Access<double> access) : Typed(name, access, Weight::one_of) {}
  void read(void* fault, const Options& document, const Target&) const override {
    of(fault) = document.number(key, 0, 0, 1);
  }
  void write(const void* fault, Members& members, const Target&) const override {
    // The shortest text that reads back exactly.
    if (of(fault) > 0) members.add(key, fmt::format("{}", of(fault)));
  }
  void add_schema(Json& properties) const override {
    properties[std::string(key)] = {{"type", "number"}, {"minimum", 0}, {"maximum", 1}};
  }
  void draw(void* fault, Drawer& drawer, const Window&) const override {
    of(fault) = drawer.share();
  }
  bool reduce(void* fault, Reduction& reduction) const override {
    double& share = of(fault);
    if (share > 0 && reduction.source.next(1, Scale::whole) == 0) share = 0;
    return share > 0;
  }
};

class IntegerPart final : public Typed<std::int32_t> {
 public:
  IntegerPart(std::string_view name, Access<std::int32_t> access, std::int32_t low,
              std::int32_t high)
      : Typed(name, access, Weight::one_of), low_(low), high_(high) {}
  void read(void* fault, const Options& document, const Target&) const override {
    of(fault) = static_cast<std::int32_t>(document.integer(key, 0, low_, high_));
  }
  void write(const void* fault, Members& members, const Target&) const override {
    if (of(fault) != 0) members.add(key, fmt::to_string(of(fault)));
  }
  void add_schema(Json& properties) const override {
    properties[std::string(key)] = schema_of_integer(low_, high_);
  }
  void draw(void* fault, Drawer& drawer, const Window&) const override {
    of(fault) = static_cast<std::int32_t>(drawer.random.between(low_, high_));
  }
  bool reduce(void* fault, Reduction& reduction) const override {
    if (of(fault) != 0 && reduction.source.next(1, Scale::whole) == 0) of(fault) = 0;
    return of(fault) != 0;
  }

 private:
  std::int32_t low_;
  std::int32_t high_;
};

class ChoicePart final : public Part {
 public:
  ChoicePart(std::string_view name, Choice choice, std::span<const std::string_view> words,
             bool required)
      : Part(name), choice_(choice), words_(words), required_(required) {}
  void read(void* fault, const Options& document, const Target&) const override {
    choice_.set(fault,
                required_ ? document.at(key).choice(words_) : document.choice(key, words_, 0));
  }
  void write(const void* fault, Members& members, const Target&) const override {
    const std::size_t word = choice_.get(fault);
    if (required_ || word != 0) members.add_text(key, words_[word]);
  }
  void put(const void* fault, ByteWriter& writer) const override {
    writer.number(choice_.get(fault));
  }
  void take(void* fault, ByteReader& reader) const override {
    const std::uint64_t word = reader.number();
    if (word >= words_.size()) reader.fail();
    choice_.set(fault, static_cast<std::size_t>(word));
  }
  void add_schema(Json& properties) const override {
    properties[std::string(key)] = {
        {"enum", std::vector<std::string>(words_.begin(), words_.end())}};
  }
  void draw(void* fault, Drawer& drawer, const Window&) const override {
    const std::vector<std::size_t> admitted = drawer.words(key);
    choice_.set(fault, admitted.empty() ? drawer.random.below(words_.size())
                                        : admitted[drawer.random.below(admitted.size())]);
  }
  bool is_required() const override { return required_; }

 private:
  Choice choice_;
  std::span<const std::string_view> words_;
  bool required_;
};

// ---- durations and windows

/// The level that is left of a duration, in whole milliseconds, whichever its sign.
bool reduce_duration(Duration& duration, Reduction& reduction) {
  const bool negative = duration < Duration{};
  const std::int64_t start = whole_milliseconds(negative ? -duration : duration);
  const std::int64_t level = reduction.source.next(start, Scale::milliseconds);
  if (level != start) duration = milliseconds(negative ? -level : level);
  return duration != Duration{};
}

std::string label_of(std::string_view key, std::string_view label) {
  std::string words(label.empty() ? key : label);
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

class DurationPart final : public Typed<Duration> {
 public:
  DurationPart(std::string_view name, Access<Duration> access, const DurationOf& what)
      : Typed(name, access, what.weight), access_(access), what_(what) {}

  void read(void* fault, const Options& document, const Target&) const override {
    const auto found = what_.required ? document.at(key) : document.find(key);
    if (!found) return;
    if (!what_.may_be_negative) {
      of(fault) = read_duration(*found);
      return;
    }
    of(fault) = found->duration(true);
    if (of(fault) > kVirtualTimeMax || of(fault) < -kVirtualTimeMax) {
      found->fail(fmt::format("expected an {} of at most 8760h", key));
    }
  }
  void write(const void* fault, Members& members, const Target&) const override {
    if (what_.required || of(fault) != Duration{}) members.add_duration(key, of(fault));
  }
  void add_schema(Json& properties) const override {
    properties[std::string(key)] = schema_of_duration();
  }
  void draw(void* fault, Drawer& drawer, const Window&) const override {
    if (what_.concerns == nullptr || what_.concerns(fault)) of(fault) = drawer.length();
  }
  bool reduce(void* fault, Reduction& reduction) const override {
    if (what_.concerns != nullptr && !what_.concerns(fault)) return true;
    return reduce_duration(of(fault), reduction);
  }
  void add_numbers(const void* fault, std::vector<FaultNumber>& numbers) const override {
    if (of(fault) <= Duration{}) return;
    numbers.push_back({label_of(key, what_.label), of(fault),
                       [access = access_](void* each, Duration to) { access(each) = to; }});
  }
  bool is_required() const override { return what_.required; }

 private:
  Access<Duration> access_;
  DurationOf what_;
};

class OptionalDurationPart final : public Typed<std::optional<Duration>> {
 public:
  OptionalDurationPart(std::string_view name, Access<std::optional<Duration>> access,
                       const DurationOf& what)
      : Typed(name, access, what.weight), access_(access), what_(what) {}

  void read(void* fault, const Options& document, const Target&) const override {
    if (const auto found = document.find(key)) of(fault) = read_duration(*found);
  }
  void write(const void* fault, Members& members, const Target&) const override {
    if (of(fault)) members.add_duration(key, *of(fault));
  }
  void add_schema(Json& properties) const override {
    properties[std::string(key)] = schema_of_duration();
  }
  void draw(void* fault, Drawer& drawer, const Window&) const override {
    of(fault) = drawer.length();
  }
  bool reduce(void* fault, Reduction& reduction) const override {
    if (what_.shrinks && of(fault)) reduce_duration(*of(fault), reduction);
    return true;
  }
  void add_numbers(const void* fault, std::vector<FaultNumber>& numbers) const override {
    if (!what_.shrinks || !of(fault)) return;
    numbers.push_back({label_of(key, what_.label), *of(fault),
                       [access = access_](void* each, Duration to) { access(each) = to; }});
  }
  void shorten(void* fault, const Shorten& shorten) const override {
    if (what_.shrinks && of(fault)) of(fault) = shorten(*of(fault));
  }

 private:
  Access<std::optional<Duration>> access_;
  DurationOf what_;
};

Anchor read_anchor(const Options& options, const Target& target) {
  Anchor anchor;
  const auto phase = options.find("phase");
  const auto round = options.find("round");
  if (phase.has_value() == round.has_value()) {
    options.fail("expected either 'phase' or 'round': what the fault waits for");
  }
  if (phase) {
    const std::vector<std::string>& phases = target.description.phases;
    const auto found = std::find(phases.begin(), phases.end(), phase->text());
    if (found == phases.end()) {
      phase->fail(fmt::format("no such phase{} (known: {})", suggestion(phase->text(), phases),
                              fmt::join(phases, ", ")));
    }
    anchor.phase = static_cast<std::uint32_t>(found - phases.begin());
  }
  if (round) anchor.round = read_round(*round);
  if (const auto node = options.find("node")) anchor.node = read_node(*node, target);
  anchor.nth = static_cast<std::uint32_t>(options.integer("nth", 1, 1, 1'000'000));
  anchor.relative = options.boolean("relative", false);
  anchor.until_next = options.boolean("until_next", false);
  if (const auto before = options.find("before")) {
    anchor.before = read_duration(*before);
    if (*anchor.before == Duration{}) before->fail("expected a duration above zero");
  }
  return anchor;
}

std::string text_of(const Anchor& anchor, const SystemDescription& description) {
  Members after;
  if (anchor.phase) after.add_text("phase", description.phases.at(*anchor.phase));
  if (anchor.round) after.add_number("round", *anchor.round);
  if (anchor.node) after.add_number("node", *anchor.node);
  if (anchor.nth != 1) after.add_number("nth", anchor.nth);
  if (anchor.relative) after.add("relative", "true");
  if (anchor.until_next) after.add("until_next", "true");
  if (anchor.before) after.add_duration("before", *anchor.before);
  return after.on_one_line();
}

void read_rounds(const OptionValue& value, Window& window) {
  const std::vector<OptionValue> rounds = value.list();
  if (rounds.empty() || rounds.size() > 2) {
    value.fail(fmt::format("expected [first, end] or [first], found {} numbers", rounds.size()));
  }
  window.from_round = read_round(rounds[0]);
  if (rounds.size() == 1) return;
  window.until_round = read_round(rounds[1]);
  if (*window.until_round <= *window.from_round) {
    value.fail(
        fmt::format("expected an end after round {}, which is not part of the span, found {}",
                    *window.from_round, *window.until_round));
  }
}

Window read_window(const Options& fault) {
  Window window;
  const auto from = fault.find("from");
  const auto until = fault.find("until");
  if (const auto rounds = fault.find("rounds")) {
    if (from || until) rounds->fail("expected a span of rounds or of time, found both");
    read_rounds(*rounds, window);
    return window;
  }
  if (from) window.from = read_duration(*from);
  if (until) {
    window.until = read_duration(*until);
    if (*window.until <= window.from) {
      until->fail(fmt::format("expected a time after {}, found '{}'", to_string(window.from),
                              until->text()));
    }
  }
  return window;
}

class WindowPart final : public Typed<Window> {
 public:
  WindowPart(Access<Window> access, const WindowOf& what)
      : Typed("from", access, Weight::essential), access_(access), what_(what) {}

  void read(void* fault, const Options& document, const Target& target) const override {
    Window& window = of(fault) = read_window(document);
    if (!what_.may_wait) return;
    const auto after = document.find("after");
    if (!after) return;
    if (window.by_round()) after->fail("expected a span of rounds or an anchor, found both");
    window.after = read_anchor(after->table(), target);
  }
  void write(const void* fault, Members& members, const Target& target) const override {
    const Window& window = of(fault);
    if (window.after) members.add("after", text_of(*window.after, target.description));
    if (window.by_round()) {
      DISSENSUS_ASSERT(window.from == Duration{} && !window.until,
                       "to_json : a window by round has no times");
      members.add("rounds", window.until_round
                                ? fmt::format("[{}, {}]", *window.from_round, *window.until_round)
                                : fmt::format("[{}]", *window.from_round));
      return;
    }
    DISSENSUS_ASSERT(!window.until_round, "to_json : a window by time has no rounds");
    if (window.from != Duration{}) members.add_duration("from", window.from);
    if (window.until) members.add_duration("until", *window.until);
  }
  void take(void* fault, ByteReader& reader) const override {
    Typed::take(fault, reader);
    const Window& window = of(fault);
    const bool has_times = window.from != Duration{} || window.until;
    if (window.by_round() ? has_times : window.until_round.has_value()) reader.fail();
  }
  void add_schema(Json& properties) const override {
    properties["from"] = properties["until"] = schema_of_duration();
    properties["rounds"] = {{"type", "array"},
                            {"items", schema_of_integer(0, kRoundMax)},
                            {"minItems", 1},
                            {"maxItems", 2}};
    if (!what_.may_wait) return;
    properties["after"] = {{"type", "object"},
                           {"properties",
                            {{"phase", {{"type", "string"}}},
                             {"round", schema_of_integer(0, kRoundMax)},
                             {"node", schema_of_integer(0, kMaxNodes - 1)},
                             {"nth", schema_of_integer(1, 1'000'000)},
                             {"relative", {{"type", "boolean"}}},
                             {"until_next", {{"type", "boolean"}}},
                             {"before", schema_of_duration()}}},
                           {"additionalProperties", false}};
  }
  void draw(void* fault, Drawer&, const Window& when) const override { of(fault) = when; }
  bool reduce(void* fault, Reduction& reduction) const override {
    if (what_.concerns != nullptr && !what_.concerns(fault)) return true;
    Window& window = of(fault);
    return window.by_round() ? reduce_rounds(window, reduction) : reduce_time(window, reduction);
  }
  void add_numbers(const void* fault, std::vector<FaultNumber>& numbers) const override {
    const Window& window = of(fault);
    // A moment is one message and no span whose ends could be moved.
    const bool is_moment = window.until && *window.until - window.from <= milliseconds(1);
    if (window.by_round() || is_moment) return;
    static constexpr auto kLeast = std::chrono::microseconds(1);
    if (window.from != Duration{}) {
      numbers.push_back({"from", window.from, [access = access_](void* each, Duration to) {
                           Window& changed = access(each);
                           changed.from =
                               changed.until ? std::min(to, *changed.until - kLeast) : to;
                         }});
    }
    if (window.until) {
      numbers.push_back({"until", *window.until, [access = access_](void* each, Duration to) {
                           Window& changed = access(each);
                           changed.until = std::max(to, changed.from + kLeast);
                         }});
    }
  }
  void shorten(void* fault, const Shorten& shorten) const override {
    Window& window = of(fault);
    if (window.by_round()) return;
    const Duration length = window.until ? *window.until - window.from : Duration{};
    window.from = shorten(window.from);
    if (window.until) window.until = window.from + shorten(length);
  }
  bool is_window() const override { return true; }
  bool may_wait() const override { return what_.may_wait; }
  Window* window(void* fault) const override { return &of(fault); }

 private:
  static constexpr std::int64_t kBoundMax = 16;

  // Two units: how much of the window is left when its end moves forward, and how much of that when
  // its beginning moves back. Before them, of one that waits: an earlier time that the same thing
  // happens may do.
  static bool reduce_time(Window& window, Reduction& reduction) {
    if (window.after) {
      const std::int64_t start = std::int64_t{window.after->nth} - 1;
      window.after->nth =
          static_cast<std::uint32_t>(reduction.source.next(start, Scale::count) + 1);
    }
    const Duration from = window.from;
    const Duration until =
        window.until ? *window.until : std::max(reduction.end, from + milliseconds(1));
    const std::int64_t length = whole_milliseconds(until - from);
    const std::int64_t start = window.until ? length : length + 1;
    const std::int64_t tail = reduction.source.next(start, Scale::milliseconds);
    const std::int64_t head = reduction.source.next(start, Scale::milliseconds);
    const std::int64_t left = std::min(tail, length);
    if (tail != start) window.until = from + milliseconds(tail);
    if (head < left) window.from = from + milliseconds(left - head);
    return tail > 0 && head > 0;
  }
  static bool reduce_rounds(Window& window, Reduction& reduction) {
    const std::uint64_t from = *window.from_round;
    const std::int64_t length =
        window.until_round ? static_cast<std::int64_t>(*window.until_round - from) : kBoundMax;
    const std::int64_t start = window.until_round ? length : length + 1;
    const std::int64_t tail = reduction.source.next(start, Scale::count);
    const std::int64_t head = reduction.source.next(start, Scale::count);
    const std::int64_t left = std::min(tail, length);
    if (tail != start) window.until_round = from + static_cast<std::uint64_t>(tail);
    if (head < left) window.from_round = from + static_cast<std::uint64_t>(left - head);
    return tail > 0 && head > 0;
  }

  Access<Window> access_;
  WindowOf what_;
};

}  // namespace

PartPtr make_node(std::string_view key, Access<NodeId> access) {
  return std::make_unique<NodePart>(key, access);
}
PartPtr make_node(std::string_view key, Access<std::optional<NodeId>> access) {
  return std::make_unique<OptionalNodePart>(key, access);
}
PartPtr make_nodes(std::string_view key, Access<NodeSet> access, const ListOf& list) {
  return std::make_unique<NodesPart>(key, access, list);
}
PartPtr make_groups(Access<std::vector<NodeSet>> access) {
  return std::make_unique<GroupsPart>(access);
}
PartPtr make_filter(Access<MessageFilter> access) {
  return std::make_unique<FilterPart>(access);
}
PartPtr make_count(Access<std::optional<std::uint32_t>> access) {
  return std::make_unique<CountPart>(access);
}
PartPtr make_seed(Access<std::uint64_t> access) {
  return std::make_unique<NumberPart>("seed", access, kSeedMax);
}
PartPtr make_round(std::string_view key, Access<std::uint64_t> access) {
  return std::make_unique<NumberPart>(key, access, kRoundMax);
}
PartPtr make_round(std::string_view key, Access<std::optional<std::uint64_t>> access) {
  return std::make_unique<OptionalRoundPart>(key, access);
}
PartPtr make_share(std::string_view key, Access<double> access) {
  return std::make_unique<SharePart>(key, access);
}
PartPtr make_choice(std::string_view key, Choice choice, std::span<const std::string_view> words,
                    bool required) {
  return std::make_unique<ChoicePart>(key, choice, words, required);
}
PartPtr make_integer(std::string_view key, Access<std::int32_t> access, std::int32_t low,
                     std::int32_t high) {
  return std::make_unique<IntegerPart>(key, access, low, high);
}
PartPtr make_field(Access<std::string> access) {
  return std::make_unique<FieldPart>(access);
}
PartPtr make_duration(std::string_view key, Access<Duration> access, const DurationOf& what) {
  return std::make_unique<DurationPart>(key, access, what);
}
PartPtr make_duration(std::string_view key, Access<std::optional<Duration>> access,
                      const DurationOf& what) {
  return std::make_unique<OptionalDurationPart>(key, access, what);
}
PartPtr make_window(Access<Window> access, const WindowOf& what) {
  return std::make_unique<WindowPart>(access, what);
}

}  // namespace dissensus::faults
