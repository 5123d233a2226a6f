#include "isolate/signs.h"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>

#include <fmt/format.h>

namespace dissensus::isolate {
namespace {

using trace::Record;

struct SignDigestHash {
  std::size_t operator()(const Digest& digest) const { return digest.low; }
};

/// The value of a field as decisions name values; none for sets and texts.
std::optional<Digest> digest_of_field(const FieldValue& value) {
  if (const auto* digest = std::get_if<Digest>(&value)) return *digest;
  Digest number;
  if (const auto* natural = std::get_if<std::uint64_t>(&value)) {
    number.low = *natural;
  } else if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    number.low = static_cast<std::uint64_t>(*integer);
  } else {
    return std::nullopt;
  }
  return number;
}

/// Whether messages name what is decided by such a field: its value, or its instance.
bool names_decisions(SemanticType type) {
  return type == SemanticType::hash || type == SemanticType::value ||
         type == SemanticType::sequence;
}

std::size_t heads(NodeMask nodes) {
  return static_cast<std::size_t>(std::popcount(nodes));
}

/// What one node has heard, and where it is.
struct NodeView {
  /// Who said so, itself included, by field of a kind and value.
  std::map<std::tuple<std::size_t, std::size_t, Digest>, NodeMask> said;
  std::map<std::uint8_t, std::uint64_t> last_decided;  ///< by level
  std::optional<std::uint64_t> phase;
  std::map<std::uint8_t, std::uint64_t> observed;
  bool has_restarted = false;
  bool is_down = false;
};

struct Decision {
  NodeId node = kNoNode;
  Digest value{};
  std::string trigger;
  std::optional<std::uint64_t> round;  ///< of the message that it followed
  bool after_restart = false;
  /// How many nodes had spoken of it to that node, by SignReader::places_.
  std::vector<std::uint8_t> heard = {};
};

class SignReader {
 public:
  SignReader(const trace::Header& header, std::span<const Record> records)
      : header_(header), views_(header.nodes) {
    for (std::size_t kind = 0; kind < header.kinds.size(); ++kind) {
      const std::vector<FieldDescription>& fields = header.kind_fields[kind];
      for (std::size_t field = 0; field < fields.size(); ++field) {
        if (names_decisions(fields[field].type)) places_.emplace_back(kind, field);
      }
    }
    for (const Record& record : records) {
      by_id_.emplace(record.id, &record);
      const bool has_fields = record.type == EventType::send || record.type == EventType::mutate;
      if (has_fields && record.kind != kNoKind) contents_.emplace(record.content, &record);
    }
  }

  void read(std::span<const Record> records, std::span<const Failure> failures) {
    auto failure = failures.begin();
    for (const Record& record : records) {
      see(record);
      // Violations that are judged at the end of a run belong to no event of it.
      for (; failure != failures.end() && failure->event <= record.id; ++failure)
        describe(*failure, record);
    }
    for (; failure != failures.end(); ++failure) describe_end(*failure);
    tell_evidence();
    tell_first_conflicts();
    tell_conflicts();
    tell_end(records);
  }
  std::vector<Sign> finish() { return {signs_.begin(), signs_.end()}; }

 private:
  void add(std::string about, std::string words, std::string of = {}) {
    signs_.insert({std::move(about), std::move(words), std::move(of)});
  }
  const std::string& kind_name(std::size_t kind) const { return header_.kinds[kind]; }
  const std::string& level_name(std::size_t level) const { return header_.levels[level]; }
  unsigned scope_bits(std::size_t level) const {
    return level < header_.level_scope_bits.size() ? header_.level_scope_bits[level] : 0U;
  }
  bool is_node(NodeId node) const { return node < views_.size(); }

  /// What the node was doing: the message, timer or restart that it answered.
  const Record* trigger_of(const Record& record) const {
    const auto cause = by_id_.find(record.cause);
    return cause == by_id_.end() ? nullptr : cause->second;
  }
  std::string trigger_name(const Record& record) const {
    const Record* trigger = trigger_of(record);
    if (trigger == nullptr) return "nothing";
    if (trigger->type == EventType::deliver && trigger->kind < header_.kinds.size())
      return "a " + kind_name(trigger->kind);
    return "a " + std::string(to_string(trigger->type));
  }
  std::optional<std::uint64_t> round_of(const Record& record) const {
    const Record* trigger = trigger_of(record);
    if (trigger == nullptr || trigger->type != EventType::deliver) return std::nullopt;
    const auto content = contents_.find(trigger->content);
    if (content == contents_.end()) return std::nullopt;
    const std::vector<FieldDescription>& fields = header_.kind_fields[trigger->kind];
    for (std::size_t field = 0; field < fields.size(); ++field) {
      if (fields[field].type != SemanticType::round) continue;
      const auto value = digest_of_field(content->second->fields[field]);
      if (value) return value->low;
    }
    return std::nullopt;
  }

  void hear(NodeView& view, const Record& message, NodeId sender) {
    const std::vector<FieldDescription>& fields = header_.kind_fields[message.kind];
    NodeId author = sender;
    for (std::size_t field = 0; field < fields.size(); ++field) {
      if (fields[field].type != SemanticType::node || fields[field].name != "origin") continue;
      if (const auto origin = digest_of_field(message.fields[field]))
        author = static_cast<NodeId>(origin->low);
    }
    if (author >= kNodesMax) return;
    for (std::size_t field = 0; field < fields.size(); ++field) {
      if (!names_decisions(fields[field].type)) continue;
      if (const auto value = digest_of_field(message.fields[field]))
        view.said[{message.kind, field, *value}] |= NodeMask{1} << author;
    }
  }

  void decide(NodeView& view, const Record& record) {
    const std::string trigger = trigger_name(record);
    view.last_decided[record.detail] = std::max(view.last_decided[record.detail], record.number);
    Decision decision{record.node, record.value, trigger, round_of(record), view.has_restarted};
    if (record.detail >= header_.level_final.size() || header_.level_final[record.detail])
      last_decision_ = record.id;
    Digest instance;
    instance.low = record.number >> scope_bits(record.detail);
    for (const auto& [kind, field] : places_) {
      const bool by_number = header_.kind_fields[kind][field].type == SemanticType::sequence;
      const auto said = view.said.find({kind, field, by_number ? instance : record.value});
      const std::size_t count = said == view.said.end() ? 0 : heads(said->second);
      const auto [place, is_new] =
          evidence_.try_emplace({record.detail, trigger, kind, field}, count);
      if (!is_new) place->second = std::min(place->second, count);
      if (count > 0) spoken_of_.insert({record.detail, kind, field});
      decision.heard.push_back(static_cast<std::uint8_t>(count));
    }
    std::vector<Decision>& list = decisions_[{record.detail, record.number}];
    const auto other = std::find_if(
        list.begin(), list.end(), [&](const Decision& one) { return one.value != decision.value; });
    if (other != list.end()) first_conflicts_.try_emplace(record.detail, *other, decision);
    list.push_back(std::move(decision));
  }

  void see(const Record& record) {
    if (!is_node(record.node)) return;
    NodeView& view = views_[record.node];
    switch (record.type) {
      case EventType::send:
        hear(view, record, record.node);
        break;
      case EventType::deliver: {
        const auto content = contents_.find(record.content);
        if (content != contents_.end()) hear(view, *content->second, record.peer);
        break;
      }
      case EventType::decide:
        decide(view, record);
        break;
      case EventType::phase:
        view.phase = record.number;
        break;
      case EventType::observe:
        view.observed[record.detail] = record.number;
        break;
      case EventType::crash:
        view.is_down = true;
        break;
      case EventType::restart:
        view.is_down = false;
        view.has_restarted = true;
        break;
      default:
        break;
    }
  }

  /// Where and when it was broken.
  void describe(const Failure& failure, const Record& record) {
    describe_end(failure);
    const std::string about = "moment of failing";
    if (record.type == EventType::decide) {
      add(about,
          fmt::format("The decision that breaks {} follows {}.", failure.signature,
                      trigger_name(record)),
          failure.signature);
    }
    if (is_node(record.node) && views_[record.node].phase &&
        *views_[record.node].phase < header_.phases.size()) {
      add(about,
          fmt::format("Who breaks {} is in phase {}.", failure.signature,
                      header_.phases[*views_[record.node].phase]),
          failure.signature);
    }
    const bool restarted =
        std::any_of(failure.nodes.begin(), failure.nodes.end(),
                    [&](NodeId node) { return is_node(node) && views_[node].has_restarted; });
    if (restarted) add(about, "A node that takes part in the violation has restarted before.");
  }
  void describe_end(const Failure& failure) {
    add("violations", fmt::format("It violates {}.", failure.signature), failure.signature);
    const char* who = failure.nodes.size() == 1               ? "one node"
                      : failure.nodes.size() == views_.size() ? "all nodes"
                                                              : "several nodes";
    add("moment of failing", fmt::format("{} concerns {}.", failure.signature, who),
        failure.signature);
  }

  void tell_evidence() {
    for (const auto& [key, fewest] : evidence_) {
      const auto& [level, trigger, kind, field] = key;
      if (!spoken_of_.contains({level, kind, field})) continue;
      for (std::size_t count = fewest; count < views_.size(); ++count) {
        add(fmt::format("{} for a {}", kEvidence, level_name(level)),
            fmt::format("Some {} is decided after {} although at most {} of {} nodes spoke of it "
                        "({} of a {}) to that node.",
                        level_name(level), trigger, count, views_.size(),
                        header_.kind_fields[kind][field].name, kind_name(kind)),
            level_name(level));
      }
    }
  }

  /// On how little one of the first two different decisions was made: what follows from them, more
  /// conflicts among it, says less about the cause.
  void tell_first_conflicts() {
    for (const auto& [level, pair] : first_conflicts_) {
      for (std::size_t place = 0; place < places_.size(); ++place) {
        const auto& [kind, field] = places_[place];
        if (!spoken_of_.contains({level, kind, field})) continue;
        const std::size_t fewest = std::min(pair.first.heard[place], pair.second.heard[place]);
        for (std::size_t most = fewest; most < views_.size(); ++most) {
          add(fmt::format("{} about a {}", kFirstConflict, level_name(level)),
              fmt::format("One of the first two different {}s of one instance is decided although "
                          "at most {} of {} nodes spoke of it ({} of a {}) to that node.",
                          level_name(level), most, views_.size(),
                          header_.kind_fields[kind][field].name, kind_name(kind)),
              level_name(level));
        }
      }
    }
  }

  void tell_conflicts() {
    for (const auto& [place, list] : decisions_) {
      const std::string& level = level_name(place.first);
      for (std::size_t i = 0; i < list.size(); ++i) {
        for (std::size_t k = 0; k < i; ++k) tell_conflict(level, list[k], list[i]);
      }
    }
  }
  void tell_conflict(const std::string& level, const Decision& first, const Decision& second) {
    if (first.node == second.node) {
      if (!second.after_restart)
        add("decided again",
            fmt::format("A node decides a {} again, after {}.", level, second.trigger));
    }
    if (first.value == second.value) return;
    const std::string about = "conflict about a " + level;
    const auto [one, other] = std::minmax(first.trigger, second.trigger);
    add(about,
        fmt::format("Different {}s are decided for one instance after {} and {}.", level, one,
                    other),
        level);
    if (first.round && second.round) {
      add(about,
          fmt::format("Different {}s are decided for one instance in {} round.", level,
                      *first.round == *second.round ? "the same" : "another"),
          level);
    }
    if (first.after_restart || second.after_restart)
      add(about, fmt::format("One of two nodes that decide different {}s has restarted.", level),
          level);
  }

  void tell_end(std::span<const Record> records) {
    tell_phases();
    tell_observables();
    tell_lag();
    tell_silence(records);
  }
  void tell_phases() {
    std::map<std::uint64_t, std::size_t> phases;
    std::size_t up = 0;
    for (const NodeView& view : views_) {
      if (view.is_down) continue;
      ++up;
      if (view.phase && *view.phase < header_.phases.size()) ++phases[*view.phase];
    }
    for (const auto& [phase, count] : phases) {
      add("phases at the end",
          fmt::format("At the end {} in phase {}.",
                      count == up ? "all nodes are" : "some nodes are", header_.phases[phase]));
      if (count == 1)
        add("phases at the end",
            fmt::format("At the end one node is in phase {}.", header_.phases[phase]));
    }
  }
  void tell_observables() {
    for (std::size_t index = 0; index < header_.observables.size(); ++index) {
      std::set<std::uint64_t> values;
      for (const NodeView& view : views_) {
        const auto value = view.observed.find(static_cast<std::uint8_t>(index));
        if (value != view.observed.end()) values.insert(value->second);
      }
      if (values.empty()) continue;
      add("observables at the end",
          fmt::format("At the end nodes have {} {}.",
                      values.size() == 1 ? "the same" : "different values of",
                      header_.observables[index]));
    }
  }
  void tell_lag() {
    for (std::size_t level = 0; level < header_.levels.size(); ++level) {
      if (scope_bits(level) != 0) continue;
      std::uint64_t least = ~std::uint64_t{0};
      std::uint64_t most = 0;
      bool nobody = true;
      bool somebody_not = false;
      for (const NodeView& view : views_) {
        const auto decided = view.last_decided.find(static_cast<std::uint8_t>(level));
        if (decided == view.last_decided.end()) {
          somebody_not = true;
          continue;
        }
        nobody = false;
        least = std::min(least, decided->second);
        most = std::max(most, decided->second);
      }
      const std::string about = "progress of " + level_name(level);
      if (somebody_not)
        add(about, fmt::format("{} ever decides a {}.", nobody ? "No node" : "Not every node",
                               level_name(level)));
      if (nobody) continue;
      // How far behind says how long the run was, more than why it failed.
      if (most > least)
        add(about, fmt::format("At the end a node is some {}s behind another.", level_name(level)));
    }
  }
  /// Who says what when nothing is decided any more.
  void tell_silence(std::span<const Record> records) {
    std::vector<NodeMask> senders(header_.kinds.size());
    for (const Record& record : records) {
      if (record.id <= last_decision_ || record.type != EventType::send) continue;
      if (record.kind < senders.size() && is_node(record.node))
        senders[record.kind] |= NodeMask{1} << record.node;
    }
    for (std::size_t kind = 0; kind < senders.size(); ++kind) {
      const std::size_t count = heads(senders[kind]);
      const std::string who = count == 0               ? "nobody sends"
                              : count == 1             ? "one node sends"
                              : count == views_.size() ? "all nodes send"
                                                       : "several nodes send";
      add("after the last decision",
          fmt::format("After the last decision {} a {}.", who, kind_name(kind)));
    }
  }

  const trace::Header& header_;
  std::vector<NodeView> views_;
  /// Fields of kinds that name what is decided: kind and field.
  std::vector<std::pair<std::size_t, std::size_t>> places_;
  std::unordered_map<EventId, const Record*> by_id_;
  std::unordered_map<Digest, const Record*, SignDigestHash> contents_;
  /// The fewest nodes that spoke of a value when it was decided: by level, what the decision
  /// followed, kind and field.
  std::map<std::tuple<std::size_t, std::string, std::size_t, std::size_t>, std::size_t> evidence_;
  std::set<std::tuple<std::size_t, std::size_t, std::size_t>> spoken_of_;
  std::map<std::pair<std::uint8_t, std::uint64_t>, std::vector<Decision>> decisions_;
  /// The first two different decisions for one instance, by level.
  std::map<std::size_t, std::pair<Decision, Decision>> first_conflicts_;
  EventId last_decision_ = 0;
  std::set<Sign> signs_;
};

}  // namespace

std::vector<Sign> signs_of(const trace::Header& header, std::span<const Record> records,
                           std::span<const Failure> failures) {
  SignReader reader(header, records);
  reader.read(records, failures);
  return reader.finish();
}

}  // namespace dissensus::isolate
