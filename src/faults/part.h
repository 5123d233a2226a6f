// The typed parts that kinds of faults are made of: nodes, messages, windows, durations, shares. A
// part is declared once, with its key and where its value is; reader, writer, JSON schema, random
// draws, ranges to draw from, steps of a reduction and the explorer's numbers follow from its type.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <nlohmann/json.hpp>

#include "dissensus/faults.h"
#include "dissensus/options.h"
#include "dissensus/random.h"

#include "core/bytes.h"
#include "faults/json_members.h"
#include "faults/reduction.h"

namespace dissensus::faults {

/// What a document is written for.
struct Target {
  const SystemDescription& description;
  GeneSpace genes;
};

/// A number of a fault that somebody may move: as words, its value, and how to set it.
struct FaultNumber {
  std::string part;
  Duration value;
  std::function<void(void* fault, Duration value)> set;
};

/// How a random fault gets the parts for which no range is named.
class Drawer {
 public:
  Drawer(Random& source, std::size_t node_count) : random(source), nodes(node_count) {}
  virtual ~Drawer() = default;
  /// One, where the fault may count from the node that it waits for.
  virtual NodeId node(const Window& when) = 0;
  /// Those that something happens to together.
  virtual NodeSet victims(const Window& when) = 0;
  /// All nodes, shuffled; in every other fault that waits for a node that one is the first.
  virtual NodeSet ordered(const Window& when) = 0;
  virtual std::vector<NodeSet> groups(const Window& when) = 0;
  virtual Duration length() = 0;
  /// The protocol round that the fault is drawn for; none: any.
  virtual std::optional<std::uint64_t> round() const { return std::nullopt; }
  /// Which of a choice's words the space admits; empty: any.
  virtual std::vector<std::size_t> words(std::string_view key) const = 0;

  double share() { return static_cast<double>(1 + random.below(20)) / 20; }
  std::uint64_t seed() { return random.next() >> 32; }
  /// What is written in milliseconds.
  static Duration whole(Duration duration);

  Random& random;
  std::size_t nodes;
};
/// Draws a part from the range that a space names for it.
using Range = std::function<void(void* fault, Drawer& drawer, const Window& when)>;

/// What it means that nothing is left of a part when a fault is made smaller.
enum class Weight : std::uint8_t {
  essential,  ///< nothing is left of the fault
  one_of,     ///< the same, once it holds for all parts of this weight
  beside,     ///< nothing
};

class Part {
 public:
  virtual ~Part() = default;
  explicit Part(std::string_view name, Weight part_weight = Weight::beside)
      : key(name), weight(part_weight) {}

  /// Throws InputError.
  virtual void read(void* fault, const Options& document, const Target& target) const = 0;
  /// Nothing is written for what is the default.
  virtual void write(const void* fault, Members& members, const Target& target) const = 0;
  /// Its value between programs of ours (schedule_bytes.h), whatever it is.
  virtual void put(const void* fault, ByteWriter& writer) const = 0;
  /// Throws InputError where the bytes are none that were written.
  virtual void take(void* fault, ByteReader& reader) const = 0;
  virtual void add_schema(nlohmann::ordered_json& properties) const = 0;
  virtual void draw(void* /*fault*/, Drawer& /*drawer*/, const Window& /*when*/) const {}
  /// What a table of a space says of it, in the part's own keys; null: nothing. Throws InputError.
  virtual Range range(const Options& table, const Target& target) const = 0;
  virtual void add_range_schema(nlohmann::ordered_json& properties) const = 0;
  /// Lowers the levels of the part's units; false: nothing is left of it.
  virtual bool reduce(void* /*fault*/, Reduction& /*reduction*/) const { return true; }
  virtual void add_numbers(const void* /*fault*/, std::vector<FaultNumber>& /*numbers*/) const {}
  /// Shortens times by factors that are drawn for each.
  using Shorten = std::function<Duration(Duration)>;
  virtual void shorten(void* /*fault*/, const Shorten& /*shorten*/) const {}
  virtual bool is_window() const { return false; }
  virtual bool may_wait() const { return false; }
  /// Null unless the part is a window.
  virtual Window* window(void* /*fault*/) const { return nullptr; }
  /// Null unless the part is the protocol round.
  virtual std::uint64_t* round(void* /*fault*/) const { return nullptr; }
  virtual const MessageFilter* filter(const void* /*fault*/) const { return nullptr; }
  virtual bool is_required() const { return false; }
  /// Whether nothing could come of a drawn value: no receivers, nodes in one group.
  virtual bool is_void(const void* /*fault*/, std::size_t /*nodes*/) const { return false; }

  std::string_view key;
  Weight weight;
};
using PartPtr = std::unique_ptr<Part>;

// ---- access to members

template <class Member>
struct MemberOf;
template <class Known, class Value>
struct MemberOf<Value Known::*> {
  using Whole = Known;
  using Type = Value;
};
template <class Value>
using Access = Value& (*)(void*);
template <auto Pointer>
typename MemberOf<decltype(Pointer)>::Type& member(void* fault) {
  return static_cast<typename MemberOf<decltype(Pointer)>::Whole*>(fault)->*Pointer;
}
template <auto Pointer>
using TypeOf = typename MemberOf<decltype(Pointer)>::Type;

/// A choice among words, as numbers from 0.
template <auto Pointer>
std::uint8_t& choice(void* fault) {
  static_assert(std::is_same_v<std::underlying_type_t<TypeOf<Pointer>>, std::uint8_t>);
  return reinterpret_cast<std::uint8_t&>(member<Pointer>(fault));
}

// ---- the types

PartPtr make_node(std::string_view key, Access<NodeId> access);
PartPtr make_node(std::string_view key, Access<std::optional<NodeId>> access);

/// Which nodes a list holds.
struct ListOf {
  enum class Default : std::uint8_t { none, all, others };
  Default missing = Default::none;  ///< what is meant without the key
  Access<NodeId> node = nullptr;    ///< others: than this one
  bool shrinks = true;
  /// How many, from the first on, no reduction takes away; null: none. A list of such nodes alone
  /// is one piece.
  std::size_t (*kept)(const void*) = nullptr;
};
PartPtr make_nodes(std::string_view key, Access<NodeSet> access, const ListOf& list);
PartPtr make_groups(Access<std::vector<NodeSet>> access);
PartPtr make_filter(Access<MessageFilter> access);
PartPtr make_count(Access<std::optional<std::uint32_t>> access);
PartPtr make_seed(Access<std::uint64_t> access);
PartPtr make_round(std::string_view key, Access<std::uint64_t> access);
PartPtr make_round(std::string_view key, Access<std::optional<std::uint64_t>> access,
                   Weight weight = Weight::beside);
/// A probability.
PartPtr make_share(std::string_view key, Access<double> access);
PartPtr make_choice(std::string_view key, Access<std::uint8_t> access,
                    std::span<const std::string_view> words, bool required);
PartPtr make_integer(std::string_view key, Access<std::int32_t> access, std::int32_t low,
                     std::int32_t high);
PartPtr make_field(Access<std::string> access);

struct DurationOf {
  Weight weight = Weight::beside;
  bool required = false;
  bool may_be_negative = false;
  bool shrinks = true;
  std::string_view label{};  ///< for the explorer; empty: the key
  /// Where it does not concern the fault it is no unit; null: always.
  bool (*concerns)(const void*) = nullptr;
};
PartPtr make_duration(std::string_view key, Access<Duration> access, const DurationOf& what);
PartPtr make_duration(std::string_view key, Access<std::optional<Duration>> access,
                      const DurationOf& what);

struct WindowOf {
  bool may_wait = false;                    ///< may have an anchor
  bool (*concerns)(const void*) = nullptr;  ///< null: always
};
PartPtr make_window(Access<Window> access, const WindowOf& what);

// ---- shared with other readers

[[noreturn]] void fail_unknown_kind(const OptionValue& place, const std::string& word,
                                    const SystemDescription& description);
MessageKind read_kind(const OptionValue& value, const Target& target);
NodeId read_node(const OptionValue& value, const Target& target);
std::uint32_t read_phase(const OptionValue& value, const SystemDescription& description);
/// Bounded, so that sums of a few durations cannot overflow.
Duration read_duration(const OptionValue& value, bool may_be_negative = false);
/// The groups of a partition, which separate some nodes from others.
std::vector<NodeSet> read_groups(const OptionValue& groups, const Target& target);
/// Nodes in the order of the file, each once.
NodeSet read_set(const OptionValue& list, const Target& target);

}  // namespace dissensus::faults
