// Parts that name several nodes, or messages by their sender and receiver.
#include "faults/draw.h"
#include "faults/part_types.h"

namespace dissensus::faults {

template <class Visit>
constexpr void fields_of(const MessageFilter*, const Visit& visit) {
  visit("sender", &MessageFilter::from);
  visit("receiver", &MessageFilter::to);
  visit("message", &MessageFilter::kind);
}

namespace {

/// `again` says what is wrong with a node that was named before.
template <class Again>
NodeSet read_each_once(const OptionValue& list, const Target& target, std::vector<bool>& named,
                       Again again) {
  NodeSet result;
  for (const OptionValue& member : list.list()) {
    const NodeId node = read_node(member, target);
    if (named[node]) member.fail(again(node));
    named[node] = true;
    result.push_back(node);
  }
  if (result.empty()) list.fail("expected at least one node, found none");
  return result;
}

/// Into how many parts groups divide the nodes; those that no group names are one.
std::size_t parts_of(const std::vector<NodeSet>& groups, std::size_t nodes) {
  std::size_t named = 0;
  for (const NodeSet& group : groups) named += group.size();
  return groups.size() + (named < nodes ? 1 : 0);
}

}  // namespace

NodeSet read_set(const OptionValue& list, const Target& target) {
  std::vector<bool> named(target.genes.nodes);
  return read_each_once(list, target, named, [](NodeId node) {
    return fmt::format("node {} is named twice, expected once", node);
  });
}

std::vector<NodeSet> read_groups(const OptionValue& groups, const Target& target) {
  std::vector<NodeSet> result;
  std::vector<bool> named(target.genes.nodes);
  for (const OptionValue& group : groups.list()) {
    result.push_back(read_each_once(group, target, named, [](NodeId node) {
      return fmt::format("node {} is in two groups, expected one", node);
    }));
  }
  if (result.empty() || parts_of(result, named.size()) < 2) {
    groups.fail("expected groups that separate some nodes from others");
  }
  return result;
}

namespace {

class NodesPart final : public Typed<NodeSet> {
 public:
  NodesPart(std::string_view name, Access<NodeSet> access, const ListOf& list)
      : Typed(name, access, Weight::essential), list_(list) {}

  void read(void* fault, const Options& document, const Target& target) const override {
    const auto found = is_required() ? document.at(key) : document.find(key);
    if (!found) {
      of(fault) = all(fault, target.genes.nodes);
    } else {
      of(fault) = read_others(*found, fault, target);
    }
  }
  void write(const void* fault, Members& members, const Target& target) const override {
    if (!is_required() && of(fault) == all(fault, target.genes.nodes)) return;
    members.add(key, fmt::format("[{}]", fmt::join(of(fault), ", ")));
  }
  void add_schema(Json& properties) const override {
    properties[std::string(key)] = schema_of_nodes();
  }
  void draw(void* fault, Drawer& drawer, const Window& when) const override {
    of(fault) = is_required() ? drawer.victims(when)
                              : random_subset(all(fault, drawer.nodes), drawer.random);
  }
  /// Some of one of several lists.
  Range range(const Options& table, const Target& target) const override {
    const auto found = table.find(key);
    if (!found) return nullptr;
    std::vector<NodeSet> pools;
    for (const OptionValue& pool : found->list()) {
      pools.push_back(read_set(pool, target));
      std::sort(pools.back().begin(), pools.back().end());
    }
    if (pools.empty()) found->fail("expected at least one list of nodes, found none");
    return [this, pools](void* fault, Drawer& drawer, const Window&) {
      NodeSet pool = any_of(pools, drawer.random);
      std::erase(pool, spared(fault));
      of(fault) = pool.empty() ? pool : random_subset(pool, drawer.random);
    };
  }
  void add_range_schema(Json& properties) const override {
    properties[std::string(key)] = schema_of_list(schema_of_nodes(), 1);
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
  bool is_void(const void* fault, std::size_t) const override { return of(fault).empty(); }

 private:
  /// The node whose others these are.
  NodeId spared(const void* fault) const {
    const bool others = list_.missing == ListOf::Default::others;
    return others ? list_.node(const_cast<void*>(fault)) : kNoNode;
  }
  NodeSet all(const void* fault, std::size_t nodes) const {
    return other_nodes(spared(fault), nodes);
  }
  NodeSet read_others(const OptionValue& list, const void* fault, const Target& target) const {
    const NodeId node = spared(fault);
    for (const OptionValue& member : list.list()) {
      if (node != kNoNode && read_node(member, target) == node) {
        member.fail(fmt::format("node {} does not send to itself", node));
      }
    }
    return read_set(list, target);
  }

  ListOf list_;
};

class GroupsPart final : public Typed<std::vector<NodeSet>> {
 public:
  explicit GroupsPart(Access<std::vector<NodeSet>> access)
      : Typed("groups", access, Weight::essential) {}

  void read(void* fault, const Options& document, const Target& target) const override {
    of(fault) = read_groups(document.at(key), target);
  }
  void write(const void* fault, Members& members, const Target&) const override {
    std::vector<std::string> texts;
    for (const NodeSet& group : of(fault)) {
      texts.push_back(fmt::format("[{}]", fmt::join(group, ", ")));
    }
    members.add(key, fmt::format("[{}]", fmt::join(texts, ", ")));
  }
  void add_schema(Json& properties) const override {
    properties["groups"] = schema_of_list(schema_of_nodes(), 1);
  }
  void draw(void* fault, Drawer& drawer, const Window& when) const override {
    of(fault) = drawer.groups(when);
  }
  Range range(const Options& table, const Target& target) const override {
    const auto found = table.find(key);
    if (!found) return nullptr;
    const auto divisions = read_alternatives(
        *found, [&](const OptionValue& value) { return read_groups(value, target); });
    return [this, divisions](void* fault, Drawer& drawer, const Window&) {
      of(fault) = any_of(divisions, drawer.random);
    };
  }
  void add_range_schema(Json& properties) const override {
    properties["groups"] = schema_of_list(schema_of_list(schema_of_nodes(), 1), 1);
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
  bool is_void(const void* fault, std::size_t nodes) const override {
    return parts_of(of(fault), nodes) < 2;
  }

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

class FilterPart final : public Typed<MessageFilter> {
 public:
  explicit FilterPart(Access<MessageFilter> access) : Typed("message", access) {}

  void read(void* fault, const Options& document, const Target& target) const override {
    MessageFilter& filter = of(fault);
    if (const auto message = document.find("message")) filter.kind = read_kind(*message, target);
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
  Range range(const Options& table, const Target& target) const override {
    const auto read = [&](std::string_view name, auto read_one) {
      const auto found = table.find(name);
      const auto one = [&](const OptionValue& value) { return read_one(value, target); };
      return found ? read_alternatives(*found, one) : decltype(read_alternatives(*found, one)){};
    };
    const auto kinds = read("message", read_kind);
    const auto senders = read("sender", read_node);
    const auto receivers = read("receiver", read_node);
    if (kinds.empty() && senders.empty() && receivers.empty()) return nullptr;
    return [this, kinds, senders, receivers](void* fault, Drawer& drawer, const Window& when) {
      draw(fault, drawer, when);
      MessageFilter& filter = of(fault);
      if (!kinds.empty()) filter.kind = any_of(kinds, drawer.random);
      if (!senders.empty()) filter.from = any_of(senders, drawer.random);
      if (!receivers.empty()) filter.to = any_of(receivers, drawer.random);
    };
  }
  void add_range_schema(Json& properties) const override {
    Json one;
    add_schema(one);
    for (const auto& [name, schema] : one.items()) {
      properties[name] = schema_of_alternatives(schema);
    }
  }
  const MessageFilter* filter(const void* fault) const override { return &of(fault); }
};

}  // namespace

PartPtr make_nodes(std::string_view key, Access<NodeSet> access, const ListOf& list) {
  return std::make_unique<NodesPart>(key, access, list);
}
PartPtr make_groups(Access<std::vector<NodeSet>> access) {
  return std::make_unique<GroupsPart>(access);
}
PartPtr make_filter(Access<MessageFilter> access) {
  return std::make_unique<FilterPart>(access);
}

}  // namespace dissensus::faults
