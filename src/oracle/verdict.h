// Verdicts: what held, what did not, and what could not be judged.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dissensus/digest.h"
#include "dissensus/ids.h"
#include "dissensus/time.h"

#include "core/describe.h"

namespace dissensus::oracle {

enum class Outcome : std::uint8_t { pass, fail, unknown };
constexpr Outcome last_of(Outcome) {
  return Outcome::unknown;
}
std::string_view to_string(Outcome outcome);

/// One way in which a property did not hold.
struct Violation {
  std::string property;  ///< agreement, validity, integrity, termination, or a rule's property
  std::string rule;      ///< which way, e.g. "decided-differently" or the scenario rule's name
  std::string level;     ///< decision level, empty where none is concerned
  std::uint64_t instance = 0;
  std::vector<NodeId> nodes;
  std::vector<Digest> values;
  EventId event = 0;  ///< the event that broke it
  Time time{};
  std::string text;  ///< one sentence for people
  /// Identity of a finding: same property, rule and level.
  std::string signature() const;
};
template <class Visit>
constexpr void fields_of(const Violation*, const Visit& visit) {
  visit("property", &Violation::property);
  visit("rule", &Violation::rule);
  visit("level", &Violation::level);
  visit("instance", &Violation::instance);
  visit("nodes", &Violation::nodes);
  visit("values", &Violation::values);
  visit("event", &Violation::event);
  visit("time", &Violation::time);
  visit("text", &Violation::text);
}

struct PropertyVerdict {
  std::string property;
  Outcome outcome = Outcome::unknown;
  std::string reason;  ///< why fail or unknown
};
template <class Visit>
constexpr void fields_of(const PropertyVerdict*, const Visit& visit) {
  visit("property", &PropertyVerdict::property);
  visit("outcome", &PropertyVerdict::outcome);
  visit("reason", &PropertyVerdict::reason);
}

struct Verdict {
  Outcome outcome = Outcome::unknown;
  std::vector<PropertyVerdict> properties;
  std::vector<Violation> violations;  ///< in order of occurrence
  std::size_t violations_left_out = 0;
  std::vector<NodeId> faulty;  ///< nodes that were made to lie, of which nothing is demanded
  /// The limit, or the trouble, that cut the run before its end: "limits.events". Empty: nothing
  /// did. A run that was cut never passes.
  std::string cut_by;
  std::vector<Violation>
      notes;  ///< legal but noteworthy: transient differences, stalls that recovered
};
template <class Visit>
constexpr void fields_of(const Verdict*, const Visit& visit) {
  visit("outcome", &Verdict::outcome);
  visit("properties", &Verdict::properties);
  visit("violations", &Verdict::violations);
  visit("violations_left_out", &Verdict::violations_left_out);
  visit("faulty", &Verdict::faulty);
  visit("cut_by", &Verdict::cut_by);
  visit("notes", &Verdict::notes);
}

/// The property of add_unjudged.
inline constexpr std::string_view kEvidence = "evidence";
inline constexpr std::string_view kVerdictFormat = "dissensus-verdict/1";
/// What was to be judged and did not come (property `evidence`): a verdict that passed is unknown.
void add_unjudged(Verdict& verdict, std::string reason);
/// The content of verdict.json; `indent` -1 gives one line.
std::string to_json(const Verdict& verdict, int indent = 2);
/// The inverse. `name` is the file's, for errors. Throws InputError.
Verdict parse_verdict(std::string_view text, const std::string& name);

}  // namespace dissensus::oracle
