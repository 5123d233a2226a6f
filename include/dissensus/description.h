// How a system describes itself. Everything generic follows from this description: the genes of
// schedules (sender x receiver x message kind), mutation, isolation predicates, the trace's JSON,
// and the labels on diagrams.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "dissensus/digest.h"
#include "dissensus/ids.h"
#include "dissensus/offers.h"
#include "dissensus/time.h"

namespace dissensus {

/// What the values of a field mean, which decides what can be done with them: hashes are only
/// equal or different, sequences have neighbours and an order, times have distances...
enum class SemanticType : std::uint8_t {
  boolean,   ///< 0 or 1
  number,    ///< a count or plain integer
  sequence,  ///< a position in a chain: ordered, with neighbours
  round,     ///< a protocol round: ordered, with neighbours
  time,      ///< a moment or duration in the unit the system documents
  amount,    ///< a quantity that is conserved or bounded
  value,     ///< a value that nodes decide on
  hash,      ///< content identity: equal or not
  node,      ///< a node id
  node_set,  ///< a set of node ids
  flags,     ///< independent bits
  text,      ///< for people
};
std::string_view to_string(SemanticType type);

using NodeSet = std::vector<NodeId>;

/// One field of one message (or request), as generic code sees it.
using FieldValue = std::variant<std::int64_t, std::uint64_t, Digest, NodeSet, std::string>;

struct FieldDescription {
  std::string name;
  SemanticType type = SemanticType::number;
  /// False: a Byzantine node of small scope leaves this field alone (PayloadBuilder::small_scope).
  bool small_scope = true;
};

/// A message that belongs to no step of a protocol round, e.g. a request for data.
inline constexpr std::uint8_t kNoStep = 0xFF;

/// What becomes of a message that is lost on its way.
enum class Loss : std::uint8_t {
  gone,
  /// It is sent again until it has arrived, as TCP does with the pieces of a connection; so whoever
  /// receives such messages passes over a second copy, and no fault sends them twice.
  resent,
};
std::string_view to_string(Loss loss);
constexpr Loss last_of(Loss) {
  return Loss::resent;
}

/// A message kind: the unit that schedules address. One C++ message type may have several kinds.
struct KindDescription {
  std::string name;
  /// Kinds that carry the same fields share an index into SystemDescription::payloads.
  std::size_t payload = 0;
  /// Which step of a protocol round such messages are sent in; see SystemDescription::first_round.
  std::uint8_t step = 0;
  Loss loss = Loss::gone;
};

inline constexpr std::size_t kNoField = ~std::size_t{0};

/// The fields of one C++ message type and how to read and replace them in a message of that type.
struct PayloadDescription {
  std::string name;
  const void* type_tag = nullptr;
  std::vector<FieldDescription> fields;
  std::vector<std::function<FieldValue(const void*)>> getters;
  /// Empty function where the field cannot be replaced.
  std::vector<std::function<void(void*, const FieldValue&)>> setters;
  /// Which field names the node that signed the message; kNoField: its sender did, or nobody. A
  /// Byzantine node can change what it signs, not who it is and not what others said.
  std::size_t author = kNoField;
};

/// Something nodes decide on, instance by instance (a round's value, the ledger of a sequence),
/// and which of the consensus properties hold for it.
struct LevelDescription {
  std::string name;
  /// False: decisions of this level may legally differ for a while (XRPL: built, not yet validated
  /// ledgers). A difference is then reported as transient and does not fail agreement.
  bool final = true;
  bool agreement = true;  ///< no two nodes decide an instance differently
  bool integrity = true;  ///< no node decides an instance twice
  bool validity = true;   ///< a decided value was proposed before, by some node, for that instance
  /// How many low bits of an instance number only tell scopes apart, e.g. rounds of one sequence
  /// on different parents. People see such an instance as "7@a3f".
  std::uint8_t scope_bits = 0;
  /// Words for special values, e.g. "nothing"; other values are shown as they are.
  std::vector<std::pair<Digest, std::string>> value_names = {};
  /// True: a node may decide an instance again, after a restart for example, if the value is equal.
  bool repeatable = false;
  /// In sentences: nodes "built no ledger".
  std::string verb = "decided";
  std::string noun = {};  ///< empty: the name
  /// The scenario says where decisions come from. A run without any has judged nothing.
  bool is_expected = false;
};
std::string instance_name(const LevelDescription& level, std::uint64_t instance);
std::string value_name(const LevelDescription& level, const Digest& value);

namespace internal {
template <class T>
inline constexpr char type_tag_storage = 0;
template <class T>
constexpr const void* type_tag() {
  return &type_tag_storage<T>;
}

template <class Member>
FieldValue to_field_value(const Member& member) {
  if constexpr (std::is_same_v<Member, Digest> || std::is_same_v<Member, NodeSet> ||
                std::is_same_v<Member, std::string>) {
    return member;
  } else if constexpr (std::is_same_v<Member, Duration>) {
    return std::int64_t{member.count()};
  } else if constexpr (std::is_same_v<Member, Time>) {
    return microseconds_of(member);
  } else if constexpr (std::is_enum_v<Member>) {
    return static_cast<std::uint64_t>(member);
  } else if constexpr (std::is_signed_v<Member>) {
    return std::int64_t{member};
  } else {
    static_assert(std::is_unsigned_v<Member>,
                  "this member type needs a getter: field(name, type, getter)");
    return std::uint64_t{member};
  }
}

template <class Member>
void from_field_value(Member& member, const FieldValue& value) {
  if constexpr (std::is_same_v<Member, Digest> || std::is_same_v<Member, NodeSet> ||
                std::is_same_v<Member, std::string>) {
    member = std::get<Member>(value);
  } else {
    const auto number = std::holds_alternative<std::int64_t>(value)
                            ? static_cast<std::uint64_t>(std::get<std::int64_t>(value))
                            : std::get<std::uint64_t>(value);
    if constexpr (std::is_same_v<Member, Duration>) {
      member = Duration{static_cast<std::int64_t>(number)};
    } else if constexpr (std::is_same_v<Member, Time>) {
      member = time_of_microseconds(static_cast<std::int64_t>(number));
    } else {
      member = static_cast<Member>(number);
    }
  }
}
}  // namespace internal

/// Adds the fields of message type T to a description; returned by SystemDescription::message.
template <class T>
class PayloadBuilder {
 public:
  explicit PayloadBuilder(PayloadDescription& payload) : payload_(payload) {}

  /// A field that is a data member: field("round", SemanticType::round, &Proposal::round).
  template <class Member>
  PayloadBuilder& field(std::string name, SemanticType type, Member T::*member) {
    payload_.fields.push_back({std::move(name), type});
    payload_.getters.push_back([member](const void* message) {
      return internal::to_field_value(static_cast<const T*>(message)->*member);
    });
    payload_.setters.push_back([member](void* message, const FieldValue& value) {
      internal::from_field_value(static_cast<T*>(message)->*member, value);
    });
    return *this;
  }

  /// A field that is computed; without a setter it can be read but not mutated.
  PayloadBuilder& field(std::string name, SemanticType type,
                        std::function<FieldValue(const T&)> getter,
                        std::function<void(T&, const FieldValue&)> setter = nullptr) {
    payload_.fields.push_back({std::move(name), type});
    payload_.getters.push_back(
        [getter](const void* message) { return getter(*static_cast<const T*>(message)); });
    if (setter) {
      payload_.setters.push_back([setter](void* message, const FieldValue& value) {
        setter(*static_cast<T*>(message), value);
      });
    } else {
      payload_.setters.emplace_back();
    }
    return *this;
  }

  /// Names the field that says who signed the message; it was declared before.
  PayloadBuilder& author(std::string_view name) {
    payload_.author = index_of(name);
    return *this;
  }
  /// Names the fields that Byzantine faults of small scope change; default: all that have setters.
  PayloadBuilder& small_scope(std::initializer_list<std::string_view> names) {
    for (FieldDescription& field : payload_.fields) field.small_scope = false;
    for (const std::string_view name : names) payload_.fields.at(index_of(name)).small_scope = true;
    return *this;
  }

 private:
  std::size_t index_of(std::string_view name) const {
    std::size_t index = 0;
    while (index < payload_.fields.size() && payload_.fields[index].name != name) ++index;
    return index;
  }

  PayloadDescription& payload_;
};

/// A protocol step that nodes report (Context::step), e.g. "next-round", with its arguments' names.
struct StepDescription {
  std::string name;
  std::vector<std::string> arguments;
};

/// Something that must hold in every run, checked by the system's own nodes (Context::broken).
struct InvariantDescription {
  std::string name;  ///< "election-safety"
  std::string text;  ///< what it means when it is broken, for people: "two leaders of one term"
  /// What was wrong. A program that ends before it says anything, or says what nobody understands,
  /// without any fault, is no finding but a mistake in how it was started.
  enum class About : std::uint8_t { protocol, end_of_program, understanding };
  About about = About::protocol;
};

/// The whole description. Built once per System; immutable while runs use it.
struct SystemDescription {
  std::string name;
  std::string summary;
  /// Other systems with the same messages: schedules that were written for them fit this one.
  std::vector<std::string> same_messages_as;
  std::vector<KindDescription> kinds;        ///< indexed by MessageKind
  std::vector<PayloadDescription> payloads;  ///< one per C++ message type
  std::vector<LevelDescription> levels;      ///< indexed by Level
  std::vector<std::string> phases;           ///< names for Context::phase, indexed by its argument
  std::vector<std::string> observables;      ///< names for Context::observe, usable in rules
  std::vector<StepDescription> steps;        ///< for Context::step, which models are checked with
  std::vector<InvariantDescription> invariants;  ///< for Context::broken
  /// Phases worth waiting for: faults may be anchored to a node's entering one of these.
  std::vector<std::uint32_t> anchors;
  /// The scale of the system's own timers, on which searches place faults; zero: unknown.
  Duration time_scale{};
  /// Protocol rounds, the communication-closed rounds that Byzantine faults are keyed by: a message
  /// of a kind with a step, sent by a node in round r (Context::round), is of protocol round
  /// (r - first_round) * round_steps + step. XRPL: proposals are step 0, validations step 1.
  std::uint64_t first_round = 0;
  std::uint8_t round_steps = 1;
  /// Where the nodes live, which says what faults there are for them.
  NodeKind nodes = NodeKind::simulated_with_disk;
  /// How many of them, the first ones, have a disk, if any has one: clients and services may not.
  std::size_t disks = ~std::size_t{0};

  /// Declares message type T with one kind of the same name. Kinds are numbered in the order of
  /// declaration; T::kind() must return that number.
  template <class T>
  PayloadBuilder<T> message(std::string kind_name) {
    return message<T>(kind_name, {kind_name});
  }
  /// Declares message type T whose messages fall into several kinds (T::kind() tells which).
  template <class T>
  PayloadBuilder<T> message(std::string payload_name, std::vector<std::string> kind_names) {
    for (std::string& kind_name : kind_names)
      kinds.push_back({std::move(kind_name), payloads.size()});
    PayloadDescription& payload = payloads.emplace_back();
    payload.name = std::move(payload_name);
    payload.type_tag = internal::type_tag<T>();
    return PayloadBuilder<T>(payload);
  }

  /// kNoKind when there is no such kind.
  MessageKind find_kind(std::string_view kind_name) const;
};

/// What becomes of lost messages of a system, for people: "is sent again, but of datagram it is
/// gone for ever".
std::string fate_of_lost(const SystemDescription& description);

}  // namespace dissensus
